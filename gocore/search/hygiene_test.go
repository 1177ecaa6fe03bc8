package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: none of gitignore's line syntax leaks into a pattern.
func TestPatternHygiene(t *testing.T) {
	root := coretest.Tree(t, "#a.txt", "a.txt", "x.txt ", "x.txt", "tab.txt\t", "!neg.txt", "d/#a.txt", "d/!neg.txt", `\#a.txt`)
	s := pinned(t)
	for name, tc := range map[string]struct {
		pattern string
		want    []string
	}{
		"a hash is a literal":              {"#a.txt", []string{"#a.txt", "d/#a.txt"}},
		"and not a comment":                {"#none", []string{}},
		"behind a directory":               {"d/#a.txt", []string{"d/#a.txt"}},
		"behind a slash":                   {"/#a.txt", []string{"#a.txt"}},
		"an escaped hash":                  {`\#a.txt`, []string{"#a.txt", "d/#a.txt", `\#a.txt`}},
		"a trailing blank is a literal":    {"x.txt ", []string{"x.txt "}},
		"and is not added":                 {"x.txt", []string{"x.txt"}},
		"a trailing tab":                   {"tab.txt\t", []string{"tab.txt\t"}},
		"an escaped blank":                 {`x.txt\ `, []string{"x.txt "}},
		"two blanks":                       {"x.txt  ", []string{}},
		"an escaped mark":                  {`\!neg.txt`, []string{"!neg.txt", "d/!neg.txt"}},
		"a mark behind a directory":        {"d/!neg.txt", []string{"d/!neg.txt"}},
		"a mark behind dot slash":          {"./!neg.txt", []string{"!neg.txt", "d/!neg.txt"}},
		"a mark behind slash":              {"/!neg.txt", []string{"!neg.txt"}},
		"a mark behind dot slashes":        {"././/!neg.txt", []string{"!neg.txt", "d/!neg.txt"}},
		"a hash behind dot slash":          {"./#a.txt", []string{"#a.txt", "d/#a.txt"}},
		"dot slash is nothing":             {"./a.txt", []string{"a.txt"}},
		"three times nothing":              {"./././a.txt", []string{"a.txt"}},
		"a dot inside":                     {"d/./#a.txt", []string{"d/#a.txt"}},
		"two slashes inside":               {"d//#a.txt", []string{"d/#a.txt"}},
		"two slashes before":               {"//a.txt", []string{"a.txt"}},
		"a dot behind a slash":             {"/./a.txt", []string{"a.txt"}},
		"dot slash alone is no file":       {"./", []string{}},
		"nor twice":                        {"././", []string{}},
		"nor a dot":                        {".", []string{}},
		"nor a slash":                      {"/", []string{}},
		"nor slashes":                      {"//", []string{}},
		"nor the parent":                   {"..", []string{}},
		"nor the parent with a slash":      {"../", []string{}},
		"nor a tilde":                      {"~", []string{}},
		"a trailing slash matches no file": {"a.txt/", []string{}},
		"a dash":                           {"-", []string{}},
		"options":                          {"--hidden", []string{}},
		"a line end is a literal":          {"a\n.txt", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, glob(t, s, root, tc.pattern, "").Paths)
		})
	}
}

// Rule: a leading "!" is an argument error that says so, as are blanks, NULs,
// lists and what is too long.
func TestArgumentErrors(t *testing.T) {
	root := coretest.Tree(t, "a.txt: x")
	s := pinned(t)
	long := strings.Repeat("x", 1_000_000)
	for name, tc := range map[string]struct {
		argument, want string
		glob           *search.GlobRequest
		grep           *search.GrepRequest
	}{
		"exclusion":        {"pattern", `starts with "!"`, &search.GlobRequest{Pattern: "!*.ts"}, nil},
		"empty glob":       {"pattern", "blank", &search.GlobRequest{}, nil},
		"blank glob":       {"pattern", "blank", &search.GlobRequest{Pattern: " \t\n"}, nil},
		"NUL in a glob":    {"pattern", "NUL", &search.GlobRequest{Pattern: "a\x00b"}, nil},
		"a glob of 1 MB":   {"pattern", "1000000 bytes, at most 100000", &search.GlobRequest{Pattern: long}, nil},
		"no UTF-8":         {"pattern", "UTF-8", &search.GlobRequest{Pattern: "a\xff"}, nil},
		"NUL in path":      {"path", "NUL", &search.GlobRequest{Pattern: "*", Path: "a\x00"}, nil},
		"path of 1 MB":     {"path", "at most 4095", &search.GlobRequest{Pattern: "*", Path: long}, nil},
		"empty regex":      {"pattern", "blank", nil, &search.GrepRequest{}},
		"blank regex":      {"pattern", `"[ ]"`, nil, &search.GrepRequest{Pattern: "  "}},
		"NUL in a regex":   {"pattern", "NUL", nil, &search.GrepRequest{Pattern: "a\x00b"}},
		"a regex of 1 MB":  {"pattern", "write a shorter one", nil, &search.GrepRequest{Pattern: long}},
		"excluding":        {"include", `starts with "!"`, nil, &search.GrepRequest{Pattern: "x", Include: "!*.ts"}},
		"a list":           {"include", `"*.{ts,tsx}"`, nil, &search.GrepRequest{Pattern: "x", Include: "*.ts,*.tsx"}},
		"a spaced list":    {"include", "not a list", nil, &search.GrepRequest{Pattern: "x", Include: "*.ts, *.tsx"}},
		"a list of braces": {"include", "not a list", nil, &search.GrepRequest{Pattern: "x", Include: "{a,b},{c,d}"}},
		"blank include":    {"include", "leave it out", nil, &search.GrepRequest{Pattern: "x", Include: " "}},
		"NUL in include":   {"include", "NUL", nil, &search.GrepRequest{Pattern: "x", Include: "a\x00"}},
		"1 MB include":     {"include", "at most 100000", nil, &search.GrepRequest{Pattern: "x", Include: long}},
		"a case mode":      {"case", "sensitive, insensitive or smart", nil, &search.GrepRequest{Pattern: "x", Case: "upper"}},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			if tc.glob != nil {
				_, err = s.Glob(context.Background(), root, *tc.glob)
			} else {
				_, err = s.Grep(context.Background(), root, *tc.grep)
			}
			bad := argumentError(t, err)
			assert.Equal(t, tc.argument, bad.Argument)
			assert.Contains(t, bad.Message, tc.want)
			assert.Less(t, len(bad.Error()), 400, "a message is short")
		})
	}
}

func TestArgumentsThatAreFine(t *testing.T) {
	root := coretest.Tree(t, "a.ts: x", "b.tsx: x", "c,d.js: x", ",: x")
	s := pinned(t)
	for include, want := range map[string][]string{
		"*.{ts,tsx}": {"a.ts", "b.tsx"}, `c\,d.js`: {"c,d.js"}, "c[,]d.js": {"c,d.js"}, "{*.ts,c[,]*}": {"a.ts", "c,d.js"},
	} {
		assert.Equal(t, want, files(grep(t, s, root, search.GrepRequest{Pattern: "x", Include: include})), include)
	}
	// A comma in a glob's own pattern separates nothing.
	assert.Equal(t, []string{"c,d.js"}, glob(t, s, root, "c,d.js", "").Paths)
	// The longest pattern that is accepted reaches ripgrep.
	assert.Equal(t, []string{}, glob(t, s, root, strings.Repeat("x", search.MaxPatternBytes), "").Paths)
	assert.Empty(t, grep(t, s, root, search.GrepRequest{Pattern: strings.Repeat("y", search.MaxPatternBytes)}).Matches)
	assert.Empty(t, grep(t, s, root, search.GrepRequest{Pattern: "x", Include: strings.Repeat("y", search.MaxPatternBytes)}).Matches)
}

// Rule: a pattern whose literal spelling exists finds that file, too.
func TestLiteralSpellingFindsItsFile(t *testing.T) {
	root := coretest.Tree(t, "[id]/page.tsx: x", "i/page.tsx: x", "app/[slug].tsx: x", "app/s.tsx: x", "app/deep/[slug].tsx: x",
		"f{1..3}: x", "f1: x", "a}: x", `back\slash: x`, "backslash: x", "app/{a}/x: x", ".git/[id]: x", "[x] .txt: x", "dir[1]/", "[z]/", "link[1] -> f1")
	s := pinned(t)
	for name, tc := range map[string]struct {
		pattern string
		want    []string
	}{
		"a directory in brackets":   {"[id]/page.tsx", []string{"[id]/page.tsx", "i/page.tsx"}},
		"a name at any depth":       {"[slug].tsx", []string{"app/[slug].tsx", "app/s.tsx", "app/deep/[slug].tsx"}},
		"behind a prefix":           {"app/[slug].tsx", []string{"app/[slug].tsx", "app/s.tsx"}},
		"a range of another shell":  {"f{1..3}", []string{"f{1..3}"}},
		"escaped it is only itself": {`\[id\]/page.tsx`, []string{"[id]/page.tsx"}},
		"a backslash":               {`back\slash`, []string{`back\slash`, "backslash"}},
		"braces below":              {"app/{a}/x", []string{"app/{a}/x"}},
		"a blank behind it":         {"[x] .txt", []string{"[x] .txt"}},
		"not valid, but a name":     {"a}", []string{"a}"}},
		"no metadata":               {".git/[id]", []string{}},
		"a directory is no file":    {"dir[1]", []string{}},
		"nor is a link":             {"link[1]", []string{}},
		"with stars":                {"[id]/*.tsx", []string{"[id]/page.tsx", "i/page.tsx"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ElementsMatch(t, tc.want, glob(t, s, root, tc.pattern, "").Paths)
		})
	}
	t.Run("include", func(t *testing.T) {
		for include, want := range map[string][]string{
			"[id]/page.tsx": {"[id]/page.tsx", "i/page.tsx"}, "[slug].tsx": {"app/[slug].tsx", "app/deep/[slug].tsx", "app/s.tsx"},
			"./[id]/*": {"[id]/page.tsx", "i/page.tsx"}, "/f{1..3}": {"f{1..3}"},
		} {
			assert.Equal(t, want, files(grep(t, s, root, search.GrepRequest{Pattern: "x", Include: include})), include)
		}
	})
}
