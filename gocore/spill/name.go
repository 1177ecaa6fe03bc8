package spill

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	randomDigits = 12 // hex digits that make a name unguessable and unique within a session

	// maxNameBytes keeps "<12 hex>-<name>" far below the 143 bytes that the
	// narrowest file systems in use (encrypted home folders) allow.
	maxNameBytes = 100
	// maxExtensionBytes is how long an extension may be to survive a cut.
	maxExtensionBytes = 16
	// fallbackName is used when nothing of a suggestion is left.
	fallbackName = "spill.txt"

	// maxMetaBytes bounds tool, call id and label: all of them must fit in one
	// extended attribute, for which some file systems have 4 KiB a file.
	maxMetaBytes = 200
)

// cleanName makes a suggestion safe as part of a file name, of a locator in a
// page and of an address: letters, digits, '_', '-' and single dots of ASCII
// only, at most maxNameBytes, beginning with a letter, a digit or '_'. Doing
// it twice changes nothing.
func cleanName(suggested string) string {
	var b strings.Builder
	last := byte(0)
	for i := 0; i < len(suggested) && b.Len() <= 4*maxNameBytes; i++ {
		c := suggested[i]
		if !nameByte(c) {
			c = '_'
		}
		// A run of replaced bytes is one '_', a run of dots is one dot: no ".."
		// ever stands in a locator.
		if c == last && (c == '_' && !nameByte(suggested[i]) || c == '.') {
			continue
		}
		b.WriteByte(c)
		last = c
	}
	name := strings.TrimRight(strings.TrimLeft(b.String(), ".-"), ".")
	name = cutName(name, suggestedExtension(suggested))
	if strings.Trim(name, "_.-") == "" {
		return fallbackName
	}
	return name
}

func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '_' || c == '-' || c == '.'
}

// suggestedExtension is the extension of a suggestion when it is short and
// clean, with its dot; else "". The end of a long name is what programs go by.
func suggestedExtension(suggested string) string {
	dot := strings.LastIndexByte(suggested, '.')
	if dot < 0 || len(suggested)-dot > maxExtensionBytes || dot == len(suggested)-1 {
		return ""
	}
	for i := dot + 1; i < len(suggested); i++ {
		if !nameByte(suggested[i]) {
			return ""
		}
	}
	return suggested[dot:]
}

func cutName(name, extension string) string {
	if len(name) <= maxNameBytes {
		return name
	}
	return strings.TrimRight(name[:maxNameBytes-len(extension)], ".") + extension
}

// validName reports whether name is a fixed point of cleanName.
func validName(name string) bool { return name != "" && cleanName(name) == name }

// newRandom returns fresh hex digits; crypto/rand does not fail.
func newRandom() string {
	var raw [randomDigits / 2]byte
	_, _ = rand.Read(raw[:])
	return hex.EncodeToString(raw[:])
}

// splitID takes an id, a URI or a locator of this store ("prefix" + id) apart.
// Only the exact shape passes, so nothing that comes out can leave a folder.
func splitID(id, prefix string) (owner, file string, ok bool) {
	for _, p := range []string{URIScheme, prefix} {
		if rest, found := strings.CutPrefix(id, p); found && p != "" {
			id = rest
			break
		}
	}
	owner, file, ok = strings.Cut(id, "/")
	ok = ok && len(owner) == ownerKeyDigits && isHex(owner) && resultName(file) != ""
	return owner, file, ok
}

// Hint tells how to read a saved result: command is the runtime as the reader's
// shell finds it. The locator says in which folder the result lies, so that the
// hint holds in any directory and environment.
func Hint(command, locator string) string {
	return "Open the file with a file-reading tool, or run " + command + " spill read " + locator + " for all of it or a range of its lines or bytes."
}

// RootOf is the folder of the store whose locator this is.
func RootOf(locator string) (root string, ok bool) {
	at := strings.LastIndex(locator, "/"+sessionPrefix)
	if at <= 0 || !strings.HasPrefix(locator, "/") {
		return "", false
	}
	root = locator[:at]
	_, _, ok = splitID(locator, root+"/"+sessionPrefix)
	return root, ok
}

// resultName is the cleaned suggestion in the name of a saved result's file, ""
// when file is none.
func resultName(file string) string {
	digits, name, ok := strings.Cut(file, "-")
	if !ok || len(digits) != randomDigits || !isHex(digits) || !validName(name) {
		return ""
	}
	return name
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// clip makes one line of valid UTF-8 of at most maxMetaBytes.
func clip(s string) string {
	if len(s) > 4*maxMetaBytes { // no need to clean what is cut anyway
		s = s[:4*maxMetaBytes]
	}
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
	if len(s) <= maxMetaBytes {
		return s
	}
	cut := maxMetaBytes
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}

// normal is the meta as it is kept. The owner is kept exactly where it can be.
func (m Meta) normal() Meta {
	return Meta{Owner: m.Owner, Tool: clip(m.Tool), CallID: clip(m.CallID), Label: clip(m.Label), Name: cleanName(m.Name)}
}
