package search_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// write makes files whose names or contents an entry of a tree cannot say.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := root + "/" + name
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
}

// Rule: paths are read whole, whatever bytes are in them.
func TestNamesOfAnyBytes(t *testing.T) {
	root := coretest.Tree(t)
	names := []string{"a\nb", "c\r", "\r\n", " ", "  x  ", `back\slash`, `q"uote`, "tab\t", "\x1b[0m", "日本", "e\u0301", "-n", "--", "a: b", "\u2028", "\x7f", "*", "?", "[", "{", "}", "!x", "#x", "~", ".hid\nden"}
	contents := map[string]string{}
	for _, n := range names {
		contents[n] = "needle"
		contents["dir "+n+"/f"] = "needle"
	}
	write(t, root, contents)
	s := pinned(t, orderBy(search.OrderPath))
	r := glob(t, s, root, "*", "")
	assert.Len(t, r.Paths, 2*len(names))
	assert.Nil(t, r.PathBytes)
	for _, n := range names {
		assert.Contains(t, r.Paths, n)
		assert.Contains(t, r.Paths, "dir "+n+"/f")
		assert.Equal(t, []string{"dir " + n + "/f"}, glob(t, s, root, "f", "dir "+n).Paths, "%q as path", n)
		assert.Equal(t, []string{n}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle", Path: n})), "%q as file", n)
	}
	g := files(grep(t, s, root, search.GrepRequest{Pattern: "needle"}))
	assert.Len(t, g, 2*len(names)-1, "all but the hidden one")
	assert.Contains(t, g, "a\nb")
}

// Rule: a name that is not UTF-8 never fails a search: it is displayed escaped,
// and its bytes stand beside it.
func TestNamesThatAreNotUTF8(t *testing.T) {
	root := coretest.Tree(t)
	write(t, root, map[string]string{"bad\xff.txt": "needle", "d\xfe/x.txt": "needle", "good.txt": "needle", `bad\xff.txt`: "needle", "\xe4\xb8": "needle"})
	s := pinned(t, orderBy(search.OrderPath))
	r := glob(t, s, root, "*", "")
	assert.Equal(t, []string{`bad\xff.txt`, `bad\xff.txt`, `d\xfe/x.txt`, "good.txt", `\xe4\xb8`}, r.Paths)
	assert.Equal(t, search.PathBytes{1: []byte("bad\xff.txt"), 2: []byte("d\xfe/x.txt"), 4: []byte("\xe4\xb8")}, r.PathBytes)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"1":"`+base64.StdEncoding.EncodeToString([]byte("bad\xff.txt"))+`"`)

	g := grep(t, s, root, search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, []string{`bad\xff.txt:1:needle`, `bad\xff.txt:1:needle`, `d\xfe/x.txt:1:needle`, "good.txt:1:needle", `\xe4\xb8:1:needle`}, lines(g))
	assert.Nil(t, g.Matches[0].PathBytes)
	assert.Equal(t, []byte("bad\xff.txt"), g.Matches[1].PathBytes)

	// As a path, its bytes are taken; wildcards match it in a pattern.
	r = glob(t, s, root, "*", "d\xfe")
	assert.Equal(t, `d\xfe`, r.Root)
	assert.Equal(t, []byte("d\xfe"), r.RootBytes)
	assert.Equal(t, []string{`d\xfe/x.txt`}, r.Paths)
	assert.Equal(t, search.PathBytes{0: []byte("d\xfe/x.txt")}, r.PathBytes)
	write(t, root, map[string]string{"d\xfe/sub/y": "other"})
	r = glob(t, s, root, "sub/*", "d\xfe")
	assert.Equal(t, []string{`d\xfe/sub/y`}, r.Paths)
	assert.Equal(t, search.PathBytes{0: []byte("d\xfe/sub/y")}, r.PathBytes)
	r = glob(t, s, root, "d?/sub/*", root)
	assert.Equal(t, []string{`d\xfe/sub/y`}, r.Paths)
	assert.Equal(t, []string{`bad\xff.txt:1:needle`}, lines(grep(t, s, root, search.GrepRequest{Pattern: "needle", Path: "bad\xff.txt"})))
	assert.Len(t, glob(t, s, root, "bad?.txt", "").Paths, 1)
	assert.Len(t, glob(t, s, root, "bad*.txt", "").Paths, 2)
	assert.Equal(t, []string{`d\xfe/x.txt`}, glob(t, s, root, "d?/*", "").Paths)
	assert.Equal(t, []string{`d\xfe/x.txt`}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle", Include: "d?/*"})))
	// A missing one is named readably.
	assert.Equal(t, `path "no\xff" does not exist`, globError(t, s, root, "*", "no\xff").Message)
}

// Rule: the slice of exact bytes that goes with a page counts from its start.
func TestPathBytesOfAPage(t *testing.T) {
	p := search.PathBytes{1: []byte("b"), 5: []byte("f"), 9: []byte("j")}
	assert.Equal(t, search.PathBytes{0: []byte("f"), 4: []byte("j")}, p.Slice(5, 10))
	assert.Equal(t, search.PathBytes{}, p.Slice(2, 5))
	assert.Nil(t, search.PathBytes(nil).Slice(0, 3))
}

// Rule: a line that is not UTF-8 is decoded lossily, and the hit stays the hit.
func TestLinesThatAreNotUTF8(t *testing.T) {
	root := coretest.Tree(t)
	write(t, root, map[string]string{
		"gbk.c":    "\xd6\xd0\xce\xc4 needle \xd6\xd0\n",
		"latin1.c": "caf\xe9 needle\n",
		"cut.c":    "\xe4\xb8 needle\n",
		"ok.c":     "中文 needle\n",
	})
	g := grep(t, pinned(t), root, search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, []string{"cut.c:1:\ufffd needle", "gbk.c:1:\ufffd\ufffd\ufffd\ufffd needle \ufffd\ufffd", "latin1.c:1:caf\ufffd needle", "ok.c:1:中文 needle"}, lines(g))
	for _, m := range g.Matches {
		assert.Equal(t, strings.Index(m.Line, "needle"), m.Hit, m.Path)
	}
}

// Rule: "$" matches before CRLF and one final CR goes. Documented: a lone CR is a
// line end to "^" and "$", too.
func TestLineEnds(t *testing.T) {
	root := coretest.Tree(t)
	write(t, root, map[string]string{
		"crlf": "foo\r\nbar foo\r\n", "lf": "foo\nbar foo\n", "lone": "foo\r", "double": "foo\r\r\n", "inner": "foo\rbar\n", "none": "foo", "blank": "\r\n\n",
	})
	s := pinned(t)
	for pattern, want := range map[string][]string{
		"foo$":        {"crlf:1:foo", "crlf:2:bar foo", "double:1:foo\r", "inner:1:foo\rbar", "lf:1:foo", "lf:2:bar foo", "lone:1:foo", "none:1:foo"},
		"^foo$":       {"crlf:1:foo", "double:1:foo\r", "inner:1:foo\rbar", "lf:1:foo", "lone:1:foo", "none:1:foo"},
		"^$":          {"blank:1:", "blank:2:", "double:1:foo\r", "lone:1:foo"},
		"^bar":        {"crlf:2:bar foo", "inner:1:foo\rbar", "lf:2:bar foo"},
		"(?=f)foo$":   {"crlf:1:foo", "crlf:2:bar foo", "inner:1:foo\rbar", "lf:1:foo", "lf:2:bar foo", "lone:1:foo", "none:1:foo", "double:1:foo\r"},
		"(?i)^FOO\\b": {"crlf:1:foo", "double:1:foo\r", "inner:1:foo\rbar", "lf:1:foo", "lone:1:foo", "none:1:foo"},
	} {
		assert.ElementsMatch(t, want, lines(grep(t, s, root, search.GrepRequest{Pattern: pattern})), pattern)
	}
}

// A pattern that names a carriage return finds it: it is no part of a line end
// then.
func TestCarriageReturnsThatAreNamed(t *testing.T) {
	root := coretest.Tree(t)
	write(t, root, map[string]string{"crlf": "foo\r\n", "lf": "foo\n", "lone": "foo\r", "inner": "foo\rbar\n"})
	s := pinned(t)
	for pattern, want := range map[string][]string{
		`foo\r`: {"crlf", "inner", "lone"}, `\r$`: {"crlf", "lone"}, `foo\x0dbar`: {"inner"}, `foo[\r]b`: {"inner"}, "foo\r": {"crlf", "inner", "lone"},
		`foo\r?$`: {"crlf", "lf", "lone"}, `(?=f)foo\r`: {"crlf", "inner", "lone"}, `(f)o(?<=o)o\x{d}$`: {"crlf", "lone"}, `foo[^\r]`: {},
	} {
		assert.Equal(t, want, files(grep(t, s, root, search.GrepRequest{Pattern: pattern})), pattern)
	}
	assert.Equal(t, []string{"crlf", "inner", "lone"}, files(grep(t, s, root, search.GrepRequest{Pattern: "foo\r", Literal: true})))
	e := grepError(t, s, root, search.GrepRequest{Pattern: `foo\r\n`})
	assert.Equal(t, search.InvalidPattern, e.Code)
	assert.Contains(t, e.Message, "needs a line end")
	m := grep(t, s, root, search.GrepRequest{Pattern: `foo\r\n`, Multiline: true})
	assert.Equal(t, []string{"crlf"}, files(m))
}

// Files in other encodings are searched as text when they say so.
func TestEncodings(t *testing.T) {
	root := coretest.Tree(t)
	write(t, root, map[string]string{
		"utf16le": "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00\r\x00\n\x00",
		"utf16be": "\xfe\xff\x00n\x00e\x00e\x00d\x00l\x00e\x00\n",
		"utf8bom": "\xef\xbb\xbfneedle\n",
		"nobom":   "n\x00e\x00e\x00d\x00l\x00e\x00",
		"binary":  "\x00needle\n",
		"gzip":    "\x1f\x8b\x08needle\x00",
	})
	g := grep(t, pinned(t), root, search.GrepRequest{Pattern: "^.?needle$"})
	assert.Equal(t, []string{"utf16be", "utf16le", "utf8bom"}, files(g))
	for _, m := range g.Matches {
		assert.Equal(t, "needle", strings.TrimPrefix(m.Line, "\ufeff"), m.Path)
	}
}
