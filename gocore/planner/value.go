package planner

import "github.com/hydraharness/harness-runtime/gocore/shellplan"

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

// nameSet stands for a name among those a pattern matches, a walk finds or a
// listing prints. It is bound to the directory it was taken in.
type nameSet struct {
	word      shellplan.Word       // the pattern, or the root of the walk
	chdir     []shellplan.CwdStep  // on top of the directory
	traversal *shellplan.Traversal // nil for a pattern
	cwdKey    string               // the directory the names are relative to
	prefixed  bool                 // the names carry a literal prefix that is no dash
	resplit   bool                 // the names were read again as words
	bare      bool                 // names without their directory (ls): word is `*`
	// derived: a text made of such a name that holds no further slash. dir
	// is what stands before it, tail what stands behind it; see derived.go.
	derived   bool
	dir, tail []byte
	text      []byte // how the source spells it
	span      shellplan.Span
}

// literal is the name when the set is one plain word.
func (s *nameSet) literal() ([]byte, bool) {
	if s.word.Pattern || s.traversal != nil || s.bare || len(s.chdir) > 0 {
		return nil, false
	}
	return s.word.Raw, true
}

func textValue(b []byte) value            { return value{kind: valText, str: b} }
func textString(s string) value           { return value{kind: valText, str: []byte(s)} }
func unknown(why *shellplan.Opaque) value { return value{kind: valUnknown, why: why} }
func (v value) isUnset() bool             { return v.kind == valUnset }
func (v value) known() bool               { return v.kind == valText || v.kind == valUnset }
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

// maxAlternatives is how many values of one variable are kept apart after
// branches; more become unknown. Each multiplies the reading of a word.
const maxAlternatives = 8

// variable is a shell variable: one value, or several when branches joined.
type variable struct {
	alts     []value
	exported bool
	// array says that alternatives are lists or that it was declared one.
	array bool
	// odd says that an attribute changes assignments (-i, -l, -u, -n, -r):
	// its value is never known again.
	odd bool
	// evaluates says that the shell evaluates what is assigned: it is an
	// integer or a reference to another variable.
	evaluates bool
	// fixed says that it is or may be readonly: an assignment may fail and
	// leave the old value.
	fixed bool
}

func single(v value, exported bool) *variable {
	return &variable{alts: []value{v}, exported: exported}
}

// merge joins two variables; nil is a variable that is unset.
func merge(a, b *variable) *variable {
	if a == b {
		return a
	}
	if a == nil {
		a = single(value{kind: valUnset}, false)
	}
	if b == nil {
		b = single(value{kind: valUnset}, false)
	}
	out := &variable{
		exported: a.exported || b.exported, array: a.array || b.array, odd: a.odd || b.odd, evaluates: a.evaluates || b.evaluates, fixed: a.fixed || b.fixed,
	}
	add := func(v value) {
		for _, have := range out.alts {
			if have.equal(v) {
				return
			}
		}
		out.alts = append(out.alts, v)
	}
	for _, v := range a.alts {
		add(v)
	}
	for _, v := range b.alts {
		add(v)
	}
	out.widen()
	return out
}

// widen keeps the number of alternatives bounded.
func (v *variable) widen() {
	ints, all := true, len(v.alts)
	for _, a := range v.alts {
		if a.kind == valUnknown {
			v.alts = []value{a}
			return
		}
		if a.kind != valInt && (a.kind != valText || !isInteger(a.str)) {
			ints = false
		}
	}
	if all <= maxAlternatives {
		return
	}
	if ints {
		v.alts = []value{{kind: valInt}}
		return
	}
	v.alts = []value{unknown(&shellplan.Opaque{
		Code: shellplan.OpaqueDynamic, Detail: "the variable has more values than are kept apart",
	})}
}
