package gitfile

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseConfig(t *testing.T) {
	for text, want := range map[string][]Setting{
		"":                                      nil,
		"[core]\nPager = less -R ; a comment\n": {{"core.pager", "less -R"}},
		"[Filter \"A.b\"] clean = \"x # y\" # z\n": {{"filter.a.b.clean", "x # y"}},
		"[a]\n b\n c = one \\\n  two\n":            {{"a.b", "true"}, {"a.c", "one   two"}},
		"\ufeff[a]\r\nb = 1\r\n":                   {{"a.b", "1"}},
	} {
		got, ok := ParseConfig(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"b = 1\n", "[a\n", "[a]\n1b = 1\n", "[a \"x\" y]\n", "[]\nb\n"} {
		got, ok := ParseConfig(text)
		assert.False(t, ok, text)
		assert.Empty(t, got, "no half answer: %s", text)
	}
}

func TestKeyMatches(t *testing.T) {
	for pattern, keys := range map[string][2][]string{
		"core.pager":     {{"core.pager"}, {"core.pagers", "core"}},
		"filter.*.clean": {{"filter.a.clean", "filter.a.b.clean"}, {"filter.clean", "filter..x", "filter.a.smudge"}},
		"alias.*":        {{"alias.x", "alias.a.b"}, {"alias"}},
	} {
		for _, k := range keys[0] {
			assert.True(t, KeyMatches(pattern, k), "%s %s", pattern, k)
		}
		for _, k := range keys[1] {
			assert.False(t, KeyMatches(pattern, k), "%s %s", pattern, k)
		}
	}
}
