package shellscript

import "bytes"

// Jq reports whether a jq program may read modules. The words count wherever
// they stand, in a string or a comment too.
func Jq(program []byte) (files []File, why string) {
	for _, word := range []string{"import", "include", "modulemeta"} {
		if bytes.Contains(program, []byte(word)) {
			return nil, "the program imports modules"
		}
	}
	return nil, ""
}
