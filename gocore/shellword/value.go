package shellword

import (
	"bytes"
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Value is what is known of a variable, a parameter or an expansion.
type Value struct {
	Kind valueKind
	Text []byte            // valText
	List []Value           // valList: the elements of an array
	Set  *NameSet          // valSet
	Why  *shellplan.Opaque // valUnknown
}

type valueKind uint8

const (
	// ValueUnknown may be unset or hold anything. The zero value.
	ValueUnknown valueKind = iota
	ValueUnset
	ValueText
	ValueInt  // an integer that is not known: digits, perhaps a minus
	ValueList // an array
	ValueSet  // one name of a set that only the file system knows
)

func TextValue(b []byte) Value { return Value{Kind: ValueText, Text: b} }

func StringValue(s string) Value { return Value{Kind: ValueText, Text: []byte(s)} }

func Unknown(why *shellplan.Opaque) Value { return Value{Kind: ValueUnknown, Why: why} }

func (v Value) Known() bool { return v.Kind == ValueText || v.Kind == ValueUnset }

// Equal compares values for joins; sets compare by identity.
func (v Value) Equal(w Value) bool {
	if v.Kind != w.Kind {
		return false
	}
	switch v.Kind {
	case ValueText:
		return string(v.Text) == string(w.Text)
	case ValueSet:
		return v.Set == w.Set
	case ValueList:
		if len(v.List) != len(w.List) {
			return false
		}
		for i := range v.List {
			if !v.List[i].Equal(w.List[i]) {
				return false
			}
		}
	}
	return true
}

// Lines are the values that one variable can get from a text, the empty one at its
// end included; none when there are more than most, or when a backslash joins lines.
func Lines(t []byte, nul, keepBlanks, raw bool, most int) []Value {
	sep := []byte("\n")
	if nul {
		sep = []byte{0}
	}
	if !raw && bytes.IndexByte(t, '\\') >= 0 {
		return nil
	}
	var out []Value
	for line := range bytes.SplitSeq(t, sep) {
		if !keepBlanks {
			line = bytes.Trim(line, " \t\n")
		}
		v := TextValue(line)
		if !slices.ContainsFunc(out, v.Equal) {
			out = append(out, v)
		}
		if len(out) > most {
			return nil
		}
	}
	return out
}
