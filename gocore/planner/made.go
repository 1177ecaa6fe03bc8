package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// runDd reads the operands of dd, which have names instead of dashes.
func runDd(c *cmd) {
	input := false
	for _, a := range c.args {
		i := bytes.IndexByte(a.raw, '=')
		if i < 0 || a.set != nil {
			switch s, ok := a.str(); {
			case ok && (s == "--help" || s == "--version" || s == "--"):
			case ok:
				// dd refuses the word.
			case a.pattern && a.dyn == nil:
				c.opaque(shellplan.OpaqueRole, a.span, "the names a pattern matches could read as operands of dd")
			default:
				c.p.addReason(c.seg, *c.p.reason(firstReason(a.dyn), a.span))
			}
			continue
		}
		value := a.from(i + 1)
		switch string(a.raw[:i]) {
		case "if", "of":
			if value.pattern {
				c.opaque(shellplan.OpaquePattern, a.span, "a pattern in an operand of dd")
				continue
			}
			if a.raw[0] == 'i' {
				input = true
				c.add(value, shellplan.SeatRead, shellplan.Candidate{OptionSafe: true})
			} else {
				c.add(value, shellplan.SeatWrite, shellplan.Candidate{OptionSafe: true})
			}
		default:
			c.listed(a, true)
			if a.many {
				c.p.addReason(c.seg, *c.p.reason(firstReason(a.dyn), a.span))
			}
		}
	}
	if !input {
		c.consumes()
	}
	c.p.printUnknown(c.st)
}

// afterSplit adds the parts that split and csplit write: names that start with
// the prefix.
func afterSplit(c *cmd, p *parsed, r *reading) {
	prefix := field{raw: []byte("x"), span: c.word.span}
	if c.name == "csplit" {
		prefix.raw = []byte("xx")
		if f, ok := p.last("f"); ok {
			prefix = f
		}
	} else if len(p.operands) > 1 {
		prefix = p.operands[1].field
	}
	if prefix.dyn != nil || prefix.set != nil || prefix.pattern {
		c.opaque(shellplan.OpaqueDynamic, prefix.span, "the prefix of the parts is not known")
		return
	}
	if f, ok := p.last("additional-suffix"); ok {
		if s, known := f.str(); !known || strings.Contains(s, "/") {
			c.opaque(shellplan.OpaqueDynamic, f.span, "the suffix of the parts is not known")
		}
	}
	base := prefix.raw[bytes.LastIndexByte(prefix.raw, '/')+1:]
	spelled := prefix
	spelled.raw = append(bytes.Clone(prefix.raw), "aa"...)
	c.add(spelled, shellplan.SeatWrite, shellplan.Candidate{
		Kind: shellplan.KindBeside, Names: [][]byte{append(bytes.Clone(base), '*')}, OptionSafe: true,
	})
}

// afterMktemp adds the made-up name.
func afterMktemp(c *cmd, p *parsed, r *reading) {
	dir := []byte("/tmp")
	if v := c.variable("TMPDIR"); v.kind == valText && len(v.str) > 0 {
		dir = v.str
	} else if v.kind == valUnknown {
		c.environment("TMPDIR")
	}
	below := len(p.operands) == 0 || p.has("p") || p.has("t")
	if f, ok := p.last("p"); ok {
		if f.dyn != nil {
			c.p.addReason(c.seg, *c.p.reason(f.dyn, f.span))
			return
		}
		if len(f.raw) > 0 {
			dir = f.raw
		}
	}
	template := []byte("tmp.XXXXXXXXXX")
	if len(p.operands) > 0 {
		s, ok := p.operands[0].str()
		if !ok {
			c.opaque(shellplan.OpaqueDynamic, p.operands[0].span, "the template of the name is not known")
			return
		}
		template = []byte(s)
	}
	if below {
		template = append(append(bytes.Clone(dir), '/'), template...)
	}
	base := template[bytes.LastIndexByte(template, '/')+1:]
	i := bytes.Index(base, []byte("XXX"))
	if i < 0 {
		return // mktemp refuses it
	}
	c.add(field{raw: template, span: c.word.span}, shellplan.SeatEntry, shellplan.Candidate{
		Kind: shellplan.KindBeside, Names: [][]byte{append(bytes.Clone(base[:i]), '*')}, OptionSafe: true,
	})
}

// parents adds the directories above a word, as the word spells them.
func (c *cmd) parents(o operand) {
	if o.dyn != nil || o.set != nil {
		return
	}
	if o.pattern {
		c.opaque(shellplan.OpaquePattern, o.span, "the directories above the matches of a pattern are not modelled")
		return
	}
	for raw := bytes.TrimRight(o.raw, "/"); ; {
		i := bytes.LastIndexByte(raw, '/')
		if i <= 0 {
			return
		}
		raw = bytes.TrimRight(raw[:i], "/")
		f := o.field
		f.raw = raw
		c.add(f, shellplan.SeatEntry, shellplan.Candidate{OptionSafe: o.safe})
	}
}

// opensCwd adds the working directory, which a program opens to come back to it.
func (c *cmd) opensCwd() {
	c.add(field{raw: []byte("."), span: c.word.span}, shellplan.SeatRead, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: true})
}

// besideOf adds the directory that a file lies in, as the word spells it: some
// programs open it to write it out.
func (c *cmd) besideOf(o operand) {
	if o.dyn != nil || o.set != nil {
		return // a walk lists its directories, a reason is on the segment
	}
	f := o.field
	i := bytes.LastIndexByte(bytes.TrimRight(f.raw, "/"), '/')
	switch {
	case i < 0:
		f = field{raw: []byte("."), span: o.span}
	default:
		f.raw = f.raw[:i+1]
		if f.pattern {
			f.mask = f.mask[:i+1]
			f.pattern = isPattern(f.raw, f.mask)
		}
	}
	c.add(f, shellplan.SeatRead, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: o.safe, DirOnly: true})
}

// removes records that the entries are gone: a link among them is a link no
// more.
func removes(c *cmd, p *parsed, r *reading) {
	for _, n := range r.ops {
		c.p.effect(c.seg, shellplan.Effect{Kind: shellplan.EffectRemove, Candidate: n})
	}
}
