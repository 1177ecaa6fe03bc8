//go:build linux

package engine

import (
	"regexp"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/tests/oracle/family"
)

// pieces are what a text is shrunk by: words, blanks, operators.
var pieces = regexp.MustCompile(`\{(?:ROOT|OUT|BASE)\}[^\s;&|(){}<>]*|\s+|[;&|(){}<>]+|[^\s;&|(){}<>]+`)

// shrinkTries bounds how often a text is tried for one hit: texts have a dozen
// pieces, and each try starts a shell.
const shrinkTries = 80

// shrink leaves out pieces of the text, large ones first, for as long as what is
// left is allowed and leaves its bounds.
func (j *job) shrink(c *family.Case, first *outcome) (*family.Case, *outcome, error) {
	best, got := c, first
	words := pieces.FindAllString(c.Command, -1)
	if j.Trust || j.kindsShrunk(c.Kind) {
		return best, got, nil
	}
	tries := 0
	for size := max(1, len(words)/2); size >= 1; size /= 2 {
		for i := 0; i < len(words) && tries < shrinkTries; {
			left := append(append([]string{}, words[:i]...), words[min(i+size, len(words)):]...)
			text := strings.TrimSpace(strings.Join(left, ""))
			if text == "" {
				i += size
				continue
			}
			tries++
			smaller := *c
			smaller.Command = text
			out, err := j.escapes(&smaller)
			if err != nil {
				return nil, nil, err
			}
			if out == nil {
				i += max(1, size/2)
				continue
			}
			best, got, words = &smaller, out, left
		}
	}
	return best, got, nil
}

// kindsShrunk reports that enough of a kind were shrunk in this block.
func (j *job) kindsShrunk(kind string) bool {
	n := 0
	for _, h := range j.r.Hits {
		if h.Kind == kind {
			n++
		}
	}
	return n >= 2
}

// escapes asks about a case in the fresh world and runs it; nil when it is not
// allowed or stays inside.
func (j *job) escapes(c *family.Case) (*outcome, error) {
	if err := j.fresh(); err != nil {
		return nil, err
	}
	answer, err := j.ask(j.b, c)
	if err != nil || answer.Decision != judge.Allow {
		return nil, err
	}
	out, err := j.run(j.b, c)
	if err != nil || out.touched.None() {
		return nil, err
	}
	return out, nil
}
