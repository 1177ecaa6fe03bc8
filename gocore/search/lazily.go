package search

import (
	"regexp"
	"sync"
)

// lazily is a regular expression that is compiled when it is first asked for. Few
// searches need more than one or two, and a process that makes one search would
// pay for all of them before it begins.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
