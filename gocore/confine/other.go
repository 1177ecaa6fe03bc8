//go:build !linux

package confine

// ABI is the version of Landlock here: there is none.
func ABI() int { return 0 }
