// Package coretest holds what the tests of several packages need: a stand-in
// sidecar that is a real executable, trees of files, the pinned ripgrep, and a
// clean environment. Nothing outside tests imports it.
package coretest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Fake says how a stand-in sidecar behaves. It writes Stdout and Stderr, then
// does the rest in the order of the fields.
type Fake struct {
	// Version is what it says when it is asked for its --version, or empty to
	// behave then as ever.
	Version string `json:"version,omitempty"`
	Stdout  string `json:"stdout,omitempty"`
	Stderr  string `json:"stderr,omitempty"`
	// IgnoreTerm makes it deaf to SIGTERM.
	IgnoreTerm bool `json:"ignore_term,omitempty"`
	// HoldPipe leaves a grandchild behind that keeps the output pipes open.
	HoldPipe bool `json:"hold_pipe,omitempty"`
	// Escape makes that grandchild leave the process group.
	Escape bool `json:"escape,omitempty"`
	// Sleep is in seconds.
	Sleep float64 `json:"sleep,omitempty"`
	// Signal is what it dies of, such as "KILL" or "SEGV".
	Signal string `json:"signal,omitempty"`
	Exit   int    `json:"exit,omitempty"`
	// Retry replaces this behaviour when the sidecar is run with --threads=1.
	Retry *Fake `json:"retry,omitempty"`
	// Repeat writes Stdout that many times (at least once).
	Repeat int `json:"repeat,omitempty"`
	// Piece writes Stdout in pieces of that many bytes.
	Piece int `json:"piece,omitempty"`
	// Ready leaves a file behind when the output is written; see AwaitReady.
	Ready bool `json:"ready,omitempty"`
	// Remove is a path that it removes, with what is in it, before it writes; "."
	// is the directory it runs in.
	Remove string `json:"remove,omitempty"`
}

// Seen is what a stand-in was started with.
type Seen struct {
	Args []string `json:"args"`
	Env  []string `json:"env"`
	Dir  string   `json:"dir"`
	PID  int      `json:"pid"`
	// Stdin is what standard input was, such as "/dev/null".
	Stdin string `json:"stdin"`
	// Extra is what descriptor 3 held, if it was given.
	Extra string `json:"extra"`
}

const (
	fakeSuffix = ".fake.json"
	seenSuffix = ".seen.json"
	// readySuffix names the file that says that the output was written.
	readySuffix = ".ready"
	holdArg     = "--coretest-hold"
)

// RunIfFake turns the process into a stand-in, and ends it, when it was started
// under a name that Install has prepared. Call it first in TestMain or main.
func RunIfFake() {
	if len(os.Args) > 1 && os.Args[1] == holdArg {
		time.Sleep(time.Minute) // outlives every test; killed by them
		os.Exit(0)
	}
	text, err := os.ReadFile(os.Args[0] + fakeSuffix)
	if err != nil {
		return
	}
	var fake Fake
	if err := json.Unmarshal(text, &fake); err != nil {
		fmt.Fprintln(os.Stderr, "coretest:", err)
		os.Exit(99)
	}
	fake.run()
}

func (f Fake) run() {
	if f.Version != "" && slices.Contains(os.Args, "--version") {
		fmt.Println(f.Version)
		os.Exit(0)
	}
	if f.Retry != nil && strings.Contains(strings.Join(os.Args, "\n"), "--threads=1") {
		f = *f.Retry
	}
	if f.IgnoreTerm {
		signal.Ignore(syscall.SIGTERM)
	}
	dir, _ := os.Getwd()
	stdin, _ := os.Readlink("/proc/self/fd/0")
	seen, _ := json.Marshal(Seen{Args: os.Args[1:], Env: os.Environ(), Dir: dir, PID: os.Getpid(), Stdin: stdin, Extra: extra()})
	_ = os.WriteFile(os.Args[0]+seenSuffix, seen, 0o600)
	if f.Remove != "" {
		_ = os.RemoveAll(filepath.Join(dir, f.Remove))
	}
	for range max(1, f.Repeat) {
		f.print()
	}
	_, _ = os.Stderr.WriteString(f.Stderr)
	if f.Ready {
		_ = os.WriteFile(os.Args[0]+readySuffix, nil, 0o600)
	}
	if f.HoldPipe {
		self, _ := os.Executable()
		hold := exec.Command(self, holdArg)
		hold.Stdout, hold.Stderr = os.Stdout, os.Stderr
		if f.Escape {
			hold.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		}
		_ = hold.Start()
		_ = os.WriteFile(os.Args[0]+".held", fmt.Appendf(nil, "%d", hold.Process.Pid), 0o600)
	}
	time.Sleep(time.Duration(f.Sleep * float64(time.Second)))
	if f.Signal != "" {
		// A shell dies of what Go would catch.
		_ = syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -" + f.Signal + " $$"}, nil)
	}
	os.Exit(f.Exit)
}

func (f Fake) print() {
	piece := f.Piece
	if piece == 0 {
		piece = len(f.Stdout)
	}
	for rest := f.Stdout; rest != ""; {
		n := min(piece, len(rest))
		if _, err := os.Stdout.WriteString(rest[:n]); err != nil {
			os.Exit(98) // nobody reads any more
		}
		rest = rest[n:]
	}
}

// AwaitReady returns when the stand-in at path has written its output.
func AwaitReady(t testing.TB, path string) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(path + readySuffix); err == nil {
			return
		}
	}
	t.Error("the stand-in did not start")
}

// extra reads the file that --ignore-file names, when that is a descriptor.
func extra() string {
	for _, arg := range os.Args {
		if name, ok := strings.CutPrefix(arg, "--ignore-file=/dev/fd/"); ok {
			text, _ := os.ReadFile("/proc/self/fd/" + name)
			return string(text)
		}
	}
	return ""
}

// Install makes a stand-in executable at path that behaves as f.
func (f Fake) Install(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+fakeSuffix, text, 0o600); err != nil {
		return err
	}
	return os.Symlink(self, path)
}

// ReadSeen returns what the stand-in at path was last started with.
func ReadSeen(path string) (Seen, error) {
	var seen Seen
	text, err := os.ReadFile(path + seenSuffix)
	if err == nil {
		err = json.Unmarshal(text, &seen)
	}
	return seen, err
}
