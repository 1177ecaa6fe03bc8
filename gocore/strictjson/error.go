package strictjson

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind is what is wrong with a text.
type Kind int

// The kinds.
const (
	// Syntax: it is not JSON, or it ends early.
	Syntax Kind = iota + 1
	// NotUnicode: a text in it is not valid Unicode.
	NotUnicode
	// TooDeep: it nests deeper than MaxDepth.
	TooDeep
	// NotObject: it is another value.
	NotObject
	// Twice: a member stands twice.
	Twice
	// Unknown: there is no such member.
	Unknown
	// Null: a value is null.
	Null
	// Inexact: a whole number is beyond MaxInteger.
	Inexact
	// Type: a value is of another type, or not one of those that there are.
	Type
)

// Error is the only error of this package.
type Error struct {
	Kind Kind
	// Path is the field that is wrong: "boundary.readRoots[2]", or "" for the
	// whole value.
	Path string
	// Message says what is wrong and what to write.
	Message string
	// Takes are the members that there are, for an Unknown one.
	Takes []string
	// Offset counts the bytes in front of what is no JSON.
	Offset int64
	// Err is the error of a value that reads itself.
	Err error
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// Unwrap returns the error of a value that reads itself.
func (e *Error) Unwrap() error { return e.Err }

// Fielded is an error of a value that reads itself, and knows which field of it
// is wrong. The field stands in the path of the error that names the value.
type Fielded interface {
	error
	JSONField() (path, message string)
}

// JSONField makes this error a Fielded one.
func (e *Error) JSONField() (path, message string) { return e.Path, e.Message }

// Join is the path of a field of the value at a path.
func Join(path, field string) string {
	if path == "" || field == "" || strings.HasPrefix(field, "[") {
		return path + field
	}
	return path + "." + field
}

// syntactic describes an error of the form of a text.
func syntactic(dec *jsontext.Decoder, err error) *Error {
	e := &Error{Kind: Syntax, Path: unread(dec), Err: err, Offset: dec.InputOffset()}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		e.Offset = syntax.ByteOffset
	}
	said := err.Error()
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Kind, e.Message = Twice, "it is given twice; give it once"
		if syntax != nil {
			e.Path = twice(dec, syntax.JSONPointer)
		}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Path, e.Message = "", "it ends before its JSON does"
	case strings.Contains(said, "invalid UTF-8"):
		e.Kind, e.Message = NotUnicode, "it holds bytes that are not UTF-8"
	case strings.Contains(said, "surrogate pair"):
		e.Kind, e.Message = NotUnicode, `it holds half of a surrogate pair, such as "\ud83d" alone, which is no character; write the character itself`
	case strings.Contains(said, "max depth"):
		e.Kind, e.Message = TooDeep, fmt.Sprintf("it nests deeper than %d levels; write less at once", MaxDepth)
	default:
		if syntax != nil && syntax.Err != nil {
			said = syntax.Err.Error()
		}
		e.Message = "it is not JSON: " + strings.TrimPrefix(said, "jsontext: ")
	}
	return e
}

// unread is where the value stands that a decoder could not take.
func unread(dec *jsontext.Decoder) string {
	path := place(dec)
	kind, length := dec.StackIndex(dec.StackDepth())
	if dec.StackDepth() == 0 || kind != '[' {
		return path
	}
	if length > 0 {
		path = path[:strings.LastIndexByte(path, '[')]
	}
	return fmt.Sprintf("%s[%d]", path, length)
}

// twice is where a repeated name stands: the decoder has not taken it, so that
// its place is that of the member before.
func twice(dec *jsontext.Decoder, at jsontext.Pointer) string {
	path, name := place(dec), segment(at.LastToken())
	if kind, length := dec.StackIndex(dec.StackDepth()); kind == '{' && length > 0 {
		names := strings.Count(string(dec.StackPointer()), "/")
		if cut := strings.LastIndex(path, "."); cut >= 0 && names > 1 {
			return path[:cut] + "." + name
		}
		return name
	}
	return path + "." + name
}

// semantic describes an error of decoding a text that has been looked through;
// nil stays nil.
func semantic(text []byte, err error) error {
	if err == nil {
		return nil
	}
	var wrong *json.SemanticError
	if !errors.As(err, &wrong) {
		return &Error{Kind: Syntax, Message: err.Error(), Err: err}
	}
	path := locate(text, wrong.JSONPointer)
	var inner Fielded
	if errors.As(wrong.Err, &inner) {
		field, message := inner.JSONField()
		e := &Error{Kind: Type, Path: Join(path, field), Message: message, Err: wrong.Err}
		if own, ok := inner.(*Error); ok {
			e.Kind, e.Takes = own.Kind, own.Takes
		}
		return e
	}
	e := &Error{Kind: Type, Path: path, Err: wrong.Err}
	switch {
	case errors.Is(err, json.ErrUnknownName):
		e.Kind, e.Takes = Unknown, Names(wrong.GoType)
		e.Message = unknown(wrong.JSONPointer.LastToken(), e.Takes)
	case readsText(wrong.GoType) && wrong.JSONKind != '"':
		e.Message = "it is " + kindNames[wrong.JSONKind] + "; write a string"
	case readsItself(wrong.GoType) && wrong.Err != nil:
		e.Message = wrong.Err.Error()
	case wrong.JSONKind == '0' && isNumber(wrong.GoType):
		e.Message = "it is " + clip(string(wrong.JSONValue)) + "; write " + wanted(wrong.GoType)
	case wrong.JSONKind == '"' && isBytes(wrong.GoType):
		e.Message = "it is not base64; write the bytes in the standard alphabet, padded"
	default:
		e.Message = "it is " + kindNames[wrong.JSONKind] + "; write " + wanted(wrong.GoType)
	}
	return e
}

func unknown(name string, takes []string) string {
	for _, known := range takes {
		if strings.EqualFold(known, name) {
			return "there is no such member; write " + known
		}
	}
	if len(takes) == 0 {
		return "there is no such member"
	}
	return "there is no such member; there are " + strings.Join(takes, ", ")
}

var (
	textReader  = reflect.TypeFor[encoding.TextUnmarshaler]()
	valueReader = reflect.TypeFor[json.Unmarshaler]()
)

func readsItself(t reflect.Type) bool { return readsText(t) || implements(t, valueReader) }

func readsText(t reflect.Type) bool { return implements(t, textReader) && !implements(t, valueReader) }

func implements(t, reader reflect.Type) bool {
	if t == nil {
		return false
	}
	if t.Kind() != reflect.Pointer {
		t = reflect.PointerTo(t)
	}
	return t.Implements(reader)
}

func isBytes(t reflect.Type) bool {
	return t != nil && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

func isNumber(t reflect.Type) bool {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t != nil && t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64
}

// wanted says which JSON is read into a type of Go.
func wanted(t reflect.Type) string {
	switch {
	case t == nil:
		return "another value"
	case readsItself(t), t.Kind() == reflect.String:
		return "a string"
	case isBytes(t):
		return "a string in base64"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0 on"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	}
	return "an object"
}
