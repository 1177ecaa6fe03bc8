package search_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: an empty answer is explained when the reason is known for free, and only
// then.
func TestEmptyGlobIsExplained(t *testing.T) {
	root := coretest.Tree(t, "sub/b.ts", "sub/deep/c.ts", "[id]/x.ts", "app/[id]/x.ts", "lf.ts -> sub/b.ts", "ld -> sub", "nowhere -> nope", "file", "{a}/x")
	s := pinned(t)
	for name, tc := range map[string]struct{ pattern, path, note string }{
		"nothing to say":          {"*.go", "", ""},
		"nor of a missing name":   {"sub/none.ts", "", ""},
		"nor where it was found":  {"sub/b.ts", "", ""},
		"a directory":             {"sub", "", "IS_DIRECTORY sub is a directory and glob lists files only; use sub/** for what is in it"},
		"with a slash":            {"sub/", "", "IS_DIRECTORY sub is a directory and glob lists files only; use sub/** for what is in it"},
		"with slashes":            {"sub//", "", "IS_DIRECTORY sub is a directory and glob lists files only; use sub/** for what is in it"},
		"deeper":                  {"sub/deep", "", "IS_DIRECTORY sub/deep is a directory and glob lists files only; use sub/deep/** for what is in it"},
		"deeper with a slash":     {"./sub/deep/", "", "IS_DIRECTORY ./sub/deep is a directory and glob lists files only; use ./sub/deep/** for what is in it"},
		"beneath path":            {"deep", "sub", "IS_DIRECTORY deep is a directory and glob lists files only; use deep/** for what is in it"},
		"absolute":                {root + "/sub", "", "IS_DIRECTORY " + root + "/sub is a directory and glob lists files only; use " + root + "/sub/** for what is in it"},
		"a link to one":           {"ld", "", "IS_DIRECTORY ld is a directory and glob lists files only; use ld/** for what is in it"},
		"the root":                {".", "", "IS_DIRECTORY . is a directory and glob lists files only; use ./** for what is in it"},
		"dot slash":               {"./", "", "IS_DIRECTORY . is a directory and glob lists files only; use ./** for what is in it"},
		"the parent":              {"..", "sub", "IS_DIRECTORY .. is a directory and glob lists files only; use ../** for what is in it"},
		"a link to a file":        {"lf.ts", "", "IS_LINK 1 symbolic link to a file is not listed, since glob lists regular files only: lf.ts (to sub/b.ts)"},
		"a link to nothing":       {"nowhere", "", "IS_LINK nowhere is a symbolic link, and glob lists regular files only"},
		"no such prefix":          {"source/*.ts", "", `PREFIX_MISSING there is no directory "source" where the search starts; to look for it at any depth, write "**/source/*.ts"`},
		"no such absolute one":    {"/source/*.ts", "", `PREFIX_MISSING there is no directory "source" where the search starts; to look for it at any depth, write "**/source/*.ts"`},
		"no such parent":          {"../nope/*.ts", "", `PREFIX_MISSING there is no directory "../nope"`},
		"a prefix that is a file": {"file/*.ts", "", `PREFIX_MISSING "file" is a file, so there is nothing beneath it`},
		"home":                    {"~/src/*.ts", "", `PREFIX_MISSING there is no directory "~/src"; "~" is not expanded here, write the home directory out`},
		"a blank before":          {" *.go", "", "BLANK the pattern has blanks at an end, which are part of it; leave them out unless names have them"},
		"a blank behind":          {"sub/*.ts ", "", "BLANK the pattern has blanks at an end, which are part of it; leave them out unless names have them"},
		"backslashes":             {`sub\*.ts`, "", `BACKSLASH a backslash escapes the character behind it; write "/" between directories`},
		"backslashes deeper":      {`sub/deep\\**\*.ts`, "", `BACKSLASH a backslash escapes the character behind it; write "/" between directories`},
		"backslashes from a path": {`deep\c.ts`, "sub", `BACKSLASH a backslash escapes the character behind it; write "/" between directories`},
		"an escape that is meant": {`none\*.ts`, "", ""},
		"up behind a wildcard":    {"s*/../sub/b.ts", "", `UPWARD ".." behind a wildcard matches nothing; pass the directory to start from as path`},
	} {
		t.Run(name, func(t *testing.T) {
			r := glob(t, s, root, tc.pattern, tc.path)
			want := []string{}
			if tc.note != "" {
				want = []string{tc.note}
				assert.Empty(t, r.Paths)
			}
			assert.Equal(t, want, notes(r.Report))
			assert.Empty(t, r.Warnings)
		})
	}
	// What a note advises is right.
	assert.Equal(t, []string{"[id]/x.ts"}, glob(t, s, root, `\[id\]/*.ts`, "").Paths)
	assert.Equal(t, []string{"sub/b.ts", "sub/deep/c.ts"}, glob(t, s, root, "sub/**", "").Paths)
	assert.Equal(t, []string{"ld/b.ts", "ld/deep/c.ts"}, glob(t, s, root, "ld/**", "").Paths)
}

// Rule: a one-level pattern tells of the directories that match it, too.
func TestDirectoriesThatMatch(t *testing.T) {
	root := coretest.Tree(t, "dir/foo/x", "dir/readme.md", "dir/.git/", "two/a1/", "two/a2/", "two/b/", "many/")
	for i := range 5 {
		require.NoError(t, os.Mkdir(fmt.Sprintf("%s/many/d%d", root, i), 0o755))
	}
	s := pinned(t)
	for pattern, want := range map[string][]string{
		"dir/*":    {"DIRECTORIES_MATCH 1 directory also matches (dir/foo/); glob lists files only"},
		"/dir/*":   {"DIRECTORIES_MATCH 1 directory also matches (dir/foo/); glob lists files only"},
		"two/a*":   {"DIRECTORIES_MATCH 2 directories also match (two/a1/, two/a2/); glob lists files only"},
		"many/*":   {"DIRECTORIES_MATCH 5 directories also match (many/d0/, many/d1/, many/d2/ and 2 more); glob lists files only"},
		"/*":       {"DIRECTORIES_MATCH 3 directories also match (dir/, many/, two/); glob lists files only"},
		"dir/*.md": {}, "*": {}, "dir/**": {}, "dir/**/*": {}, "*/foo": {}, "dir/f[o]o": {"DIRECTORIES_MATCH 1 directory also matches (dir/foo/); glob lists files only"},
	} {
		assert.Equal(t, want, notes(glob(t, s, root, pattern, "").Report), pattern)
	}
	assert.Equal(t, []string{"DIRECTORIES_MATCH 1 directory also matches (" + root + "/dir/foo/); glob lists files only"}, notes(glob(t, s, root+"/two", root+"/dir/*", "").Report))
	// A directory of many entries is not read for a note.
	for i := range 1001 {
		require.NoError(t, os.WriteFile(fmt.Sprintf("%s/dir/f%d", root, i), nil, 0o600))
	}
	assert.Empty(t, notes(glob(t, s, root, "dir/*", "").Report))
}

func TestEmptyGrepIsExplained(t *testing.T) {
	root := coretest.Tree(t, "src/a.go: needle html(json.data) $HOME", "src/.hid.go: needle", ".github/w.yml: needle", ".env: needle", "empty/", "ignored/a.go: needle", "ignored/.ignore: *", "late.txt: x",
		"d.d/x: needle")
	write(t, root, map[string]string{"bin/late.bin": "needle one\n" + strings.Repeat("0", 70_000) + "\n\x00needle two\n", "bin/early.bin": "\x00needle\n"})
	s := pinned(t)
	ignored := "IGNORED_NOT_SEARCHED ignored, and so not searched: ignored/a.go (ignored/.ignore: *); path searches what it names"
	nothing := "NOTHING_SEARCHED no file was searched: there is none, or all are hidden or ignored; such files are searched when path names them"
	for name, tc := range map[string]struct {
		req  search.GrepRequest
		want []string
	}{
		"nothing to say":         {search.GrepRequest{Pattern: "absent"}, []string{ignored}},
		"nor where it was found": {search.GrepRequest{Pattern: "needle"}, []string{"STOPPED_AT_BINARY bin/late.bin: stopped at binary data at byte 70012; later matches are not shown (pass it as path to search all of it)"}},
		"a binary file as path":  {search.GrepRequest{Pattern: "needle", Path: "bin/late.bin"}, []string{"BINARY_SEARCHED bin/late.bin is a binary file (NUL at byte 70012); all of it was searched because path names it"}},
		"include":                {search.GrepRequest{Pattern: "needle", Include: "*.rs"}, []string{`INCLUDE_MATCHED_NOTHING no file matched include "*.rs"`}},
		"include of a directory": {search.GrepRequest{Pattern: "needle", Include: "src"}, []string{`INCLUDE_MATCHED_NOTHING no file matched include "src"; for the files in that directory, write "src/**"`}},
		"with a slash":           {search.GrepRequest{Pattern: "needle", Include: "src/"}, []string{`INCLUDE_MATCHED_NOTHING no file matched include "src/"; for the files in that directory, write "src/**"`}},
		"include that matched":   {search.GrepRequest{Pattern: "absent", Include: "*.go"}, []string{ignored}},
		"hidden directory":       {search.GrepRequest{Pattern: "needle", Include: ".github/**"}, []string{`HIDDEN_NOT_SEARCHED hidden files (.github) are not searched; to search there, pass path ".github"`}},
		"hidden file":            {search.GrepRequest{Pattern: "needle", Include: ".env"}, []string{`HIDDEN_NOT_SEARCHED hidden files (.env) are not searched; to search there, pass path ".env"`}},
		"hidden file elsewhere":  {search.GrepRequest{Pattern: "needle", Include: ".npmrc"}, []string{`HIDDEN_NOT_SEARCHED hidden files (.npmrc) are not searched; to search there, name the file in path`}},
		"hidden at any depth":    {search.GrepRequest{Pattern: "needle", Include: "**/.hid*"}, []string{`HIDDEN_NOT_SEARCHED hidden files (.hid*) are not searched; to search there, name the file in path`}},
		"hidden beneath path":    {search.GrepRequest{Pattern: "needle", Path: "src", Include: "./.hid.go"}, []string{`HIDDEN_NOT_SEARCHED hidden files (.hid.go) are not searched; to search there, pass path "src/.hid.go"`}},
		"all ignored":            {search.GrepRequest{Pattern: "needle", Path: "ignored"}, []string{ignored}},
		"an empty directory":     {search.GrepRequest{Pattern: "needle", Path: "empty"}, []string{nothing}},
		"a pipe":                 {search.GrepRequest{Pattern: `absent\|needle`}, []string{`LITERAL_PIPE in this dialect \| is a literal pipe; alternatives are written a|b`, ignored}},
		"a pipe that is meant":   {search.GrepRequest{Pattern: `absent\|needle`, Literal: true}, []string{ignored}},
		"a call":                 {search.GrepRequest{Pattern: "html(json.data)"}, []string{`LITERAL_TEXT as a regular expression the pattern does not match the text that it spells (( and ) group); to search for the text itself, write html\(json\.data\)`, ignored}},
		"a variable":             {search.GrepRequest{Pattern: "$HOME"}, []string{`LITERAL_TEXT as a regular expression the pattern does not match the text that it spells ($ matches the end of a line); to search for the text itself, write \$HOME`, ignored}},
		"a call that is found":   {search.GrepRequest{Pattern: `html\(json\.data\)`}, []string{}},
		"groups that are meant":  {search.GrepRequest{Pattern: `(absent|gone)+x(y)?`}, []string{ignored}},
		"and captured":           {search.GrepRequest{Pattern: `func(name).*end`}, []string{ignored}},
		"optional":               {search.GrepRequest{Pattern: `colou(r)?x`}, []string{ignored}},
		"an anchor that is":      {search.GrepRequest{Pattern: `absent$`}, []string{ignored}},
	} {
		t.Run(name, func(t *testing.T) {
			g := grep(t, s, root, tc.req)
			assert.Equal(t, tc.want, notes(g.Report))
		})
	}
	// What a note advises is right.
	assert.Equal(t, []string{"src/.hid.go"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle", Path: "src/.hid.go"})))
	assert.Equal(t, []string{"src/a.go"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle", Include: "src/**"})))
	assert.Len(t, grep(t, s, root, search.GrepRequest{Pattern: "needle", Path: "bin/late.bin"}).Matches, 2)
	assert.Equal(t, []string{"src/a.go"}, files(grep(t, s, root, search.GrepRequest{Pattern: `html\(json\.data\)`})))
}

// Notes of many files are counted.
func TestManyBinaryFiles(t *testing.T) {
	root := coretest.Tree(t)
	body := "needle\n" + strings.Repeat("x\n", 40_000) + "\x00"
	write(t, root, map[string]string{"e": body, "d": body, "c": body, "b": body, "a": body})
	assert.Equal(t, []string{
		"STOPPED_AT_BINARY a: stopped at binary data at byte 80007; later matches are not shown (pass it as path to search all of it)",
		"STOPPED_AT_BINARY b: stopped at binary data at byte 80007; later matches are not shown (pass it as path to search all of it)",
		"STOPPED_AT_BINARY c: stopped at binary data at byte 80007; later matches are not shown (pass it as path to search all of it)",
		"STOPPED_AT_BINARY 2 files more stopped at binary data",
	}, notes(grep(t, pinned(t), root, search.GrepRequest{Pattern: "needle"}).Report))
}
