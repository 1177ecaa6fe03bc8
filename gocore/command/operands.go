package command

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// operands gives each operand its role, or each role it may have when a pattern
// or an unknown number of words shifts them.
func (c *Call) operands(list []shellword.Operand, rd *reading) {
	front, rest, back := splitArgs(rd.args)
	n := len(list)
	rd.ops, rd.roles = make([]int, n), make([]byte, n)
	shifting := -1 // the first operand that may be other than one word
	last := -1
	for i := range list {
		if c.several(list[i].Field) {
			if shifting < 0 {
				shifting = i
			}
			last = i
		}
	}
	repeated := 0
	for i := range list {
		var roles []byte
		if shifting < 0 {
			roles = []byte{roleAt(i, n, front, rest, back)}
		} else {
			roles = rolesOf(i, list, shifting, last, front, rest, back)
		}
		rd.ops[i] = c.operandRoles(roles, list[i], rd)
		rd.roles[i] = roles[0]
		if rest != 0 && bytes.IndexByte(roles, rest) >= 0 {
			repeated++
		}
	}
	if repeated == 0 && rd.dot && shifting < 0 {
		f := shellword.Literal([]byte("."), c.Word.Span)
		with := rd.read
		with.OptionSafe, with.Implicit = true, shellplan.ImplicitJudged
		f.Text = nil
		c.Add(f, shellplan.AccessRead, with)
	}
}

func (c *Call) operandRoles(roles []byte, o shellword.Operand, rd *reading) int {
	script := bytes.IndexByte(roles, 'C') >= 0 || bytes.IndexByte(roles, 'I') >= 0 || bytes.IndexByte(roles, 'P') >= 0
	if len(roles) > 1 && script {
		c.Opaque(shellplan.OpaqueRole, o.Span, "the number of words it becomes decides which operand is which")
		return c.role('R', o.Field, o.Safe, rd, o.Field)
	}
	at := -1
	for _, r := range roles {
		if n := c.role(r, o.Field, o.Safe, rd, o.Field); n >= 0 || at < 0 {
			at = n
		}
	}
	return at
}

// splitArgs reads an operand specification: roles before the repeated one, the
// repeated one (0 for none), roles after it.
func splitArgs(spec string) (front []byte, rest byte, back []byte) {
	for word := range strings.FieldsSeq(spec) {
		switch {
		case strings.HasSuffix(word, "*"):
			rest = word[0]
		case rest != 0:
			back = append(back, word[0])
		default:
			front = append(front, word[0])
		}
	}
	return front, rest, back
}

// roleAt is the role of operand i of n, when every operand is one word.
func roleAt(i, n int, front []byte, rest byte, back []byte) byte {
	if i < len(front) {
		return front[i]
	}
	if fromEnd := n - 1 - i; fromEnd < len(back) {
		return back[len(back)-1-fromEnd]
	}
	if rest == 0 {
		return 'V' // more operands than the command takes: it refuses them
	}
	return rest
}

// rolesOf is every role that operand i can have when operands from shifting to
// last may be several words, or none.
func rolesOf(i int, list []shellword.Operand, shifting, last int, front []byte, rest byte, back []byte) []byte {
	low, high := 0, i
	for j := range i {
		if !list[j].Many {
			low++
		}
	}
	if shifting <= i {
		high = 1 << 20
	}
	endLow, endHigh := 0, len(list)-1-i
	for j := i + 1; j < len(list); j++ {
		if !list[j].Many {
			endLow++
		}
	}
	if last >= i {
		endHigh = 1 << 20
	}
	var roles []byte
	add := func(r byte) {
		if bytes.IndexByte(roles, r) < 0 {
			roles = append(roles, r)
		}
	}
	for t, r := range front {
		if low <= t && t <= high {
			add(r)
		}
	}
	for t := range back {
		if endLow <= t && t <= endHigh && high >= len(front) {
			add(back[len(back)-1-t])
		}
	}
	if high >= len(front) && endHigh >= len(back) {
		if rest == 0 {
			add('V')
		} else {
			add(rest)
		}
	}
	if len(roles) == 0 {
		add('V')
	}
	return roles
}

// passes is what a filter without operands prints of its input.
func (c *Call) passes(r *row, p *shellword.Parsed) *shellword.Output {
	plain := true
	nul := false
	for i := range p.Opts {
		switch k := p.Opts[i].Spec.Key; {
		case k == "c" || k == "num":
			return nil
		case k == "z":
			nul = true
		default:
			plain = false
		}
	}
	switch in := c.Stdin; {
	case in.Kind == shellword.InputText && r.filter == "all" && plain && len(in.Text) <= shellword.MaxOutput:
		return &shellword.Output{Kind: shellword.OutputText, Text: in.Text}
	case in.Kind == shellword.InputNames && in.Nul == nul:
		return &shellword.Output{Kind: shellword.OutputNames, Sets: in.Sets, Nul: nul}
	}
	return nil
}

// standard parses options and operands and makes candidates of them. It reports
// whether the command does anything at all.
func (c *Call) standard(r *row) bool {
	p := c.Parse(r.options(), r.style)
	if p.Exits {
		return false
	}
	if r.quiet && (p.Has("v") || p.Has("verbose") || p.Has("c")) {
		c.Printed = &shellword.Output{Kind: shellword.OutputUnknown} // what it did
	}
	rd := &reading{args: r.args, dash: r.dash, dot: r.dot, read: r.read, optValues: map[string][]int{}}
	if r.adjust != nil {
		r.adjust(c, &p, rd)
	}
	for i := range p.Opts {
		u := &p.Opts[i]
		if u.Spec.Role == 'X' || u.Spec.Role == 'P' || u.Has {
			n := c.role(u.Spec.Role, u.Value, true, &reading{dash: rd.dash}, u.Word)
			rd.optValues[u.Spec.Key] = append(rd.optValues[u.Spec.Key], n)
		}
	}
	if !rd.skip {
		c.operands(p.Operands, rd)
	}
	if r.after != nil {
		r.after(c, &p, rd)
	}
	_, rest, _ := splitArgs(rd.args)
	reads := r.stdin || rest == 'R' && len(p.Operands) == 0 && !rd.dot || rest == 0 && len(p.Operands) == 0
	if reads {
		if r.filter != "" && c.Printed == nil && !p.Failed && (len(p.Operands) == 0 || r.stdin) {
			c.Printed = c.passes(r, &p)
		}
		c.Consumes()
	}
	return true
}
