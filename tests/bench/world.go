package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hydraharness/harness-runtime/tests/internal/live"
)

// world is everything that is measured and what it is measured on.
type world struct {
	options
	scratch     string
	runtimePath string
	rg          string
	environ     []string // of both sides
	few, many   string   // trees that were made
	golang      string   // the Go source tree
	config      string   // a configuration with a raised raw output budget
	indexConfig string   // one with an index
	servers     map[string]*live.Server
	buffer      []byte
}

// raisedCap is the budget for rows with more than 100,000 matches.
const raisedCap = 1_000_000_000

func newWorld(o options) (w *world, err error) {
	w = &world{options: o, servers: map[string]*live.Server{}, buffer: make([]byte, 64<<10)}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.scratch, err = os.MkdirTemp("", "hydra-bench-"); err != nil {
		return w, err
	}
	if w.scratch, err = filepath.EvalSymlinks(w.scratch); err != nil {
		return w, err
	}
	w.environ = []string{"HOME=" + w.scratch, "PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
	if w.runtimePath = o.runtime; o.runtime == "" {
		if w.runtimePath, err = live.Build(w.scratch); err != nil {
			return w, err
		}
	}
	w.rg = w.runtimePath + "-rg"
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return w, fmt.Errorf("find the Go source tree: %w", err)
	}
	w.golang = filepath.Join(strings.TrimSpace(string(goroot)), "src")
	w.few, w.many = filepath.Join(w.scratch, "few"), filepath.Join(w.scratch, "many")
	divisor := 1
	if o.quick {
		divisor = 10
	}
	if err := errors.Join(makeFew(w.few), makeMany(w.many, divisor)); err != nil {
		return w, err
	}
	w.indexConfig = filepath.Join(w.scratch, "index.json")
	w.config = filepath.Join(w.scratch, "raised.json")
	raised := map[string]any{"sampleOverCapGlobResults": true, "rawOutputMaxBytes": raisedCap}
	if err := writeConfig(w.config, raised); err != nil {
		return w, err
	}
	raised["index"] = "on"
	return w, writeConfig(w.indexConfig, raised)
}

func writeConfig(path string, settings map[string]any) error {
	text, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

func (w *world) close() {
	for _, s := range w.servers {
		_ = s.Close()
	}
	_ = os.RemoveAll(w.scratch)
}

// serve starts a runtime for a tree, with more flags.
func (w *world) serve(tree string, flags ...string) (*live.Server, error) {
	cmd := exec.Command(w.runtimePath, append([]string{"serve", "--workdir", tree, "--log-level", "error"}, flags...)...)
	cmd.Env = append([]string{"XDG_RUNTIME_DIR=" + w.scratch}, w.environ...)
	return live.Start(cmd)
}

// server returns the running one, started at its first call.
func (w *world) server(tree string, flags ...string) (*live.Server, error) {
	key := strings.Join(append(flags, tree), "\x00")
	if s := w.servers[key]; s != nil {
		return s, nil
	}
	s, err := w.serve(tree, flags...)
	if err == nil {
		w.servers[key] = s
	}
	return s, err
}

// tool makes the call of a model to the runtime that serves a tree.
func (w *world) tool(name, tree string, arguments map[string]string, flags ...string) func() (int, error) {
	if len(flags) == 0 {
		flags = []string{"--sample"}
	}
	return func() (int, error) {
		s, err := w.server(tree, flags...)
		if err != nil {
			return 0, err
		}
		r, err := s.Tool(name, arguments)
		if err != nil {
			return 0, err
		}
		if r.IsError {
			return 0, errors.New(r.Text())
		}
		var page struct{ Total int }
		return page.Total, json.Unmarshal(r.Structured, &page)
	}
}

// value asks for the complete value, all of its pages.
func (w *world) value(kind, tree string, arguments map[string]string, flags ...string) func() (int, error) {
	return func() (int, error) {
		s, err := w.server(tree, flags...)
		if err != nil {
			return 0, err
		}
		params := map[string]string{}
		for name, v := range arguments {
			params[name] = v
		}
		for pages := 1; ; pages++ {
			text, err := s.Call("hydra/search/"+kind, params)
			if err != nil {
				return 0, err
			}
			next, err := cursor(text)
			if err != nil || next == "" {
				return pages, err
			}
			params["cursor"] = next
		}
	}
}

// cursor reads nextCursor, which stands last, without reading the rest.
func cursor(text []byte) (string, error) {
	const key = `"nextCursor":`
	tail := text[max(0, len(text)-64):]
	i := strings.LastIndex(string(tail), key)
	if i < 0 {
		return "", nil
	}
	var next string
	return next, json.Unmarshal(tail[i+len(key):len(tail)-1], &next)
}

// command runs the runtime once, as a person does.
func (w *world) command(dir string, args ...string) func() (int, error) {
	return func() (int, error) {
		cmd := exec.Command(w.runtimePath, args...)
		cmd.Dir, cmd.Env = dir, w.environ
		return 0, w.drain(cmd, 0)
	}
}
