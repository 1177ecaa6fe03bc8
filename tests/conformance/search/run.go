package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// nobody is the user that cases about permissions run as.
	nobody = 65534
	// caseTimeout is when a driver that does not answer is given up.
	caseTimeout = 60 * time.Second
)

// run is one vector in one scratch directory.
type run struct {
	vector  vector
	root    string // with links resolved
	rg      string // the pinned sidecar
	driver  []string
	serve   string // the runtime that answers over MCP, or ""
	indexed bool   // the runtime has an index when it is asked
	// resident is the driver instead when there is one.
	resident *resident
}

func (r *run) runtime() string   { return filepath.Join(r.root, ".bin", "runtime") }
func (r *run) spillRoot() string { return filepath.Join(r.root, ".spill") }

// errSkip is why a vector was not run.
type errSkip struct{ reason string }

func (e errSkip) Error() string { return e.reason }

// do runs the vector and returns what is wrong, or "".
func (r *run) do() (problem string, err error) {
	if rule, ok := leftOut[r.vector.ID]; ok {
		return "", errSkip{"left out: " + rule}
	}
	if r.serve != "" {
		if reason := inexpressible(r.question()); reason != "" {
			return "", errSkip{reason}
		}
	}
	if r.vector.User == "unprivileged" && os.Geteuid() != 0 && os.Geteuid() != nobody {
		// An ordinary user is unprivileged enough.
		r.vector.User = ""
	}
	defer r.remove()
	if err := r.prepare(); err != nil {
		return "", err
	}
	a, err := r.drive()
	if err != nil {
		return "", err
	}
	return r.check(a), nil
}

func (r *run) prepare() error {
	for _, dir := range []string{r.root, r.root + "/ws", filepath.Dir(r.runtime())} {
		if err := mkdirAll(dir); err != nil {
			return err
		}
	}
	if r.vector.FakeRG == nil {
		if err := os.Symlink(r.rg, r.runtime()+"-rg"); err != nil {
			return err
		}
	} else {
		var path string
		_ = json.Unmarshal(r.vector.Call.Args["path"], &path) // another type is the case's point
		if r.vector.Call.Tool == "glob" {
			if err := r.vector.FakeRG.listing(r.root + "/ws/" + path); err != nil {
				return err
			}
		}
		if err := r.vector.FakeRG.install(r.runtime() + "-rg"); err != nil {
			return err
		}
		if err := provide(r.root+"/ws", path); err != nil {
			return err
		}
	}
	if r.vector.Spill == "failing" || r.vector.Spill == "throws" {
		if err := os.WriteFile(r.spillRoot(), nil, 0o600); err != nil { // a file where a folder is needed
			return err
		}
	}
	if err := grow(r.root, r.vector.Tree); err != nil {
		return err
	}
	return os.Chmod(r.root, 0o755)
}

// remove takes the scratch directory away, also what may not be entered.
func (r *run) remove() {
	_ = filepath.WalkDir(r.root, func(path string, d os.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o755)
		}
		return nil
	})
	_ = os.RemoveAll(r.root)
}

// question is the vector as a driver is asked it.
func (r *run) question() question {
	q := question{
		Tool: r.vector.Call.Tool, Args: map[string]json.RawMessage{}, Config: map[string]any{"sampleOverCapGlobResults": true},
		Runtime: r.runtime(), Owner: r.vector.Session.owner(), Nested: r.vector.Session.Nested,
		AbortAfterMs: r.vector.Session.AbortAfterMs, PreAborted: r.vector.Session.PreAborted,
	}
	for name, value := range r.vector.Call.Args {
		q.Args[name] = json.RawMessage(r.expand(string(value)))
	}
	for key, value := range r.vector.Config {
		q.Config[key] = value
	}
	q.Config["spillRoot"] = r.spillRoot()
	if r.indexed && r.vector.FakeRG == nil { // a stand-in can list nothing
		q.Config["index"], q.Indexed = "on", true
	}
	if r.vector.Spill == "" || r.vector.Spill == "off" {
		q.Owner = "" // no owner, no spill
	}
	q.Workdir = r.workdir()
	return q
}

// workdir is the session's directory: below the scratch root, verbatim, or none.
func (r *run) workdir() *string {
	if r.vector.Session.NoAgent || string(r.vector.Workdir) == "null" {
		return nil
	}
	name := "ws"
	if r.vector.Workdir != nil {
		_ = json.Unmarshal(r.vector.Workdir, &name)
	}
	dir := r.root
	if verbatim, ok := strings.CutPrefix(name, "raw:"); ok {
		dir = r.expand(verbatim)
	} else if name != "" {
		dir = r.root + "/" + name
	}
	return &dir
}

// errand is the question with the case's directory, environment and user.
func (r *run) errand() errand {
	e := errand{Question: r.question(), Dir: filepath.Join(r.root, r.vector.ProcessCWD)}
	e.Environ = []string{"HOME=" + r.root, "LANG=C.UTF-8", "PATH=/usr/bin:/bin"}
	for name, value := range r.vector.Env {
		e.Environ = append(e.Environ, name+"="+r.expand(value))
	}
	if r.vector.User == "unprivileged" && os.Geteuid() != nobody {
		user := nobody
		e.User = &user
	}
	return e
}

// drive asks the driver, in a process of its own unless it is resident.
func (r *run) drive() (answer, error) {
	e := r.errand()
	if r.resident != nil {
		return r.resident.ask(e)
	}
	text, err := json.Marshal(e.Question)
	if err != nil {
		return answer{}, err
	}
	cmd := exec.Command(r.driver[0], r.driver[1:]...)
	cmd.Dir = e.Dir
	cmd.Env = append(e.Environ, childVariable+"=1")
	if r.serve != "" {
		cmd.Env = append(cmd.Env, serveVariable+"="+r.serve)
	}
	if e.User != nil {
		id := uint32(*e.User)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	}
	cmd.Stdin = bytes.NewReader(text)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return answer{}, err
	}
	timer := time.AfterFunc(caseTimeout, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	if !timer.Stop() {
		return answer{}, fmt.Errorf("no answer within %v", caseTimeout)
	}
	var a answer
	if err := errors.Join(err, json.Unmarshal(stdout.Bytes(), &a)); err != nil {
		return answer{}, fmt.Errorf("%w: %s%s", err, stdout.String(), stderr.String())
	}
	return a, nil
}
