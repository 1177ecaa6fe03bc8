package shellsyntax

import "strings"

// plainBytes are those that no shell takes for anything but themselves.
const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_"

// Quote spells a word for any shell; one of plain bytes stays as it is.
func Quote(word string) string {
	if word != "" && strings.Trim(word, plainBytes) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
