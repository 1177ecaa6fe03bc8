package search

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEitherEnd(t *testing.T) {
	for pattern, want := range map[string]string{
		`foo\nbar`:         `foo(?:\r?\n)bar`,
		"foo\nbar":         `foo(?:\r?\n)bar`,
		`a\n+b`:            `a(?:\r?\n)+b`,
		`a\x0Ab\x{a}c`:     `a(?:\r?\n)b(?:\r?\n)c`,
		`a\\nb`:            `a\\nb`,
		`a\\\nb`:           `a\\(?:\r?\n)b`,
		`[^\n]\n`:          `[^\n](?:\r?\n)`,
		`[]\n]x`:           `[]\n]x`,
		`[[:alpha:]\n]\n`:  `[[:alpha:]\n](?:\r?\n)`,
		`\[\n\]`:           `\[(?:\r?\n)\]`,
		"(?x) a\n b \\n c": "(?x) a\n b \\n c",
		`\Qa\nb\E`:         `\Qa\nb\E`,
		`plain \x41`:       `plain \x41`,
		`\w+\s*$`:          `\w+\s*$`,
	} {
		assert.Equal(t, want, eitherEnd(pattern), pattern)
	}
}
