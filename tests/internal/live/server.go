package live

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync"
)

// Server is a runtime that serves, and its one client. Its methods may be
// called from any goroutine.
type Server struct {
	// Stderr is what it logged; read it after Close.
	Stderr bytes.Buffer

	cmd   *exec.Cmd
	stdin io.WriteCloser

	mu      sync.Mutex // guards what follows, and writes
	nextID  int64
	waiting map[int64]chan reply
	over    error // why no answer comes any more
}

type reply struct {
	result json.RawMessage
	err    error
}

// Failure is an error that the server answered with.
type Failure struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (f *Failure) Error() string { return fmt.Sprintf("%s (%d)", f.Message, f.Code) }

// Start runs cmd, which is the runtime with its arguments, and shakes hands.
func Start(cmd *exec.Cmd) (*Server, error) {
	s := &Server{cmd: cmd, waiting: map[int64]chan reply{}}
	cmd.Stderr = &s.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s.stdin = stdin
	go s.read(stdout)
	_, err = s.Call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "live", "version": "1"},
	})
	if err == nil {
		err = s.Notify("notifications/initialized", nil)
	}
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("the runtime does not serve: %w\n%s", err, s.Stderr.String())
	}
	return s, nil
}

// PID is the process of the runtime.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Call asks and waits for the answer, a *Failure when that is an error.
func (s *Server) Call(method string, params any) (json.RawMessage, error) {
	_, wait, err := s.Begin(method, params)
	if err != nil {
		return nil, err
	}
	return wait()
}

// Tool calls a tool as a model does and returns the result of tools/call.
func (s *Server) Tool(name string, arguments any) (*ToolResult, error) {
	text, err := s.Call("tools/call", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return nil, err
	}
	var r ToolResult
	return &r, json.Unmarshal(text, &r)
}

// ToolResult is what a client sees of a tool's answer.
type ToolResult struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Meta       struct {
		Error struct {
			Code    string          `json:"code"`
			Details json.RawMessage `json:"details"`
		} `json:"dev.hydra-harness/error"`
	} `json:"_meta"`
}

// Text is the text that a model reads.
func (r *ToolResult) Text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// Begin asks and returns the request's id and a function that waits for the
// answer.
func (s *Server) Begin(method string, params any) (id int64, wait func() (json.RawMessage, error), err error) {
	answer := make(chan reply, 1)
	s.mu.Lock()
	s.nextID++
	id = s.nextID
	s.waiting[id] = answer
	err = s.over
	if err == nil {
		err = s.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	}
	s.mu.Unlock()
	if err != nil {
		return id, nil, err
	}
	return id, func() (json.RawMessage, error) { r := <-answer; return r.result, r.err }, nil
}

// Cancel tells the runtime that nobody waits for a request any more.
func (s *Server) Cancel(id int64) error {
	return s.Notify("notifications/cancelled", map[string]any{"requestId": id, "reason": "enough"})
}

// Notify sends what has no answer.
func (s *Server) Notify(method string, params any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	message := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		message["params"] = params
	}
	return s.write(message)
}

func (s *Server) write(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.stdin.Write(append(text, '\n'))
	return err
}

// Close ends the input and waits for the process.
func (s *Server) Close() error {
	_ = s.stdin.Close()
	return s.cmd.Wait()
}

// readSize holds most answers, so that a line is read without being pieced
// together.
const readSize = 1 << 20

func (s *Server) read(out io.Reader) {
	lines := bufio.NewReaderSize(out, readSize)
	for {
		line, err := lines.ReadBytes('\n')
		if err == nil {
			err = s.answered(line)
		}
		if err != nil {
			s.finish(fmt.Errorf("the runtime answers no more: %w", err))
			return
		}
	}
}

// answered hands a line to the caller who waits for it. The line is not parsed
// when it is a success as the runtime spells one: a client in a measurement
// must cost little.
func (s *Server) answered(line []byte) error {
	var m struct {
		ID     int64           `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  *Failure        `json:"error"`
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	if id, result, ok := success(line); ok {
		m.ID, m.Result = id, result
	} else if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	s.mu.Lock()
	answer := s.waiting[m.ID]
	delete(s.waiting, m.ID)
	s.mu.Unlock()
	switch {
	case answer == nil: // a notification, or the answer to a cancelled request
	case m.Error != nil:
		answer <- reply{err: m.Error}
	default:
		answer <- reply{result: m.Result}
	}
	return nil
}

// success splits {"jsonrpc":"2.0","id":N,"result":R}.
func success(line []byte) (id int64, result []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"jsonrpc":"2.0","id":`))
	if !ok {
		return 0, nil, false
	}
	number, rest, ok := bytes.Cut(rest, []byte(`,"result":`))
	if !ok || len(number) > 19 || !bytes.HasSuffix(rest, []byte("}")) {
		return 0, nil, false
	}
	id, err := strconv.ParseInt(string(number), 10, 64)
	return id, rest[:len(rest)-1], err == nil
}

var errClosed = errors.New("no answer will come")

func (s *Server) finish(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = errors.Join(errClosed, cause)
	for id, answer := range s.waiting {
		answer <- reply{err: s.over}
		delete(s.waiting, id)
	}
}
