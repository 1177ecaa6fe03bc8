package shellword

import (
	"strings"
	"sync"
)

// The table describes options and operands in short strings.
//
// An option specification is a list of words, one per option:
//
//	n,lines=V     -n VALUE, --lines VALUE, --lines=VALUE, all abbreviations
//	i,in-place?V  an optional value: -iSUFFIX, --in-place=SUFFIX
//	r,recursive   a switch
//	help!         the command does nothing else
//	pre=P         ends the model (see the roles)
//
// A letter after `=` or `?` is the role of the value; a `:name` at the end of a
// word names the option for the code that looks at it (the first name
// otherwise). The roles of values and operands:
//
//	V  no path                 R  opened for reading, or listed
//	W  written through         E  the entry itself is changed
//	S  stat, links followed    L  stat, links not followed
//	T  a tree that is written  D  a directory to change to
//	P  a program that is run   N  a file that names other files
//	C  a script or a program text that the row reads itself
//	I  a destination: the file, or a name inside the directory
//	X  ends the model: what it does is not modelled
//
// An operand specification is a list of roles, `*` on the one that repeats:
// "V R*" is a pattern and then files, "R* I" sources and a destination.
type optionSpec struct {
	Names []string
	Role  byte // 0 for a switch
	Maybe bool // the value is optional and attached
	exits bool
	Key   string
}

// OptionSet is a parsed specification.
type OptionSet struct {
	Short map[byte]*optionSpec
	long  map[string]*optionSpec
	// negates says that --no-X undoes --X, as git's options do.
	negates bool
}

// ParseOptions reads a specification; it panics on a mistake in the table,
// which a test finds.
func ParseOptions(spec string) *OptionSet {
	set := &OptionSet{Short: map[byte]*optionSpec{}, long: map[string]*optionSpec{}}
	for word := range strings.FieldsSeq(spec) {
		o := &optionSpec{}
		if i := strings.IndexByte(word, ':'); i >= 0 {
			o.Key, word = word[i+1:], word[:i]
		}
		if strings.HasSuffix(word, "!") {
			o.exits, word = true, word[:len(word)-1]
		}
		if i := strings.IndexAny(word, "=?"); i > 0 && i == len(word)-2 {
			o.Maybe, o.Role, word = word[i] == '?', word[i+1], word[:i]
			if strings.IndexByte("VRWESLTDPNCIX", o.Role) < 0 {
				panic("option table: no role " + string(o.Role))
			}
		}
		o.Names = strings.Split(word, ",")
		if o.Key == "" {
			o.Key = o.Names[0]
		}
		for _, n := range o.Names {
			if len(n) == 1 {
				set.Short[n[0]] = o
			} else {
				set.long[n] = o
			}
		}
	}
	return set
}

// refuses reports whether getopt is sure to refuse an abbreviation: it fits
// options that take a value and options that take none, so they cannot be one
// option under two names. Where one of them writes or runs something the answer
// is no, since an older program may know that one only.
func (s *OptionSet) refuses(name string) bool {
	plain, valued := false, false
	for n, o := range s.long {
		if !strings.HasPrefix(n, name) {
			continue
		}
		switch o.Role {
		case 0:
			plain = true
		case 'V', 'R', 'S', 'L':
			valued = true
		default:
			return false
		}
	}
	return plain && valued
}

// findLong looks a long option up: exact, or an abbreviation that fits one
// option only (or several that are the same).
func (s *OptionSet) findLong(name string) (*optionSpec, bool) {
	if o, ok := s.long[name]; ok {
		return o, true
	}
	var found *optionSpec
	for n, o := range s.long {
		if strings.HasPrefix(n, name) {
			if found != nil && found != o {
				return nil, true
			}
			found = o
		}
	}
	return found, found != nil
}

// optionSets keeps parsed specifications: they are read on first use, since a
// command line needs one or two of them.
var optionSets sync.Map

func OptionsOf(spec string, negates bool) *OptionSet {
	if set, ok := optionSets.Load(spec); ok {
		return set.(*OptionSet)
	}
	set := ParseOptions(spec)
	set.negates = negates
	optionSets.Store(spec, set)
	return set
}
