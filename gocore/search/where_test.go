package search

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMostIn(t *testing.T) {
	for _, tc := range []struct {
		counts map[string]int
		want   string
	}{
		{nil, ""},
		{map[string]int{"": 1}, ""},
		{map[string]int{"src/": 3}, ", 3 matches in src/"},
		{map[string]int{"": 1, "src/": 3, "src/a/": 2}, ", 5 matches in src/, 1 match in ./"},
		{map[string]int{"src/": 1, "src/a/b/": 2, "src/a/c/": 2}, ", 4 matches in src/a/, 1 match in src/"},
		{map[string]int{"src/ab/": 1, "src/ac/": 2}, ", 2 matches in src/ac/, 1 match in src/ab/"},
		{map[string]int{"/x/a/": 1, "/x/b/": 1}, ", 1 match in /x/a/, 1 match in /x/b/"},
		{map[string]int{"a/": 1, "b/": 2, "c/": 3, "d/": 4, "e/": 5, "f/": 6, "g/": 7},
			", 7 matches in g/, 6 matches in f/, 5 matches in e/, 4 matches in d/, 3 matches in c/, and more in 2 other folders"},
	} {
		assert.Equal(t, tc.want, mostIn(tc.counts, "match", "matches"))
	}
}
