package coretest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Tree makes files under a fresh scratch directory and returns its path with
// links resolved. Each entry is "path" (a directory when it ends in "/"),
// "path -> target" (a symbolic link), "path |" (a FIFO), or "path: content".
// Modification times rise by one second an entry.
func Tree(t testing.TB, entries ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	Grow(t, root, entries...)
	return root
}

// Grow adds entries as Tree does to an existing directory.
func Grow(t testing.TB, root string, entries ...string) {
	t.Helper()
	for i, entry := range entries {
		if err := plant(root, entry, time.Unix(1_600_000_000+int64(i), 0)); err != nil {
			t.Fatal(err)
		}
	}
}

func plant(root, entry string, mtime time.Time) error {
	name, content, _ := strings.Cut(entry, ": ")
	link, target, isLink := strings.Cut(entry, " -> ")
	if isLink {
		name = link
	}
	fifo := strings.HasSuffix(name, " |")
	path := root + "/" + strings.TrimSuffix(name, " |")
	if err := os.MkdirAll(filepath.Dir(strings.TrimSuffix(path, "/")), 0o755); err != nil {
		return err
	}
	switch {
	case isLink:
		return os.Symlink(target, path)
	case fifo:
		return syscall.Mkfifo(path, 0o644)
	case strings.HasSuffix(name, "/"):
		return os.MkdirAll(path, 0o755)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		return fmt.Errorf("plant %q: %w", entry, err)
	}
	return os.Chtimes(path, mtime, mtime)
}
