package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// serveVariable names the runtime executable that answers over MCP; it makes
// this program a driver that starts it with "serve".
const serveVariable = "HYDRA_CONFORMANCE_SERVE"

// protocolVersion is the revision of MCP that the driver speaks.
const protocolVersion = "2025-06-18"

// connection is a running server.
type connection struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
	last  int
}

// response is one answer of a server.
type response struct {
	ID     *int            `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string  `json:"message"`
		Data    failure `json:"data"`
	} `json:"error"`
}

// failure is what a program is told of a call that failed.
type failure struct {
	Name, Code, Message string
}

// inexpressible says why a question cannot be asked over the wire, or "".
func inexpressible(q question) string {
	switch {
	case q.AbortAfterMs > 0 || q.PreAborted:
		return "a call that was cancelled gets no answer over the wire"
	case q.Workdir != nil && *q.Workdir == "":
		return "a server's workdir is never empty"
	}
	return ""
}

// askServer asks a question twice: as a program would, for the complete value,
// and as a model would, for the text and the page.
func askServer(q question, runtimePath string) answer {
	a, err := tryServer(q, runtimePath)
	if err != nil {
		return answer{Kind: "driver", Message: err.Error()}
	}
	return a
}

func tryServer(q question, runtimePath string) (answer, error) {
	c, err := startServer(q, runtimePath)
	if err != nil {
		return answer{}, err
	}
	a, err := c.ask(q)
	refusal, endErr := c.end()
	if refusal != nil {
		return answer{Kind: "config", Message: refusal.Message}, nil
	}
	return a, errors.Join(err, endErr)
}

func startServer(q question, runtimePath string) (*connection, error) {
	dir, err := os.MkdirTemp("", "hydra-conformance-config-")
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(q.Config)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "config.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return nil, err
	}
	args := []string{"serve", "--config", file, "--root", "/", "--ripgrep", q.Runtime + "-rg", "--log-level", "off"}
	if q.Workdir != nil {
		args = append(args, "--workdir", *q.Workdir)
	}
	c := &connection{cmd: exec.Command(runtimePath, args...)}
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	c.cmd.Stderr = stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.lines = bufio.NewScanner(out)
	c.lines.Buffer(nil, 16<<20) // a frame has at most 8 MiB
	return c, c.cmd.Start()
}

// end hangs up. A server that refused to start says why in one JSON line.
func (c *connection) end() (refusal *failure, err error) {
	stderr := c.cmd.Stderr.(*os.File).Name()
	defer os.RemoveAll(filepath.Dir(stderr))
	c.in.Close()
	if err = c.cmd.Wait(); c.cmd.ProcessState.ExitCode() != 2 {
		return nil, err
	}
	text, readErr := os.ReadFile(stderr)
	if readErr != nil {
		return nil, readErr
	}
	refusal = &failure{}
	return refusal, json.Unmarshal(text, refusal)
}

// call sends one request and waits for its answer.
func (c *connection) call(method string, params any) (response, error) {
	c.last++
	if err := json.NewEncoder(c.in).Encode(map[string]any{"jsonrpc": "2.0", "id": c.last, "method": method, "params": params}); err != nil {
		return response{}, err
	}
	for c.lines.Scan() {
		var r response
		if err := json.Unmarshal(c.lines.Bytes(), &r); err != nil {
			return response{}, fmt.Errorf("%w in %.200q", err, c.lines.Bytes())
		}
		if r.ID != nil && *r.ID == c.last {
			return r, nil
		}
	}
	return response{}, errors.Join(fmt.Errorf("no answer to %s", method), c.lines.Err())
}

func (c *connection) ask(q question) (answer, error) {
	_, err := c.call("initialize", map[string]any{
		"protocolVersion": protocolVersion, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "conformance", "version": "1"},
	})
	if err != nil {
		return answer{}, err
	}
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return answer{}, err
	}
	// An empty owner is said, too: without one the connection is the owner.
	meta := map[string]any{"dev.hydra-harness/nested": q.Nested, "dev.hydra-harness/owner": q.Owner}
	if q.Indexed {
		indexed(c.indexUse)
	}
	// The value comes first: what a call saves may lie in the tree of the case.
	value, refused, err := c.askValue(q, meta)
	if err != nil {
		return answer{}, err
	}
	a, err := c.askTool(q, meta)
	if code := refused.Code; err == nil && code != a.Code {
		err = fmt.Errorf("hydra/search/%s answers with code %q (%s), tools/call with code %q (%s)", q.Tool, code, refused.Message, a.Code, a.Message)
	}
	a.Canonical = value
	return a, err
}

// indexUse makes a search and says whether an index answered.
func (c *connection) indexUse() (*search.IndexUse, error) {
	r, err := c.call("hydra/search/grep", map[string]any{"pattern": indexPattern})
	if err != nil || r.Error != nil {
		return nil, err
	}
	var result struct {
		Stats struct{ Index *search.IndexUse }
	}
	err = json.Unmarshal(r.Result, &result)
	return result.Stats.Index, err
}

// askTool asks as a model does.
func (c *connection) askTool(q question, meta map[string]any) (answer, error) {
	r, err := c.call("tools/call", map[string]any{"name": q.Tool, "arguments": q.Args, "_meta": meta})
	if err != nil {
		return answer{}, err
	}
	if r.Error != nil {
		return failed(r.Error.Data, r.Error.Message), nil
	}
	var result struct {
		Content           []struct{ Text string }
		StructuredContent *page
		IsError           bool
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(r.Result, &result); err != nil {
		return answer{}, err
	}
	a := answer{Page: result.StructuredContent}
	for _, c := range result.Content {
		a.Text += c.Text
	}
	if result.IsError {
		var f failure
		err := json.Unmarshal(result.Meta["dev.hydra-harness/error"], &f)
		return failed(f, a.Text), err
	}
	return a, nil
}

func failed(f failure, message string) answer {
	a := answer{Kind: "search", Code: f.Code, Message: message}
	if f.Code == "TOOL_ARGUMENT" {
		a.Kind = "argument"
	}
	return a
}

// askValue asks as a program does, page by page. refused has a code when the call
// failed.
func (c *connection) askValue(q question, meta map[string]any) (value *canonical, refused failure, err error) {
	params := map[string]any{"_meta": meta}
	for name, value := range q.Args {
		params[name] = value
	}
	value = &canonical{}
	for {
		r, err := c.call("hydra/search/"+q.Tool, params)
		if err != nil {
			return nil, failure{}, err
		}
		if r.Error != nil {
			r.Error.Data.Message = r.Error.Message
			return nil, r.Error.Data, nil
		}
		var part struct {
			canonical
			NextCursor string `json:"nextCursor"`
		}
		if err := json.Unmarshal(r.Result, &part); err != nil {
			return nil, failure{}, err
		}
		value.Root = part.Root
		value.Paths = append(value.Paths, part.Paths...)
		value.Matches = append(value.Matches, part.Matches...)
		if part.PathBytes != nil {
			value.PathBytes = part.PathBytes // of the last page; vectors with such names fit on one
		}
		if part.NextCursor == "" {
			return value, failure{}, nil
		}
		params["cursor"] = part.NextCursor
	}
}
