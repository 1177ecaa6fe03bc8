package planner

import (
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/stretchr/testify/assert"
)

// What a walk is sure to leave out, and what only looks like it.
func TestWhatAWalkLeavesOut(t *testing.T) {
	for text, want := range map[string][]string{
		"grep -r --exclude-dir=b x .":                                 {"dir b"},
		"grep -r --exclude='*.o' --exclude-dir .git x .":              {"dir .git", "file *.o"},
		"grep -r --include=*.c --exclude=a.c x .":                     nil,
		"grep -r --exclude-dir='[ab]' x .":                            nil,
		"find . -name b -prune -o -print":                             {"below b"},
		"find . -type d -name b -prune -o -path ./c -prune -o -print": {"below b", "below ./c"},
		"find . \\( -name a -o -path '*/b' \\) -prune -o -print":      {"below a", "below b"},
		"find . -maxdepth 3 -name b -prune":                           {"below b"},
		"find . -name b -prune -o -name c -delete":                    nil,
		"find . -depth -name b -prune -o -print":                      nil,
		"find . -mindepth 2 -name b -prune -o -print":                 nil,
		"find . -path b -prune -o -print":                             nil,
		"find . -path '*/a/b' -prune -o -print":                       nil,
		"find . ! -name b -prune -o -print":                           nil,
		"find . -name b -o -name c -prune -o -print":                  nil,
		"tar cf o --exclude=b .":                                      {"dir b", "file b"},
		"tar cf o . --exclude=b":                                      nil,
		"tar cf o --anchored --exclude=b .":                           nil,
	} {
		p := Build(text, options(shellplan.DialectBash))
		var got []string
		for _, c := range p.Segments[0].Candidates {
			if c.Traversal != nil && c.Access == shellplan.AccessRead {
				for _, s := range c.Traversal.Skips {
					got = append(got, s.What.String()+" "+string(s.Raw))
				}
			}
		}
		assert.Equal(t, want, got, text)
	}
}
