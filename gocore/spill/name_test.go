package spill

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var nameShape = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// suggestions are the names that a hostile or careless tool might suggest,
// with what becomes of them.
var suggestions = map[string]string{
	"glob-results.txt":                  "glob-results.txt",
	"A_b-9.tar.gz":                      "A_b-9.tar.gz",
	"":                                  fallbackName,
	".":                                 fallbackName,
	"..":                                fallbackName,
	"...":                               fallbackName,
	"/":                                 fallbackName,
	"\x00":                              fallbackName,
	"\n":                                fallbackName,
	"日本語":                               fallbackName,
	"___":                               fallbackName,
	"../../etc/passwd":                  "_._etc_passwd",
	"a/b":                               "a_b",
	`a\b`:                               "a_b",
	"a\x00b":                            "a_b",
	"a\nb.txt":                          "a_b.txt",
	"a  \t b":                           "a_b",
	"a__b":                              "a__b",
	"a\xff\xfe.txt":                     "a_.txt",
	"отчёт.txt":                         "_.txt",
	".hidden":                           "hidden",
	"-rf":                               "rf",
	".tmp-0123456789ab":                 "tmp-0123456789ab",
	"x..":                               "x",
	"a..b":                              "a.b",
	"$(id) `id` ; 'x'":                  "_id_id_x_",
	strings.Repeat("a", 300):            strings.Repeat("a", 100),
	strings.Repeat("a", 300) + ".txt":   strings.Repeat("a", 96) + ".txt",
	strings.Repeat("a.", 150):           strings.Repeat("a.", 49) + "a",
	strings.Repeat("/", 300) + "x":      "_x",
	"x." + strings.Repeat("e", 300):     "x." + strings.Repeat("e", 98),
	strings.Repeat("é", 150) + ".j/son": "_.j_son",
}

func TestCleanName(t *testing.T) {
	for suggested, want := range suggestions {
		assert.Equal(t, want, cleanName(suggested), "%q", suggested)
		checkName(t, suggested)
	}
}

func checkName(t *testing.T, suggested string) {
	t.Helper()
	name := cleanName(suggested)
	require.Regexp(t, nameShape, name)
	require.LessOrEqual(t, len(name), maxNameBytes)
	require.NotContains(t, name, "..")
	require.False(t, strings.HasSuffix(name, "."))
	require.Equal(t, name, cleanName(name), "cleaning is done once")
	require.Equal(t, name, resultName("0123456789ab-"+name))
}

func FuzzCleanName(f *testing.F) {
	for suggested := range suggestions {
		f.Add(suggested)
	}
	f.Fuzz(func(t *testing.T, suggested string) {
		checkName(t, suggested)
		line := clip(suggested)
		require.True(t, utf8.ValidString(line))
		require.LessOrEqual(t, len(line), maxMetaBytes)
		require.NotContains(t, line, "\n")
		require.Equal(t, line, clip(line))
		if owner, file, ok := splitID(suggested, "/spill/session-"); ok {
			require.Len(t, owner, ownerKeyDigits)
			require.NotContains(t, file, "/")
		}
	})
}

// TestSuggestedNames saves under each suggestion in a folder and in memory.
func TestSuggestedNames(t *testing.T) {
	memory, err := NewMemoryStore(Options{})
	require.NoError(t, err)
	for _, s := range []Store{newDirStore(t, Options{}), memory} {
		for suggested, want := range suggestions {
			a := save(t, s, "s", suggested, suggested)
			assert.Equal(t, want, a.Name)
			assert.True(t, strings.HasSuffix(a.Locator, "-"+want))
			got, err := readAll(s, Session("s"), a.Locator)
			require.NoError(t, err)
			assert.Equal(t, suggested, got)
		}
		list, err := s.List(ctx, Session("s"))
		require.NoError(t, err)
		assert.Len(t, list, len(suggestions))
	}
}
