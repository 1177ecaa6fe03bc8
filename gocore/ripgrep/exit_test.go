package ripgrep

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// read gives a text to a Diagnostics in pieces of a size.
func read(t *testing.T, text string, size int) (*Diagnostics, error) {
	t.Helper()
	d := &Diagnostics{}
	for rest := text; rest != ""; {
		n := min(size, len(rest))
		if _, err := d.Write([]byte(rest[:n])); err != nil {
			return d, err
		}
		rest = rest[n:]
	}
	return d, d.Close()
}

func TestDiagnosticsTellsKindsApart(t *testing.T) {
	denied := func(path string) Diagnostic { return Diagnostic{path, "Permission denied"} }
	for name, tc := range map[string]struct {
		stderr               string
		unreadable, vanished []Diagnostic
		root                 *Diagnostic
		rejected             string
		other                bool
	}{
		"nothing":                   {stderr: ""},
		"a locked directory":        {stderr: "rg: ./locked: Permission denied (os error 13)\n", unreadable: []Diagnostic{denied("locked")}},
		"without a final line end":  {stderr: "rg: ./locked: Permission denied (os error 13)", unreadable: []Diagnostic{denied("locked")}},
		"from a single thread":      {stderr: "rg: ./d/l: IO error for operation on ./d/l: Permission denied (os error 13)\n", unreadable: []Diagnostic{denied("d/l")}},
		"an absolute operand":       {stderr: "rg: /srv/x: Permission denied (os error 13)\n", unreadable: []Diagnostic{denied("/srv/x")}},
		"a colon in the name":       {stderr: "rg: ./a: b: Permission denied (os error 13)\n", unreadable: []Diagnostic{denied("a: b")}},
		"a name like a phrase":      {stderr: "rg: ./x: IO error for operation on y: Permission denied (os error 13)\n", unreadable: []Diagnostic{denied("x: IO error for operation on y")}},
		"a line end in the name":    {stderr: "rg: ./a\nb: Permission denied (os error 13)\nrg: ./c: Permission denied (os error 13)\n", unreadable: []Diagnostic{denied("a\nb"), denied("c")}},
		"a prefix in the name":      {stderr: "rg: ./a\nrg: ./b: Permission denied (os error 13)\n", unreadable: []Diagnostic{denied("a\nrg: ./b")}},
		"one thread and a line end": {stderr: "rg: ./a\nb: IO error for operation on ./a\nb: Permission denied (os error 13)\n", unreadable: []Diagnostic{denied("a\nb")}},
		"a panic's words in a name": {stderr: "rg: ./x\nfailed to spawn thread: Permission denied (os error 13)\n", unreadable: []Diagnostic{denied("x\nfailed to spawn thread")}},
		"the same in one line":      {stderr: "rg: ./failed to spawn thread: Permission denied (os error 13)\n", unreadable: []Diagnostic{denied("failed to spawn thread")}},
		"vanished":                  {stderr: "rg: ./f: No such file or directory (os error 2)\n", vanished: []Diagnostic{{"f", "No such file or directory"}}},
		"number 20 is not 2":        {stderr: "rg: ./f: Not a directory (os error 20)\n", unreadable: []Diagnostic{{"f", "Not a directory"}}},
		"an engine gives up":        {stderr: "rg: ./e.txt: PCRE2: error matching: match limit exceeded\n", unreadable: []Diagnostic{{"e.txt", "PCRE2: error matching: match limit exceeded"}}},
		"two engines give up":       {stderr: "rg: ./e: PCRE2: error matching: a\nrg: ./f: PCRE2: error matching: b\n", unreadable: []Diagnostic{{"e", "PCRE2: error matching: a"}, {"f", "PCRE2: error matching: b"}}},
		"no name at all":            {stderr: "rg: Permission denied (os error 13)\nrg: ./b: Permission denied (os error 13)\n", unreadable: []Diagnostic{denied(""), denied("b")}},
		"the root":                  {stderr: "rg: .: Permission denied (os error 13)\n", root: &Diagnostic{".", "Permission denied"}},
		"a pattern":                 {stderr: "rg: regex parse error:\n    (?:foo()\n    ^\nerror: unclosed group\n", rejected: "unclosed group", other: true},
		"another wording":           {stderr: "rg: the literal \"\\n\" is not allowed in a regex\n", other: true},
		"not ripgrep's":             {stderr: "weird\nerror\n"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 7, 1 << 20} {
				d, err := read(t, tc.stderr, size)
				require.NoError(t, err)
				assert.Equal(t, tc.unreadable, d.Unreadable.First)
				assert.Equal(t, len(tc.unreadable), d.Unreadable.Count)
				assert.Equal(t, tc.vanished, d.Vanished.First)
				assert.Equal(t, len(tc.vanished), d.Vanished.Count)
				assert.Equal(t, tc.root, d.Root)
				assert.Equal(t, tc.rejected, d.Rejected)
				assert.Equal(t, tc.other, d.Other)
			}
		})
	}
}

func TestDiagnosticsRefusesASidecarWithoutThreads(t *testing.T) {
	for name, stderr := range map[string]string{
		"as 15.0.0 says it": "\nthread 'main' panicked at /rustc/6b/library/std/src/thread/mod.rs:729:29:\nfailed to spawn thread: Os { code: 11, kind: WouldBlock, message: \"Resource temporarily unavailable\" }\n",
		"in one line":       "thread 'main' panicked at 'failed to spawn thread: Os { code: 11 }', src/main.rs:1\n",
		"after diagnostics": "rg: ./a: Permission denied (os error 13)\nfailed to spawn thread: no\n",
		"with no line end":  "failed to spawn thread: no",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, stderr, 16)
			assert.ErrorIs(t, err, ErrThreads)
		})
	}
}

func TestDiagnosticsCountsAllAndNamesTheFirst(t *testing.T) {
	var up, down strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&up, "rg: ./d%03d: Permission denied (os error 13)\n", i)
		fmt.Fprintf(&down, "rg: ./d%03d: Permission denied (os error 13)\n", 999-i)
	}
	first, err := read(t, up.String(), 1<<16)
	require.NoError(t, err)
	second, err := read(t, down.String(), 1<<16)
	require.NoError(t, err)
	assert.Equal(t, 1000, first.Unreadable.Count)
	assert.Len(t, first.Unreadable.First, maxNamed)
	assert.Equal(t, "d000", first.Unreadable.First[0].Path)
	assert.Equal(t, first.Unreadable, second.Unreadable, "threads report in any order")
	assert.Equal(t, 1000, first.Entries())
}

func TestDiagnosticsOfLevelsThatHoldNothing(t *testing.T) {
	text := "rg: ./a: Permission denied (os error 13)\nrg: ./b/c: Permission denied (os error 13)\nrg: ./d/e/f: No such file or directory (os error 2)\n"
	for levels, want := range []struct{ entries, beside int }{{3, 0}, {0, 3}, {1, 2}, {2, 1}, {3, 0}} {
		d := &Diagnostics{Levels: levels}
		_, err := d.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, d.Close())
		assert.Equal(t, want.entries, d.Entries(), levels)
		assert.Equal(t, want.beside, d.Beside, levels)
	}
	d := &Diagnostics{Levels: 1}
	_, err := d.Write([]byte("rg: .: Permission denied (os error 13)\n"))
	require.NoError(t, err)
	require.NoError(t, d.Close())
	assert.NotNil(t, d.Root)
}

func TestDiagnosticsHoldsLittleOfALongLine(t *testing.T) {
	d := &Diagnostics{}
	piece := []byte(strings.Repeat("x", 1<<20))
	for range 64 {
		n, err := d.Write(piece)
		require.NoError(t, err)
		require.Equal(t, len(piece), n)
	}
	assert.LessOrEqual(t, len(d.partial), maxLine)
	require.NoError(t, d.Close())
	assert.Equal(t, 0, d.Entries())

	_, err := d.Write([]byte("rg: ./a\n" + strings.Repeat("y\n", 1<<20)))
	require.NoError(t, err)
	assert.Less(t, len(d.pending), 2*maxLine)
}
