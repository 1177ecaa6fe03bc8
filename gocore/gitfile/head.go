package gitfile

import "strings"

// ValidHead reports whether the content of HEAD makes a directory a repository
// (git's setup.c, validate_headref): it names a reference, or an object by all
// digits of SHA-1 or SHA-256.
func ValidHead(text string) bool {
	if name, ok := strings.CutPrefix(text, "ref:"); ok {
		return strings.HasPrefix(strings.TrimLeft(name, " \t\n\v\f\r"), "refs/")
	}
	n := 0
	for n < len(text) && strings.IndexByte("0123456789abcdefABCDEF", text[n]) >= 0 {
		n++
	}
	return n >= 40
}

// RefLeadsOut reports whether a symbolic reference names something else than a plain
// reference of its repository. git follows any name there when it writes.
func RefLeadsOut(text string) bool {
	name, ok := strings.CutPrefix(text, "ref:")
	if !ok {
		return false
	}
	name = strings.TrimSpace(name)
	if !strings.HasPrefix(name, "refs/") {
		return true
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}
