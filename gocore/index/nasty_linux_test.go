package index_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

func choose[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomGrep is a grep of any kind that code may ask for.
func randomGrep(r *rand.Rand) search.GrepRequest {
	req := search.GrepRequest{
		Pattern: choose(r, "foo", "needle", "Foo|xxx", "fo+", "filler", "é", "func main", "foo bar", `a\b`, "nothing here", "foo(", "kelvin", `\bFoo`, "(?i)foo", "foo$", `needle\r`, `(foo)\1`, "a", "xxxxxxx", "Fooneedle", "[fF]oo.*needle"),
		Include: choose(r, "", "", "", "*.go", "a/**", "*", "**/b*", "[ab]", "{a,b}", ".*", "...", "x*", "/a/*", "é/"),
		Case:    choose(r, search.CaseSensitive, search.CaseSensitive, search.CaseInsensitive, search.CaseSmart),
		Literal: r.IntN(5) == 0, Multiline: r.IntN(5) == 0,
	}
	switch r.IntN(5) {
	case 0:
		req.Before, req.After = r.IntN(3), r.IntN(3)
	case 1:
		req.FilesOnly = true
	case 2:
		req.Count = true
	}
	return req
}

func randomGlob(r *rand.Rand) search.GlobRequest {
	return search.GlobRequest{Pattern: choose(r, "*", "**/*.go", "*.go", "a/**", "**", "b", "/a/*", "*/*", "[ab]", "{a,b}", "build/*", "**/.hid", ".git/**", "a/b", "no*", "é", "?", "./a", "**/b/**", "x.log", "*/*/*", "...", "[")}
}

// places are a tree's directories and files, as a call's path names them.
func places(top string) (all []string) {
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != top {
			if rel := strings.TrimPrefix(path, top+"/"); d.IsDir() || d.Type().IsRegular() {
				all = append(all, rel)
			}
		}
		return nil
	})
	return all
}

// variable reports whether a tree has a file of which ripgrep's own answer varies:
// with its first NUL behind the first buffer.
func variable(top string) (is bool) {
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			is = is || bytes.IndexByte(text, 0) >= 32<<10
		}
		return nil
	})
	return is
}

// Rule: with an index every answer is the same, byte for byte, in any tree, and when
// things change between two answers.
func TestNastyTrees(t *testing.T) {
	random := rand.New(rand.NewPCG(uint64(often(1)), 12))
	used, calls, reasons := 0, 0, map[string]int{}
	for tree := range often(30) {
		base := scratch(t)
		top := base + "/top"
		require.NoError(t, os.Mkdir(top, 0o755))
		coretest.NastyTree(t, random, top)
		if variable(top) {
			os.RemoveAll(base)
			continue
		}
		p := newPair(t, func(c *search.Config) {
			c.Order = choose(random, search.OrderModified, search.OrderPath, search.OrderModifiedDesc)
		})
		refused := made(t, p.set, top)
		reasons["made "+refused]++
		var all []string
		for _, place := range places(top) {
			if info, err := os.Stat(top + "/" + place); err == nil && (info.IsDir() || random.IntN(8) == 0) {
				all = append(all, place, "")
			}
		}
		all = append(all, "")
		for call := range 8 {
			if call%2 == 1 { // something happens, and the next answer has to know
				disturb(random, top)
			}
			path := choose(random, all...)
			if _, err := os.Stat(top + "/" + path); err != nil {
				path = ""
			}
			var want, got string
			var use search.IndexUse
			var what any
			if random.IntN(3) == 0 {
				req := randomGlob(random)
				req.Path, what = path, req
				want, got, use = p.glob(t, top, req)
				what = req
			} else {
				req := randomGrep(random)
				req.Path = path
				want, got, use = p.grep(t, top, req)
				what = req
			}
			calls++
			reasons[use.Reason]++
			if use.Used == search.UsedBarrier {
				used++
			}
			require.Equal(t, want, got, "tree %d, %+v, %+v", tree, what, use)
		}
		p.set.Close()
		os.RemoveAll(base)
	}
	assert.Positive(t, used)
	t.Logf("%d calls, the index answered %d: %v", calls, used, reasons)
}

// disturb changes a little in a tree.
func disturb(r *rand.Rand, top string) {
	all := places(top)
	if len(all) == 0 {
		return
	}
	at := top + "/" + choose(r, all...)
	info, err := os.Lstat(at)
	if err != nil {
		return
	}
	switch r.IntN(7) {
	case 0:
		os.RemoveAll(at)
	case 1:
		os.Rename(at, filepath.Dir(at)+"/moved")
	case 2:
		os.WriteFile(filepath.Dir(at)+"/.ignore", []byte("a\n*.go\n"), 0o644)
	case 3:
		os.Chmod(at, info.Mode().Perm()^0o111)
	case 4:
		if info.IsDir() {
			os.WriteFile(at+"/new.go", []byte("foo needle\n"), 0o644)
		}
	default:
		if info.Mode().IsRegular() {
			os.WriteFile(at, []byte("Foo needle foo bar\n"), 0o644)
		}
	}
}
