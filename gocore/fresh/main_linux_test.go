package fresh_test

import (
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/fresh"
)

func TestMain(m *testing.M) {
	if args := os.Getenv(writerVariable); args != "" {
		runWriter(args)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// often is how many times a random test tries: a bounded number, and by hand as
// many as HYDRA_LONG says.
func often(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("HYDRA_LONG")); err == nil && n > 0 {
		return n
	}
	return usual
}

var plenty = fresh.Options{MaxFiles: 100_000, MaxWatches: 50_000}

// scratch is a folder on a file system that can be watched.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

// watch opens a tree; the test fails when it cannot be watched.
func watch(t testing.TB, root string) *fresh.Tree {
	t.Helper()
	tree, lost := fresh.Open(root, plenty)
	require.Empty(t, lost, "%s: temporary files have to lie on a file system that can be watched", root)
	t.Cleanup(tree.Close)
	return tree
}

// content is what a tag says of a file that was read: never 0.
func content(path string) uint64 {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return 1
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	h := fnv.New64a()
	io.Copy(h, f)
	return h.Sum64() | 2
}

// absorb reads everything that changed.
func absorb(tree *fresh.Tree, root string) {
	tree.Lock()
	var readings []fresh.Reading
	var paths []string
	for f := range tree.EachChanged() {
		readings, paths = append(readings, tree.Read(f)), append(paths, f.Path())
	}
	tree.Unlock()
	for i, r := range readings {
		tag := content(root + "/" + paths[i])
		tree.Lock()
		tree.Learn(r, tag)
		tree.Unlock()
	}
}

// misses compares what is believed with the truth: names, contents and times.
func misses(tree *fresh.Tree, root string) (wrong []string) {
	tree.Lock()
	defer tree.Unlock()
	known := map[string]*fresh.File{}
	tree.Root().Walk(func(rel string, f *fresh.File) { known[rel] = f }, nil)
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		f := known[rel]
		delete(known, rel)
		info, err := d.Info()
		switch {
		case f == nil:
			wrong = append(wrong, "unknown "+rel)
		case f.Path() != rel:
			wrong = append(wrong, "misnamed "+rel)
		case f.Tag != 0 && f.Tag != content(path):
			wrong = append(wrong, "stale "+rel)
		case err == nil && (info.ModTime().Unix() != f.Sec || info.ModTime().Nanosecond() != int(f.Nsec) || info.Size() != f.Size):
			wrong = append(wrong, "misdated "+rel)
		}
		return nil
	})
	for rel := range known {
		wrong = append(wrong, "ghost "+rel)
	}
	return wrong
}
