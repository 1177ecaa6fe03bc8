package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// install writes a stand-in for the sidecar: a script, so that any driver can
// run it. It leaves the names of its environment beside itself.
func (f fakeRG) install(path string) error {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	b.WriteString(`tr '\0' '\n' </proc/$$/environ >"$0.env"` + "\n")
	if f.IgnoreTerm {
		b.WriteString("trap '' TERM\n")
	}
	b.WriteString(`cat "$0.stdout"` + "\n" + `cat "$0.stderr" >&2` + "\n")
	if f.Sleep > 0 {
		fmt.Fprintf(&b, "sleep %g\n", f.Sleep)
	}
	if f.Signal != "" {
		fmt.Fprintf(&b, "kill -%s $$\n", f.Signal)
	}
	fmt.Fprintf(&b, "exit %d\n", f.Exit)
	for suffix, text := range map[string]string{"": b.String(), ".stdout": f.Stdout, ".stderr": f.Stderr} {
		if err := os.WriteFile(path+suffix, []byte(text), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// listing makes the output of a stand-in, written in lines, a list as glob asks for
// it: a name may hold a line end, so names end in NUL. What is listed must be
// there, since a glob leaves out what has vanished. dir is the searched directory.
func (f *fakeRG) listing(dir string) error {
	if strings.Contains(f.Stdout, "\x00") {
		return nil
	}
	for i, name := range strings.Split(strings.TrimSuffix(f.Stdout, "\n"), "\n") {
		path := dir + "/" + name
		if name == "" || filepath.IsAbs(name) {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		at := unix.Timespec{Sec: firstMtime + int64(i)}
		if err := (treeEntry{Content: "x\n"}).plant("", path, at); err != nil {
			return err
		}
	}
	f.Stdout = strings.ReplaceAll(f.Stdout, "\n", "\x00")
	return nil
}

// seenEnv returns the names of the variables that the stand-in was given.
func seenEnv(path string) ([]string, error) {
	text, err := os.ReadFile(path + ".env")
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, strings.TrimSpace(name))
	}
	return names, nil
}

// provide makes the path of a call that the tree lacks. A missing path is
// refused before any sidecar runs, and these cases are about what it says.
func provide(base, path string) error {
	if path == "" || filepath.IsAbs(path) {
		return nil
	}
	return mkdirAll(base + "/" + path)
}
