package gitfile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestValidHead(t *testing.T) {
	for text, want := range map[string]bool{
		"ref: refs/heads/main": true, "ref:refs/x": true, "ref: \trefs/x": true, strings.Repeat("a", 40): true, strings.Repeat("0", 64): true,
		"": false, "x": false, "ref: HEAD": false, "refs/heads/main": false, strings.Repeat("a", 39): false, strings.Repeat("g", 40): false,
	} {
		assert.Equal(t, want, ValidHead(text), text)
	}
}

func TestRefLeadsOut(t *testing.T) {
	for text, out := range map[string]bool{
		"ref: refs/heads/main": false, "ref: refs/heads/a/b\n": false, "ref:refs/x": false, "0123": false, "": false,
		"ref: ../../out": true, "ref: refs/../../out": true, "ref: /out": true, "ref: main": true, "ref: refs/heads/./x": true, "ref: refs//x": true, "ref:": true,
	} {
		assert.Equal(t, out, RefLeadsOut(text), text)
	}
}
