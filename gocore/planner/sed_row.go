package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func adjustSed(c *cmd, p *parsed, r *reading) {
	var script []byte
	span, given := c.span, p.has("f")
	known := true
	collect := func(f field) {
		s, ok := f.str()
		if !ok && f.pattern && f.dyn == nil {
			// The word could match the name of a file, which would be another
			// script.
			c.opaque(shellplan.OpaqueRole, f.span, "an unquoted pattern character in the script can match file names")
			known = false
			return
		}
		if !ok {
			c.opaque(shellplan.OpaqueDynamic, f.span, "the sed script is not known")
			known = false
			return
		}
		span = f.span
		if len(script) > 0 {
			script = append(script, '\n')
		}
		script = append(script, s...)
	}
	for i := range p.opts {
		if p.opts[i].spec.key == "e" {
			collect(p.opts[i].value)
			given = true
		}
	}
	if given {
		r.args = "R*"
	} else if len(p.operands) > 0 {
		collect(p.operands[0].field)
	}
	if p.has("i") {
		r.dash = false
	}
	if !known {
		return
	}
	files, why := sedScript(script)
	if why != "" {
		c.opaque(shellplan.OpaqueScript, span, why)
		c.effectAny()
	}
	for _, f := range files {
		seat := shellplan.SeatRead
		if f.write {
			seat = shellplan.SeatWrite
		}
		c.add(lit(f.name, span), seat, shellplan.Candidate{OptionSafe: true})
	}
}

func afterSed(c *cmd, p *parsed, r *reading) {
	if !p.has("i") {
		return
	}
	if p.has("follow-symlinks") {
		c.opaque(shellplan.OpaqueOption, c.word.span, "--follow-symlinks with -i writes beside the link's target")
	}
	suffix, backup := p.last("i")
	for i, o := range p.operands {
		if i >= len(r.roles) || r.roles[i] != 'R' || r.ops[i] < 0 {
			continue
		}
		n := c.add(o.field, shellplan.SeatEntry, shellplan.Candidate{OptionSafe: o.safe})
		c.p.effect(c.seg, shellplan.Effect{Kind: shellplan.EffectReplace, Candidate: n})
		c.add(o.field, shellplan.SeatEntry, shellplan.Candidate{Kind: shellplan.KindBeside, Names: [][]byte{[]byte("sed*")}, OptionSafe: o.safe})
		if !backup || len(suffix.raw) == 0 && suffix.dyn == nil {
			continue
		}
		switch s, ok := suffix.str(); {
		case !ok:
			c.opaque(shellplan.OpaqueDynamic, suffix.span, "the suffix of the backup is not known")
		case bytes.ContainsAny([]byte(s), "*/"):
			c.opaque(shellplan.OpaqueOption, suffix.span, "a backup name with * or / in it is not modelled")
		default:
			if len(o.raw) > 0 && o.set != nil {
				c.opaque(shellplan.OpaqueDynamic, o.span, "the name of the backup is not known")
				continue
			}
			c.add(o.field, shellplan.SeatEntry, shellplan.Candidate{OptionSafe: o.safe, Names: [][]byte{[]byte(s)}})
		}
	}
}
