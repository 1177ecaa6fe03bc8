package shellword

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Used is one option that the command line gives.
type Used struct {
	Spec  *optionSpec
	Value Field
	Has   bool // a value was given
	Word  Field
}

// Operand is one operand with whether it stands where no option can be.
type Operand struct {
	Field
	Safe bool
}

// Parsed is a command line split into options and operands.
type Parsed struct {
	Opts     []Used
	Operands []Operand
	Seq      []int    // operands by index, options by the complement, in order
	not      []string // options undone by --no-X
	Exits    bool     // --help, --version: nothing else happens
	Failed   bool     // a reason was added: the split is not reliable
}

func (p *Parsed) Has(key string) bool {
	for i := range p.Opts {
		if p.Opts[i].Spec.Key == key {
			return true
		}
	}
	return false
}

// Negated reports whether --no-X was given for the option that has this name.
func (p *Parsed) Negated(name string) bool {
	for _, k := range p.not {
		if k == name || len(name) > 0 && k == name[:1] {
			return true
		}
	}
	return false
}

// Last is the value of the last use of an option.
func (p *Parsed) Last(key string) (Field, bool) {
	for i := len(p.Opts) - 1; i >= 0; i-- {
		if p.Opts[i].Spec.Key == key {
			return p.Opts[i].Value, p.Opts[i].Has
		}
	}
	return Field{}, false
}

// acted reports whether an operand or an option with a value was met before: a
// command opens what such an option names before it comes to a later one that
// ends it (`grep -f FILE --version`), and one that takes its arguments in order
// has opened the operand, too (`less FILE --version`).
func (p *Parsed) acted() bool {
	if len(p.Operands) > 0 {
		return true
	}
	for i := range p.Opts {
		if p.Opts[i].Has {
			return true
		}
	}
	return false
}

func (p *Parsed) operand(o Operand) {
	p.Seq = append(p.Seq, len(p.Operands))
	p.Operands = append(p.Operands, o)
}

func (p *Parsed) option(u Used) {
	p.Seq = append(p.Seq, ^len(p.Opts))
	p.Opts = append(p.Opts, u)
}

// Style is how a command reads its options.
type Style struct {
	Stop   bool // options end at the first operand
	Digits bool // a digit is an option letter: -20, -n5
	Count  bool // a word -20 or -20c is an old form of a count
	Plus   bool // +20 or +%F is an operand that is no path
	None   bool // the command parses no options at all
	Single bool // long options start with a single dash too (-name)
	Alone  bool // letters do not cluster: `-rh` is read as `-r` and the rest passed over
	GoesOn bool // an option that is refused does not end the program: the next words are still its files
}

// Reporter takes what is found while a command line is split.
type Reporter interface {
	// Opaque adds a reason at a place of the source.
	Opaque(code shellplan.OpaqueCode, span shellplan.Span, detail string)
	// Reason gives a reason found elsewhere the place of the word that meets it.
	Reason(why *shellplan.Opaque, span shellplan.Span) *shellplan.Opaque
	// AddReason adds a reason.
	AddReason(why shellplan.Opaque)
	// Listed takes a word that is no path: as a pattern it lists directories all
	// the same.
	Listed(f Field, safe bool)
}

// commandLine is a command line while it is split.
type commandLine struct {
	name string
	to   Reporter
}

// Parse splits the arguments of a command like getopt_long does: options may
// follow operands, values may be attached, long names abbreviated.
func Parse(name string, args []Field, set *OptionSet, st Style, to Reporter) Parsed {
	c := commandLine{name, to}
	var out Parsed
	safe := st.None
	for i := 0; i < len(args); i++ {
		a := args[i]
		if safe {
			out.operand(Operand{a, true})
			continue
		}
		raw := a.Raw
		switch {
		case a.Set == nil && a.Dyn == nil && !a.Pattern && string(raw) == "--":
			safe = true
			continue
		case st.Plus && a.Set == nil && len(raw) > 0 && raw[0] == '+':
			c.to.Listed(a, false)
			continue
		case st.Count && a.Set == nil && !a.Pattern && len(raw) > 1 && raw[0] == '-' && raw[1] >= '0' && raw[1] <= '9':
			continue
		case a.Set == nil && len(raw) > 1 && raw[0] == '-' && (!a.Pattern || !isMeta(raw[0], a.Mask[0])):
			if a.Dyn != nil && a.Num && string(raw) == "-" && (st.Digits || st.Count) {
				continue
			}
			n := c.option(set, st, a, args[i+1:], &out)
			if n < 0 {
				out.Failed = true
				n = 0
			}
			i += n
			continue
		case a.Num && string(raw) == "-" && (st.Digits || st.Count):
			continue // -$n
		case a.Dyn != nil && a.MayBeOption() && !a.Num:
			why := c.to.Reason(a.Dyn, a.Span)
			if len(why.Detail) > 0 {
				why.Detail += "; it could be an option too"
			}
			c.to.AddReason(*why)
			out.Failed = true
			a.Dyn = why
		}
		out.operand(Operand{a, false})
		if st.Stop {
			safe = true
		}
	}
	return out
}

// option reads the option (or cluster of options) in a and gives how many of
// the following arguments it took, -1 when it is not known.
func (c *commandLine) option(set *OptionSet, st Style, a Field, rest []Field, out *Parsed) int {
	raw := a.Raw
	if a.Pattern && bytes.IndexByte(raw, '=') < 0 && len(raw) > 1 && raw[1] != '-' {
		// -f*.txt: a file name can turn into other options.
		c.to.Opaque(shellplan.OpaqueRole, a.Span, "a pattern inside an option can match names that read as other options")
		return -1
	}
	if bytes.HasPrefix(raw, []byte("--")) || st.Single && len(raw) > 2 {
		if o, ok := set.long[strings.TrimLeft(string(raw), "-")]; ok || raw[1] == '-' || !st.Single {
			_ = o
			return c.longOption(set, st, a, rest, out)
		}
	}
	for k := 1; k < len(raw); k++ {
		o := set.Short[raw[k]]
		if o == nil {
			if st.Digits && raw[k] >= '0' && raw[k] <= '9' {
				continue
			}
			c.to.Opaque(shellplan.OpaqueOption, a.Span, fmt.Sprintf("the option -%s of %s is not in the table", Printable(raw[k]), c.name))
			return -1
		}
		out.Exits = out.Exits || o.exits && !out.acted()
		u := Used{Spec: o, Word: a}
		if o.Role == 0 {
			if st.Alone && len(raw) > 2 {
				c.to.Opaque(shellplan.OpaqueOption, a.Span, c.name+" does not take letters together, and reads such a word in its own way")
				return -1
			}
			out.option(u)
			continue
		}
		if k+1 < len(raw) || a.Dyn != nil {
			u.Value, u.Has = a.From(k+1), true
			out.option(u)
			return 0
		}
		if o.Maybe {
			out.option(u)
			continue
		}
		if len(rest) == 0 {
			return 0 // the command reports it and stops
		}
		u.Value, u.Has = rest[0], true
		out.option(u)
		if rest[0].Many || rest[0].Pattern {
			c.to.Opaque(shellplan.OpaqueRole, rest[0].Span, "the value of an option may be no word or several")
			return -1
		}
		return 1
	}
	if a.Dyn != nil && !(a.Num && st.Digits) {
		c.to.AddReason(*c.to.Reason(a.Dyn, a.Span))
		return -1
	}
	return 0
}

// longOption reads one option by its name, and returns how many words it took; -1 ends
// the reading. Long because a name can be whole, shortened, negated, unknown or not
// plain text, and each of them with and without a value behind "=".
func (c *commandLine) longOption(set *OptionSet, st Style, a Field, rest []Field, out *Parsed) int {
	body := a.Raw[2:]
	if a.Raw[1] != '-' {
		body = a.Raw[1:]
	}
	name, eq := body, bytes.IndexByte(body, '=')
	if eq >= 0 {
		name = body[:eq]
	} else if a.Dyn != nil || a.Pattern {
		c.to.Opaque(shellplan.OpaqueOption, a.Span, "which option it is is not known")
		return -1
	}
	o, known := set.findLong(string(name))
	if st.GoesOn && known && (o == nil || set.long[string(name)] == nil || eq >= 0 && o.Role == 0) {
		c.to.Opaque(shellplan.OpaqueOption, a.Span, fmt.Sprintf("%s may refuse --%s and go on", c.name, Clip(string(body), 40)))
		return -1
	}
	if !known && bytes.HasPrefix(name, []byte("no-")) && set.negates {
		if o, known = set.findLong(string(name[3:])); known && o != nil {
			out.not = append(out.not, o.Key)
			return 0
		}
	}
	switch {
	case !known:
		c.to.Opaque(shellplan.OpaqueOption, a.Span, fmt.Sprintf("the option --%s of %s is not in the table", Clip(string(name), 40), c.name))
		return -1
	case o == nil && (out.acted() || !set.refuses(string(name))):
		c.to.Opaque(shellplan.OpaqueOption, a.Span, fmt.Sprintf("the abbreviation --%s fits more than one option of %s", Clip(string(name), 40), c.name))
		return -1
	case o == nil:
		out.Exits = true // the command refuses it and stops
		return 0
	}
	out.Exits = out.Exits || o.exits && !out.acted()
	u := Used{Spec: o, Word: a}
	switch {
	case eq >= 0 && o.Role == 0:
		if a.Pattern {
			c.to.Listed(a, false)
		}
		return 0 // the command refuses a value here and stops
	case eq >= 0:
		u.Value, u.Has = a.From(len(a.Raw)-len(body)+eq+1), true
		if u.Value.Pattern && o.Role != 'V' {
			c.to.Opaque(shellplan.OpaquePattern, a.Span, "a pattern in the value of an option that is a path")
			return -1
		}
	case o.Role != 0 && !o.Maybe:
		if len(rest) == 0 {
			return 0
		}
		u.Value, u.Has = rest[0], true
		out.option(u)
		if rest[0].Many || rest[0].Pattern {
			c.to.Opaque(shellplan.OpaqueRole, rest[0].Span, "the value of an option may be no word or several")
			return -1
		}
		return 1
	}
	out.option(u)
	return 0
}

func Fields(list []Operand) []Field {
	out := make([]Field, 0, len(list))
	for _, o := range list {
		out = append(out, o.Field)
	}
	return out
}
