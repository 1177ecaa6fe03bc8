package shellword

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// IsPattern reports whether a word is a pattern: a lone `[` is none, or the
// command of that name would be one.
func IsPattern(raw, mask []byte) bool {
	for i, c := range raw {
		if isMeta(c, mask[i]) && (c != '[' || bytes.IndexByte(raw[i+1:], ']') >= 0) {
			return true
		}
		if isExtended(raw[i:], mask[i:]) {
			return true
		}
	}
	return false
}

// isExtended reports whether an extended operator may start the bytes.
func isExtended(raw, mask []byte) bool {
	return len(raw) > 2 && bytes.IndexByte([]byte("@+!?*"), raw[0]) >= 0 && raw[1] == '(' && mask[0] == shellplan.MaskActive && mask[1] == shellplan.MaskActive &&
		bytes.IndexByte(raw, ')') > 0
}

// StartsMeta reports whether an operator starts the word, so that its matches
// may start with anything.
func StartsMeta(raw, mask []byte) bool {
	return len(raw) > 0 && len(mask) > 0 && (isMeta(raw[0], mask[0]) || isExtended(raw, mask))
}

func isMeta(c, mask byte) bool {
	return mask == shellplan.MaskActive && (c == '*' || c == '?' || c == '[')
}
