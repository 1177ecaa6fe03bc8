package strictjson

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// scanRules are what a text is looked through for, beside its form.
type scanRules struct {
	nulls    bool // no null, but for
	absent   bool // members of the outermost object
	integers bool // no whole number beyond MaxInteger
}

// scan looks a whole text through.
func scan(text []byte, rules scanRules) *Error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	for first := true; first || dec.StackDepth() > 0; first = false {
		// The kind of a value is known before it is read; that of a name is not
		// asked: it is always a text.
		token, err := dec.ReadToken()
		if err != nil {
			return syntactic(dec, err)
		}
		switch token.Kind() {
		case '{', '[':
			if dec.StackDepth() > MaxDepth {
				return &Error{Kind: TooDeep, Path: place(dec), Message: "it nests deeper than " + strconv.Itoa(MaxDepth) + " levels; write less at once"}
			}
		case 'n':
			if rules.nulls && !(rules.absent && dec.StackDepth() == 1 && isObject(dec)) {
				return &Error{Kind: Null, Path: place(dec), Message: "it is null; leave it out, or write a value"}
			}
		case '0':
			if rules.integers && beyond(token.String()) {
				return &Error{Kind: Inexact, Path: place(dec), Message: "it is " + clip(token.String()) + ", which not every reader of JSON takes exactly; write a whole number of at most " + strconv.Itoa(MaxInteger)}
			}
		}
	}
	if err := atEnd(dec); err != nil {
		return err.(*Error)
	}
	return nil
}

// atEnd reports what stands behind the value.
func atEnd(dec *jsontext.Decoder) error {
	end, rest := dec.InputOffset(), dec.UnreadBuffer()
	blanks := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
	if _, err := dec.ReadToken(); errors.Is(err, io.EOF) {
		return nil
	}
	return &Error{Kind: Syntax, Message: "there is more behind its end", Offset: end + int64(blanks)}
}

func isObject(dec *jsontext.Decoder) bool {
	kind, _ := dec.StackIndex(dec.StackDepth())
	return kind == '{'
}

// beyond reports whether a number is a whole one that is not exact everywhere.
func beyond(number string) bool {
	const exact = 15 // digits that are always
	if len(number) <= exact || strings.ContainsAny(number, ".eE") {
		return false
	}
	n, err := strconv.ParseInt(number, 10, 64)
	return err != nil || n > MaxInteger || n < -MaxInteger
}

// place is where a decoder is, in words: boundary.readRoots[2].
func place(dec *jsontext.Decoder) string {
	var path strings.Builder
	var names []string
	for name := range dec.StackPointer().Tokens() {
		names = append(names, name)
	}
	for i := 1; i <= dec.StackDepth(); i++ {
		kind, length := dec.StackIndex(i)
		switch {
		case len(names) < i:
			return path.String() // the object has just begun
		case kind == '[' && length > 0:
			path.WriteString("[" + strconv.FormatInt(length-1, 10) + "]")
		case kind == '{':
			if path.Len() > 0 {
				path.WriteByte('.')
			}
			path.WriteString(segment(names[i-1]))
		}
	}
	return path.String()
}

// locate finds the value that a pointer leads to, and says where it is as place
// does: a pointer alone does not tell an index from a name.
func locate(text []byte, at jsontext.Pointer) string {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if _, err := dec.ReadToken(); err != nil {
			return strings.ReplaceAll(strings.TrimPrefix(string(at), "/"), "/", ".")
		}
		if dec.StackPointer() == at {
			return place(dec)
		}
	}
}

// segment is a name in a path: as it is, unless it would be taken for something
// else.
func segment(name string) string {
	name = clip(name)
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r == '"' || r == '[' || r == ']' || !strconv.IsPrint(r)
	}) {
		return strconv.Quote(name)
	}
	return name
}

// maxShown bounds how much of a name or a value a message repeats, in characters.
const maxShown = 60

func clip(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown]) + "..."
	}
	return text
}
