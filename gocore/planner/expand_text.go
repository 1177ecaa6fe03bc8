package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// splitText appends the text of an unquoted expansion, split at IFS.
//
// Bash manual, "Word Splitting": only what an unquoted expansion gives is
// split, IFS white space at both ends is ignored, and each other character of
// IFS delimits a field.
func (b *builder) splitText(t []byte) {
	ifs := b.p.get(b.st, "IFS")
	switch {
	case ifs.Kind == shellword.ValueUnset:
		ifs.Text = []byte(" \t\n")
	case ifs.Kind != shellword.ValueText:
		b.dynamic(b.p.why(shellplan.OpaqueShellOption, b.span, "IFS is not known, so neither is where the word is split"), true)
		return
	}
	if bytes.IndexByte(t, '\\') >= 0 {
		// A backslash that an expansion produced quotes in patterns only.
		b.cur.Bad = b.p.why(shellplan.OpaquePattern, b.span, "a backslash that comes out of an expansion stands in a pattern")
	}
	isSep := func(c byte) bool { return bytes.IndexByte(ifs.Text, c) >= 0 }
	isBlank := func(c byte) bool { return isSep(c) && (c == ' ' || c == '\t' || c == '\n') }
	i := 0
	for i < len(t) && isBlank(t[i]) {
		i++
	}
	if i > 0 {
		b.end()
	}
	for i < len(t) {
		if !isSep(t[i]) {
			b.bytes(t[i:i+1], shellplan.MaskActive)
			i++
			continue
		}
		// One separator: blanks around at most one other character of IFS.
		hard := false
		for i < len(t) && isSep(t[i]) {
			if !isBlank(t[i]) {
				if hard {
					break
				}
				hard = true
			}
			i++
		}
		if hard {
			b.has = true // an empty field counts before a hard separator
		}
		b.end()
	}
}
