package planner

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// used is one option that the command line gives.
type used struct {
	spec  *optionSpec
	value field
	has   bool // a value was given
	word  field
}

// operand is one operand with whether it stands where no option can be.
type operand struct {
	field
	safe bool
}

// parsed is a command line split into options and operands.
type parsed struct {
	opts     []used
	operands []operand
	seq      []int    // operands by index, options by the complement, in order
	not      []string // options undone by --no-X
	exits    bool     // --help, --version: nothing else happens
	failed   bool     // a reason was added: the split is not reliable
}

func (p *parsed) has(key string) bool {
	for i := range p.opts {
		if p.opts[i].spec.key == key {
			return true
		}
	}
	return false
}

// negated reports whether --no-X was given for the option that has this name.
func (p *parsed) negated(name string) bool {
	for _, k := range p.not {
		if k == name || len(name) > 0 && k == name[:1] {
			return true
		}
	}
	return false
}

// last is the value of the last use of an option.
func (p *parsed) last(key string) (field, bool) {
	for i := len(p.opts) - 1; i >= 0; i-- {
		if p.opts[i].spec.key == key {
			return p.opts[i].value, p.opts[i].has
		}
	}
	return field{}, false
}

// acted reports whether an option with a value was met before: a command opens
// what such an option names before it comes to a later one that ends it
// (`grep -f FILE --version`).
func (p *parsed) acted() bool {
	for i := range p.opts {
		if p.opts[i].has {
			return true
		}
	}
	return false
}

func (p *parsed) operand(o operand) {
	p.seq = append(p.seq, len(p.operands))
	p.operands = append(p.operands, o)
}

func (p *parsed) option(u used) {
	p.seq = append(p.seq, ^len(p.opts))
	p.opts = append(p.opts, u)
}

// style is how a command reads its options.
type style struct {
	stop   bool // options end at the first operand
	digits bool // a digit is an option letter: -20, -n5
	count  bool // a word -20 or -20c is an old form of a count
	plus   bool // +20 or +%F is an operand that is no path
	none   bool // the command parses no options at all
	single bool // long options start with a single dash too (-name)
}

// parse splits the arguments of a command like getopt_long does: options may
// follow operands, values may be attached, long names abbreviated.
func (c *cmd) parse(set *optionSet, st style) parsed {
	var out parsed
	safe := st.none
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		if safe {
			out.operand(operand{a, true})
			continue
		}
		raw := a.raw
		switch {
		case a.set == nil && a.dyn == nil && !a.pattern && string(raw) == "--":
			safe = true
			continue
		case st.plus && a.set == nil && len(raw) > 0 && raw[0] == '+':
			c.listed(a, false)
			continue
		case st.count && a.set == nil && !a.pattern && len(raw) > 1 && raw[0] == '-' && raw[1] >= '0' && raw[1] <= '9':
			continue
		case a.set == nil && len(raw) > 1 && raw[0] == '-' && (!a.pattern || !isMeta(raw[0], a.mask[0])):
			if a.dyn != nil && a.num && string(raw) == "-" && (st.digits || st.count) {
				continue
			}
			n := c.option(set, st, a, c.args[i+1:], &out)
			if n < 0 {
				out.failed = true
				n = 0
			}
			i += n
			continue
		case a.num && string(raw) == "-" && (st.digits || st.count):
			continue // -$n
		case a.dyn != nil && a.mayBeOption() && !a.num:
			why := c.p.reason(a.dyn, a.span)
			if len(why.Detail) > 0 {
				why.Detail += "; it could be an option too"
			}
			c.p.addReason(c.seg, *why)
			out.failed = true
			a.dyn = why
		}
		out.operand(operand{a, false})
		if st.stop {
			safe = true
		}
	}
	return out
}

// option reads the option (or cluster of options) in a and gives how many of
// the following arguments it took, -1 when it is not known.
func (c *cmd) option(set *optionSet, st style, a field, rest []field, out *parsed) int {
	raw := a.raw
	if a.pattern && bytes.IndexByte(raw, '=') < 0 && len(raw) > 1 && raw[1] != '-' {
		// -f*.txt: a file name can turn into other options.
		c.opaque(shellplan.OpaqueRole, a.span, "a pattern inside an option can match names that read as other options")
		return -1
	}
	if bytes.HasPrefix(raw, []byte("--")) || st.single && len(raw) > 2 {
		if o, ok := set.long[strings.TrimLeft(string(raw), "-")]; ok || raw[1] == '-' || !st.single {
			_ = o
			return c.longOption(set, a, rest, out)
		}
	}
	for k := 1; k < len(raw); k++ {
		o := set.short[raw[k]]
		if o == nil {
			if st.digits && raw[k] >= '0' && raw[k] <= '9' {
				continue
			}
			c.opaque(shellplan.OpaqueOption, a.span, fmt.Sprintf("the option -%s of %s is not in the table", printable(raw[k]), c.name))
			return -1
		}
		out.exits = out.exits || o.exits && !out.acted()
		u := used{spec: o, word: a}
		if o.role == 0 {
			out.option(u)
			continue
		}
		if k+1 < len(raw) || a.dyn != nil {
			u.value, u.has = a.from(k+1), true
			out.option(u)
			return 0
		}
		if o.maybe {
			out.option(u)
			continue
		}
		if len(rest) == 0 {
			return 0 // the command reports it and stops
		}
		u.value, u.has = rest[0], true
		out.option(u)
		if rest[0].many || rest[0].pattern {
			c.opaque(shellplan.OpaqueRole, rest[0].span, "the value of an option may be no word or several")
			return -1
		}
		return 1
	}
	if a.dyn != nil && !(a.num && st.digits) {
		c.p.addReason(c.seg, *c.p.reason(a.dyn, a.span))
		return -1
	}
	return 0
}

func printable(b byte) string {
	if b > ' ' && b < 0x7f {
		return string(rune(b))
	}
	return fmt.Sprintf(`\x%02x`, b)
}

func (c *cmd) longOption(set *optionSet, a field, rest []field, out *parsed) int {
	body := a.raw[2:]
	if a.raw[1] != '-' {
		body = a.raw[1:]
	}
	name, eq := body, bytes.IndexByte(body, '=')
	if eq >= 0 {
		name = body[:eq]
	} else if a.dyn != nil || a.pattern {
		c.opaque(shellplan.OpaqueOption, a.span, "which option it is is not known")
		return -1
	}
	o, known := set.findLong(string(name))
	if !known && bytes.HasPrefix(name, []byte("no-")) && set.negates {
		if o, known = set.findLong(string(name[3:])); known && o != nil {
			out.not = append(out.not, o.key)
			return 0
		}
	}
	switch {
	case !known:
		c.opaque(shellplan.OpaqueOption, a.span, fmt.Sprintf("the option --%s of %s is not in the table", clip(string(name), 40), c.name))
		return -1
	case o == nil && (out.acted() || !set.refuses(string(name))):
		c.opaque(shellplan.OpaqueOption, a.span, fmt.Sprintf("the abbreviation --%s fits more than one option of %s", clip(string(name), 40), c.name))
		return -1
	case o == nil:
		out.exits = true // the command refuses it and stops
		return 0
	}
	out.exits = out.exits || o.exits && !out.acted()
	u := used{spec: o, word: a}
	switch {
	case eq >= 0 && o.role == 0:
		return 0 // the command refuses a value here and stops
	case eq >= 0:
		u.value, u.has = a.from(len(a.raw)-len(body)+eq+1), true
		if u.value.pattern && o.role != 'V' {
			c.opaque(shellplan.OpaquePattern, a.span, "a pattern in the value of an option that is a path")
			return -1
		}
	case o.role != 0 && !o.maybe:
		if len(rest) == 0 {
			return 0
		}
		u.value, u.has = rest[0], true
		out.option(u)
		if rest[0].many || rest[0].pattern {
			c.opaque(shellplan.OpaqueRole, rest[0].span, "the value of an option may be no word or several")
			return -1
		}
		return 1
	}
	out.option(u)
	return 0
}

// from is the part of a word behind the first n bytes.
func (f field) from(n int) field {
	g := f
	g.raw = f.raw[n:]
	g.pattern = false
	if f.mask != nil {
		g.mask = f.mask[n:]
		g.pattern = isPattern(g.raw, g.mask)
	}
	if len(g.raw) == 0 && f.dyn != nil {
		g.raw = nil
	}
	return g
}
