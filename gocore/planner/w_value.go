package planner

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// value is what is known of a variable, a parameter or an expansion.
type value struct {
	kind valueKind
	str  []byte            // valText
	list []value           // valList: the elements of an array
	set  *nameSet          // valSet
	why  *shellplan.Opaque // valUnknown
}

type valueKind uint8

const (
	// valUnknown may be unset or hold anything. The zero value.
	valUnknown valueKind = iota
	valUnset
	valText
	valInt  // an integer that is not known: digits, perhaps a minus
	valList // an array
	valSet  // one name of a set that only the file system knows
)

func textValue(b []byte) value { return value{kind: valText, str: b} }

func textString(s string) value { return value{kind: valText, str: []byte(s)} }

func unknown(why *shellplan.Opaque) value { return value{kind: valUnknown, why: why} }

func (v value) isUnset() bool { return v.kind == valUnset }

func (v value) known() bool { return v.kind == valText || v.kind == valUnset }

func (v value) bytesOrNil() []byte {
	if v.kind == valText {
		return v.str
	}
	return nil
}

// equal compares values for joins; sets compare by identity.
func (v value) equal(w value) bool {
	if v.kind != w.kind {
		return false
	}
	switch v.kind {
	case valText:
		return string(v.str) == string(w.str)
	case valSet:
		return v.set == w.set
	case valList:
		if len(v.list) != len(w.list) {
			return false
		}
		for i := range v.list {
			if !v.list[i].equal(w.list[i]) {
				return false
			}
		}
	}
	return true
}

// isInteger reports whether the text is a plain decimal integer.
func isInteger(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 18 {
		return false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
