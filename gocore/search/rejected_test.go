package search_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: what ripgrep rejects is SEARCH_INVALID_PATTERN whatever the wording, and
// the message says what to write instead.
func TestRejectedPatterns(t *testing.T) {
	root := coretest.Tree(t, "a: foo( interface{} x", "regex parse error/x: y")
	s := pinned(t)
	for pattern, want := range map[string]struct{ message, suggestion string }{
		"foo(":        {`ripgrep rejected the pattern "foo(": unclosed group; to search for the text itself, write foo\(`, `foo\(`},
		"interface{}": {`ripgrep rejected the pattern "interface{}": repetition quantifier expects a valid decimal; to search for the text itself, write interface\{\}`, `interface\{\}`},
		"[":           {`ripgrep rejected the pattern "[": unclosed character class; to search for the text itself, write \[`, `\[`},
		"a)":          {`ripgrep rejected the pattern "a)": unopened group; to search for the text itself, write a\)`, `a\)`},
		"*":           {`ripgrep rejected the pattern "*": repetition operator missing expression; to search for the text itself, write \*`, `\*`},
		"a{2,1}":      {`ripgrep rejected the pattern "a{2,1}": invalid repetition count range, the start must be <= the end; to search for the text itself, write a\{2,1\}`, `a\{2,1\}`},
		`\y(`:         {`ripgrep rejected the pattern "\\y(": unrecognized escape sequence; correct it, or escape the characters that are meant literally`, ""},
		`\p{Nope}`:    {`ripgrep rejected the pattern "\\p{Nope}": Unicode property not found; correct it, or escape the characters that are meant literally`, ""},
		`a\`:          {`ripgrep rejected the pattern "a\\": it ends in a lone backslash; write \\ for the character`, ""},
		`foo\nbar`:    {`ripgrep rejected the pattern "foo\\nbar": a pattern matches within one line, and this one needs a line end; search for one of its lines, or from code set multiline`, ""},
		"foo\nbar":    {`ripgrep rejected the pattern "foo\nbar": a pattern matches within one line, and this one needs a line end; search for one of its lines, or from code set multiline`, ""},
		`[\n]`:        {`ripgrep rejected the pattern "[\\n]": a pattern matches within one line, and this one needs a line end; search for one of its lines, or from code set multiline`, ""},
		`\x00`:        {`ripgrep rejected the pattern "\\x00": files with NUL bytes are binary and not searched; leave the NUL out`, ""},
		`\w{999999}`:  {`ripgrep rejected the pattern "\\w{999999}": the compiled pattern is too large; use smaller repetition counts`, ""},
		"(?<=a+)b":    {`ripgrep rejected the pattern "(?<=a+)b": length of lookbehind assertion is not limited; to search for the text itself, write \(\?<=a\+\)b`, `\(\?<=a\+\)b`},
		"(?=a)(":      {`ripgrep rejected the pattern "(?=a)(": missing closing parenthesis; to search for the text itself, write \(\?=a\)\(`, `\(\?=a\)\(`},
	} {
		t.Run(pattern, func(t *testing.T) {
			e := grepError(t, s, root, search.GrepRequest{Pattern: pattern})
			assert.Equal(t, search.InvalidPattern, e.Code)
			assert.Equal(t, want.message, e.Message)
			assert.Equal(t, want.suggestion, e.Details.Suggestion)
			assert.NotEmpty(t, e.Details.Stderr)
			if want.suggestion != "" {
				grep(t, s, root, search.GrepRequest{Pattern: want.suggestion}) // what is suggested is a pattern
			}
		})
	}
	// A path decides nothing.
	assert.Empty(t, grep(t, s, root, search.GrepRequest{Pattern: "none", Path: "regex parse error"}).Matches)
}

// A long pattern is rejected with its reason, whatever the budget of stderr.
func TestRejectedLongPattern(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	long := strings.Repeat("x", 90_000) + "("
	for _, budget := range []int{1, 200, 1 << 16, 1 << 20} {
		e := grepError(t, pinned(t, stderrMax(budget)), root, search.GrepRequest{Pattern: long})
		assert.Equal(t, search.InvalidPattern, e.Code)
		assert.Contains(t, e.Message, "unclosed group; correct it, or escape")
		assert.Less(t, len(e.Message), 500)
		assert.LessOrEqual(t, len(e.Details.Stderr), budget+len("[stderr truncated]\n"))
	}
	// So is one that the other engine takes.
	g := grep(t, pinned(t, stderrMax(1)), root, search.GrepRequest{Pattern: "(?=x)x|" + strings.Repeat("y", 20_000)})
	assert.Equal(t, []string{"a:1:x"}, lines(g))
}

// Rule: rejected globs are, too, and are shown as they were written.
func TestRejectedGlobs(t *testing.T) {
	root := coretest.Tree(t, "src/a: x", "b: x")
	s := pinned(t)
	for pattern, message := range map[string]string{
		"*.{ts,tsx":   `the glob "*.{ts,tsx" is not valid: a "{" is not closed; close it, or write \{ for the character`,
		"src/a}":      `the glob "src/a}" is not valid: a "}" closes no "{"; write \} for the character`,
		"./src/[":     `the glob "./src/[" is not valid: a "[" is not closed; close it, or write \[ for the character`,
		"[z-a]":       `the glob "[z-a]" is not valid: a range in brackets runs backwards; write the lower character first`,
		`a\`:          `the glob "a\\" is not valid: it ends in a lone "\"; write \\ for the character`,
		"nowhere/*.{": `the glob "nowhere/*.{" is not valid: a "{" is not closed; close it, or write \{ for the character`,
	} {
		e := globError(t, s, root, pattern, "")
		assert.Equal(t, search.InvalidPattern, e.Code)
		assert.Equal(t, message, e.Message)
		e = grepError(t, s, root, search.GrepRequest{Pattern: "x", Include: pattern})
		assert.Equal(t, search.InvalidPattern, e.Code)
		assert.Equal(t, "include: "+message, e.Message)
	}
	e := globError(t, s, root, strings.Repeat("[a", 40_000), "")
	assert.Less(t, len(e.Message), 500)
}

// Rule: look-around and back-references are run with PCRE2, nothing else is.
func TestLookAroundAndBackReferences(t *testing.T) {
	root := coretest.Tree(t, "a: foobar", "b: foobaz", "c: abab", "d: a{2 one")
	s := pinned(t)
	for pattern, want := range map[string][]string{
		"foo(?=bar)": {"a"}, "foo(?!bar)": {"b"}, "(?<=foo)ba.": {"a", "b"}, `(ab)\1`: {"c"}, `(?<x>ab)\k<x>`: {"c"}, `(?P<x>ab)(?P=x)`: {"c"}, `(ab)\g{1}`: {"c"}, `(ab)\g1`: {"c"}, "(?=foo)(?i)FOO": {"a", "b"}, `(?=f)[^\n]*r`: {"a"},
	} {
		g := grep(t, s, root, search.GrepRequest{Pattern: pattern})
		assert.Equal(t, want, files(g), pattern)
		assert.Equal(t, []string{"PCRE2 the pattern uses look-around or back-references and was run with PCRE2"}, notes(g.Report))
		assert.Equal(t, []string{want[0]}, files(grep(t, s, root, search.GrepRequest{Pattern: pattern, Path: want[0], Include: "*"})), "in a file")
	}
	assert.Empty(t, notes(grep(t, s, root, search.GrepRequest{Pattern: "foo"}).Report))
	// What PCRE2 would take and never find is an error all the same.
	for pattern, message := range map[string]string{
		`(?=foo)foobar\n`: "needs a line end", `(?=foo)foo\x0abar`: "needs a line end", `(a)\1\R`: "needs a line end", `(?=a)\x00`: "leave the NUL out", `(?=a)a\0`: "leave the NUL out",
		`a{2(`: "unclosed counted repetition", `one\ntwo`: "needs a line end",
	} {
		e := grepError(t, s, root, search.GrepRequest{Pattern: pattern})
		assert.Equal(t, search.InvalidPattern, e.Code, pattern)
		assert.Contains(t, e.Message, message, pattern)
	}
	// In several lines, a line end is found by either engine.
	root = coretest.Tree(t, "a: foo\nbar\n")
	assert.Equal(t, []string{"a:1:foo\nbar"}, lines(grep(t, s, root, search.GrepRequest{Pattern: `(?=f)foo\nbar`, Multiline: true})))
	assert.Equal(t, []string{"a:1:foo\nbar"}, lines(grep(t, s, root, search.GrepRequest{Pattern: `foo\nbar`, Multiline: true})))
}

// A sidecar whose words are odd decides by its exit status and its summary.
func TestRejectionIsDecidedByWhatHappened(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	for name, tc := range map[string]struct {
		fake coretest.Fake
		code search.Code
	}{
		"new words for a bad pattern":    {coretest.Fake{Exit: 2, Stderr: "rg: this will not do\n"}, search.InvalidPattern},
		"words of the system":            {coretest.Fake{Exit: 2, Stderr: "rg: locked: Permission denied (os error 13)\n"}, search.Failed},
		"no words":                       {coretest.Fake{Exit: 2}, search.Failed},
		"not its words":                  {coretest.Fake{Exit: 2, Stderr: "no regex parse error\n"}, search.Failed},
		"words without a name":           {coretest.Fake{Exit: 2, Stderr: "regex parse error:\n    (\n    ^\nerror: unclosed group\n"}, search.InvalidPattern},
		"a path that reads like a error": {coretest.Fake{Exit: 2, Stderr: "rg: ./regex parse error: Permission denied (os error 13)\n", Stdout: summary}, ""},
		"a search that was begun":        {coretest.Fake{Exit: 2, Stderr: "rg: gone wrong\n", Stdout: summary}, search.Failed},
		"results before":                 {coretest.Fake{Exit: 2, Stderr: "rg: gone wrong\n", Stdout: hit("./a", 1, "x")}, search.Failed},
		"another status":                 {coretest.Fake{Exit: 3, Stderr: "rg: regex parse error:\n"}, search.Failed},
		"an unknown glob":                {coretest.Fake{Exit: 2, Stderr: "rg: error parsing glob 'x': odd\n"}, search.InvalidPattern},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := fake(t, tc.fake)
			if tc.code == "" {
				assert.Len(t, grep(t, s, root, search.GrepRequest{Pattern: "x"}).Warnings, 1)
				return
			}
			e := grepError(t, s, root, search.GrepRequest{Pattern: "x"})
			assert.Equal(t, tc.code, e.Code)
			assert.Equal(t, 2+b2i(tc.fake.Exit == 3), e.Details.ExitCode)
		})
	}
	s, _ := fake(t, coretest.Fake{Exit: 2, Stderr: "rg: error parsing glob 'x': odd\n"})
	assert.Equal(t, search.InvalidPattern, globError(t, s, root, "x", "").Code)
	s, _ = fake(t, coretest.Fake{Exit: 2, Stderr: "rg: something else\n"})
	assert.Equal(t, search.Failed, globError(t, s, root, "x", "").Code)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
