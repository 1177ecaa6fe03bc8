package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// runDd reads the operands of dd, which have names instead of dashes.
func runDd(c *cmd) {
	input := false
	for _, a := range c.args {
		i := bytes.IndexByte(a.Raw, '=')
		if i < 0 || a.Set != nil {
			switch s, ok := a.Plain(); {
			case ok && (s == "--help" || s == "--version" || s == "--"):
			case ok:
				// dd refuses the word.
			case a.Pattern && a.Dyn == nil:
				c.opaque(shellplan.OpaqueRole, a.Span, "the names a pattern matches could read as operands of dd")
			default:
				c.p.addReason(c.seg, *c.p.reason(firstReason(a.Dyn), a.Span))
			}
			continue
		}
		value := a.From(i + 1)
		switch string(a.Raw[:i]) {
		case "if", "of":
			if value.Pattern {
				c.opaque(shellplan.OpaquePattern, a.Span, "a pattern in an operand of dd")
				continue
			}
			if a.Raw[0] == 'i' {
				input = true
				c.add(value, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
			} else {
				c.add(value, shellplan.AccessWrite, shellplan.Candidate{OptionSafe: true})
			}
		default:
			c.listed(a, true)
			if a.Many {
				c.p.addReason(c.seg, *c.p.reason(firstReason(a.Dyn), a.Span))
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
func afterSplit(c *cmd, p *shellword.Parsed, r *reading) {
	prefix := shellword.Field{Raw: []byte("x"), Span: c.word.Span}
	if c.name == "csplit" {
		prefix.Raw = []byte("xx")
		if f, ok := p.Last("f"); ok {
			prefix = f
		}
	} else if len(p.Operands) > 1 {
		prefix = p.Operands[1].Field
	}
	if prefix.Dyn != nil || prefix.Set != nil || prefix.Pattern {
		c.opaque(shellplan.OpaqueDynamic, prefix.Span, "the prefix of the parts is not known")
		return
	}
	if f, ok := p.Last("additional-suffix"); ok {
		if s, known := f.Plain(); !known || strings.Contains(s, "/") {
			c.opaque(shellplan.OpaqueDynamic, f.Span, "the suffix of the parts is not known")
		}
	}
	base := prefix.Raw[bytes.LastIndexByte(prefix.Raw, '/')+1:]
	spelled := prefix
	spelled.Raw = append(bytes.Clone(prefix.Raw), "aa"...)
	c.add(spelled, shellplan.AccessWrite, shellplan.Candidate{
		Kind: shellplan.KindBeside, Names: [][]byte{append(bytes.Clone(base), '*')}, OptionSafe: true,
	})
}

// afterMktemp adds the made-up name.
func afterMktemp(c *cmd, p *shellword.Parsed, r *reading) {
	dir := []byte("/tmp")
	if v := c.variable("TMPDIR"); v.Kind == shellword.ValueText && len(v.Text) > 0 {
		dir = v.Text
	} else if v.Kind == shellword.ValueUnknown {
		c.environment("TMPDIR")
	}
	below := len(p.Operands) == 0 || p.Has("p") || p.Has("t")
	if f, ok := p.Last("p"); ok {
		if f.Dyn != nil {
			c.p.addReason(c.seg, *c.p.reason(f.Dyn, f.Span))
			return
		}
		if len(f.Raw) > 0 {
			dir = f.Raw
		}
	}
	template := []byte("tmp.XXXXXXXXXX")
	if len(p.Operands) > 0 {
		s, ok := p.Operands[0].Plain()
		if !ok {
			c.opaque(shellplan.OpaqueDynamic, p.Operands[0].Span, "the template of the name is not known")
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
	c.add(shellword.Field{Raw: template, Span: c.word.Span}, shellplan.AccessEntry, shellplan.Candidate{
		Kind: shellplan.KindBeside, Names: [][]byte{append(bytes.Clone(base[:i]), '*')}, OptionSafe: true,
	})
}

// parents adds the directories above a word, as the word spells them.
func (c *cmd) parents(o shellword.Operand) {
	if o.Dyn != nil || o.Set != nil {
		return
	}
	if o.Pattern {
		c.opaque(shellplan.OpaquePattern, o.Span, "the directories above the matches of a pattern are not modelled")
		return
	}
	for raw := bytes.TrimRight(o.Raw, "/"); ; {
		i := bytes.LastIndexByte(raw, '/')
		if i <= 0 {
			return
		}
		raw = bytes.TrimRight(raw[:i], "/")
		f := o.Field
		f.Raw = raw
		c.add(f, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: o.Safe})
	}
}

// opensCwd adds the working directory, which a program opens to come back to it.
func (c *cmd) opensCwd() {
	c.add(shellword.Field{Raw: []byte("."), Span: c.word.Span}, shellplan.AccessRead, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: true})
}

// besideOf adds the directory that a file lies in, as the word spells it: some
// programs open it to write it out.
func (c *cmd) besideOf(o shellword.Operand) {
	if o.Dyn != nil || o.Set != nil {
		return // a walk lists its directories, a reason is on the segment
	}
	f := o.Field
	i := bytes.LastIndexByte(bytes.TrimRight(f.Raw, "/"), '/')
	switch {
	case i < 0:
		f = shellword.Field{Raw: []byte("."), Span: o.Span}
	default:
		f.Raw = f.Raw[:i+1]
		if f.Pattern {
			f.Mask = f.Mask[:i+1]
			f.Pattern = shellword.IsPattern(f.Raw, f.Mask)
		}
	}
	c.add(f, shellplan.AccessRead, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: o.Safe, DirOnly: true})
}

// removes records that the entries are gone: a link among them is a link no
// more.
func removes(c *cmd, p *shellword.Parsed, r *reading) {
	for _, n := range r.ops {
		c.p.effect(c.seg, shellplan.Effect{Kind: shellplan.EffectRemove, Candidate: n})
	}
}
