// Package strictjson reads JSON that was handed in, in one way only: what a
// second reader could take for something else is an error that names the field.
//
// The rules: one value of valid Unicode (half of a surrogate pair is none); no
// member twice; names as they are spelled, with their case; values of their type,
// so that null is no text and no list; whole numbers that every reader takes
// exactly; members that we do not know are refused where the format is ours
// (Unmarshal), and ignored where it is a host's (UnmarshalForeign), unless they
// differ from one that we read by their case alone. Depth is bounded here, size
// by whoever reads the text in.
//
// It decides nothing about what a value means. Go types say what a format is, by
// the json tags of their fields; texts that need not be Unicode travel in a
// sibling member ...Bytes, in base64, which is a []byte.
package strictjson

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MaxDepth bounds arrays and objects within each other: the deepest value
	// that we write ourselves, an establishment whose plans nest as deep as they
	// may (64, three levels each), stays below it.
	MaxDepth = 256
	// MaxInteger is the largest whole number that every reader takes exactly.
	MaxInteger = 1<<53 - 1
)

// Option changes a rule for one reading.
type Option int

// NullIsAbsent takes a member of the outermost object that is null for one that
// was left out, as writers do whose schema must list every member.
const NullIsAbsent Option = iota + 1

// Unmarshal reads a value of a format that is ours. The error is an *Error.
func Unmarshal(text []byte, into any, options ...Option) error {
	rules := scanRules{nulls: true, integers: true}
	for _, o := range options {
		rules.absent = rules.absent || o == NullIsAbsent
	}
	if err := scan(text, rules); err != nil {
		return err
	}
	if rules.absent {
		text = withoutNulls(text)
	}
	// The text has been looked through: names are unique and texts are Unicode.
	err := json.Unmarshal(text, into, jsontext.AllowDuplicateNames(true), json.RejectUnknownMembers(true))
	return semantic(text, err)
}

// withoutNulls takes the null members out of an object that has been looked
// through: what reads itself would be handed a null.
func withoutNulls(text []byte) []byte {
	all, err := members(text)
	if err != nil || !slices.ContainsFunc(all, func(m Member) bool { return IsNull(m.Value) }) {
		return text
	}
	return object(slices.DeleteFunc(all, func(m Member) bool { return IsNull(m.Value) }))
}

// object writes members down.
func object(members []Member) []byte {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, m.Name) // a name that was read is Unicode
		out = append(append(out, ':'), m.Value...)
	}
	return append(out, '}')
}

// UnmarshalEnvelope is Unmarshal for a struct whose Raw fields are other formats:
// they are taken as they stand, by their grammar alone, for whoever reads them.
func UnmarshalEnvelope(text []byte, into any) error {
	all, err := members(text)
	if err != nil {
		return err
	}
	target := reflect.ValueOf(into).Elem()
	var rest []Member
	for _, m := range all {
		if field := rawField(target, m.Name); field.IsValid() {
			field.Set(reflect.ValueOf(m.Value))
			continue
		}
		rest = append(rest, m)
	}
	return Unmarshal(object(rest), into)
}

// rawField is the Raw field of a struct that a member goes to, if there is one.
func rawField(of reflect.Value, name string) reflect.Value {
	for i := range of.NumField() {
		tag, _, _ := strings.Cut(of.Type().Field(i).Tag.Get("json"), ",")
		if tag == name && of.Field(i).Type() == reflect.TypeFor[Raw]() {
			return of.Field(i)
		}
	}
	return reflect.Value{}
}

// UnmarshalForeign reads a value of a host's format into a struct that names the
// members that we look at. Null is for the caller to judge: fields that may be
// null, or of several types, are Raw. The error is an *Error.
func UnmarshalForeign(text []byte, into any) error {
	if err := scan(text, scanRules{}); err != nil {
		return err
	}
	if err := LookAlike(text, Names(reflect.TypeOf(into))); err != nil {
		return err
	}
	return semantic(text, json.Unmarshal(text, into, jsontext.AllowDuplicateNames(true)))
}

// Raw is a value that is read later.
type Raw = jsontext.Value

// Check looks a text through without reading it into anything: whether it is one
// value, in Unicode, with no member twice and not too deep. The error is an
// *Error.
func Check(text []byte) error {
	if err := scan(text, scanRules{}); err != nil {
		return err
	}
	return nil
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Raw
}

// Members reads the members of an object, in their order, as Check looks them
// through. The error is an *Error.
func Members(text []byte) ([]Member, error) {
	if err := Check(text); err != nil {
		return nil, err
	}
	return members(text)
}

// Outline is Members for whoever must answer even what is wrong inside of a
// member: the values are JSON by their grammar alone, and Check is still due.
func Outline(text []byte) ([]Member, error) { return members(text) }

func members(text []byte) ([]Member, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if kind := dec.PeekKind(); kind != '{' {
		if _, err := dec.ReadValue(); err != nil {
			return nil, syntactic(dec, err)
		}
		return nil, &Error{Kind: NotObject, Message: "it is " + kindNames[kind] + "; write an object"}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, syntactic(dec, err)
	}
	var all []Member
	seen := map[string]bool{}
	for dec.PeekKind() != '}' {
		quoted, err := dec.ReadValue()
		if err != nil {
			return nil, syntactic(dec, err)
		}
		unquoted, err := jsontext.AppendUnquote(nil, quoted)
		name := string(unquoted)
		switch {
		case err != nil:
			return nil, &Error{Kind: NotUnicode, Message: "a name in it is no valid Unicode", Err: err}
		case seen[name]:
			return nil, &Error{Kind: Twice, Path: segment(name), Message: "it is given twice; give it once"}
		}
		seen[name] = true
		value, err := dec.ReadValue()
		if err != nil {
			return nil, syntactic(dec, err)
		}
		all = append(all, Member{name, value.Clone()})
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, syntactic(dec, err)
	}
	return all, atEnd(dec)
}

// LookAlike reports a member of an object that differs from one of the names by
// its case alone: another reader would take it for that. The error is an *Error.
func LookAlike(text []byte, names []string) error {
	all, err := members(text)
	if err != nil {
		return err
	}
	for _, m := range all {
		for _, name := range names {
			if m.Name != name && strings.EqualFold(m.Name, name) {
				return &Error{Kind: Unknown, Path: segment(m.Name), Message: "it differs from " + name + " by its case alone, and readers differ in what they make of that; write " + name}
			}
		}
	}
	return nil
}

// Names are the names of the members that a struct has in JSON, in order.
func Names(t reflect.Type) []string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for i := range t.NumField() {
		field := t.Field(i)
		tag, tagged := field.Tag.Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		switch {
		case name == "-":
		case name != "":
			names = append(names, name)
		case field.Anonymous && !tagged:
			names = append(names, Names(field.Type)...)
		case field.IsExported():
			names = append(names, field.Name)
		}
	}
	return names
}

// TypeName says what kind of value a text is.
func TypeName(value []byte) string {
	if trimmed := bytes.TrimLeft(value, " \t\r\n"); len(trimmed) > 0 {
		if name, ok := kindNames[jsontext.Value(trimmed[:1]).Kind()]; ok {
			return name
		}
	}
	return "no JSON"
}

// IsNull reports whether a value is missing or null.
func IsNull(value []byte) bool {
	value = bytes.TrimSpace(value)
	return len(value) == 0 || string(value) == "null"
}

var kindNames = map[jsontext.Kind]string{
	'{': "an object", '[': "an array", '"': "a string", 't': "a boolean", 'f': "a boolean", 'n': "null", '0': "a number",
}
