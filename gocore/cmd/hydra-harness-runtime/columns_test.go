package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSentencesBreakBetweenWords(t *testing.T) {
	v := view{width: 30}
	assert.Equal(t, "`a` reads /s/a; add\n       --root /s to allow it", v.folded("`a` reads /s/a; add --root /s to allow it", 7))
	assert.Equal(t, "short", v.folded("short", 7))
	assert.Equal(t, "see\n       /a/path/longer/than/the/terminal\n       it", v.folded("see /a/path/longer/than/the/terminal it", 7), "a path is never cut")
	assert.Equal(t, "äöü 漢字漢字漢字漢字 x\n       y", v.folded("äöü 漢字漢字漢字漢字 x y", 7), "wide characters take two columns")
	assert.Equal(t, "no terminal, one line for each reason", view{}.folded("no terminal, one line for each reason", 7))
	assert.Equal(t, "a terminal without room", view{width: 12}.folded("a terminal without room", 7))
}
