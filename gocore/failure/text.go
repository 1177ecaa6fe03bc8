package failure

import (
	"strings"
	"unicode/utf8"
)

const (
	// MaxTextBytes bounds the text of an error: what a client sent, or what the
	// sidecar said, may stand in it. Details keep more.
	MaxTextBytes = 4000
	// maxName bounds, in characters, how much of a wrong name or value a message
	// repeats: enough to find it again.
	maxName = 60
)

// Shorten takes the middle out of a message that is too long: it says what
// happened at its start and what to do at its end.
func Shorten(message string) string {
	message = strings.ToValidUTF8(message, "\ufffd")
	if len(message) <= MaxTextBytes {
		return message
	}
	const ellipsis = "..."
	head := (MaxTextBytes - len(ellipsis)) / 2
	tail := len(message) - head
	for !utf8.RuneStart(message[head]) {
		head--
	}
	for !utf8.RuneStart(message[tail]) {
		tail++
	}
	return message[:head] + ellipsis + message[tail:]
}

// Clip cuts a name or a value that a message repeats.
func Clip(text string) string {
	if len(text) <= maxName {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	runes := []rune(strings.ToValidUTF8(text[:min(len(text), maxName*utf8.UTFMax+utf8.UTFMax)], "\ufffd"))
	if len(runes) > maxName {
		return string(runes[:maxName]) + "..."
	}
	return string(runes)
}
