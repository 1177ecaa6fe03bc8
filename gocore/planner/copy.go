package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// target splits off -t DIR: it adds the destination once the sources are known.
func (c *cmd) target(p *parsed, r *reading, sources string) {
	if p.has("t") {
		r.args = sources
	}
}

func adjustCopy(c *cmd, p *parsed, r *reading) {
	c.target(p, r, "R*")
	recursive := p.has("r") || p.has("a")
	keep := p.has("P") || p.has("a") || p.has("d") || recursive // links stay links
	follow := p.has("L")
	r.read.NoFollow = keep && !follow && !p.has("H")
	if recursive {
		walk := &shellplan.Traversal{FollowRoot: follow || p.has("H"), Links: shellplan.LinksSkip, Hidden: true}
		if follow {
			walk.Links = shellplan.LinksFollow
		}
		r.read.Traversal = walk
	}
	if p.has("s") { // the sources are only the text of the links
		r.args = strings.Replace(r.args, "R", "L", 1)
		if recursive {
			r.args = strings.Replace(r.args, "L", "R", 1) // it lists the directories
			r.read.Traversal.DirsOnly, r.read.DirOnly = true, true
		}
	}
}

func adjustMove(c *cmd, p *parsed, r *reading) {
	c.target(p, r, "E*")
	if p.has("exchange") {
		c.opaque(shellplan.OpaqueOption, c.word.span, "mv --exchange is not modelled")
	}
}

func adjustLink(c *cmd, p *parsed, r *reading) {
	sources := "R*"
	if p.has("s") {
		sources = "V*"
	}
	r.read.NoFollow = !p.has("L")
	switch {
	case p.has("t"):
		r.args = sources
	case len(p.operands) == 1:
		r.args = sources // the link is made in the working directory
	default:
		r.args = sources + " I"
	}
}

func adjustInstall(c *cmd, p *parsed, r *reading) {
	c.target(p, r, "R*")
	if p.has("d") {
		r.args = "E*"
		r.write.Parents = true
	}
	if p.has("d") || p.has("D") {
		c.opensCwd()
	}
	if p.has("s") {
		c.opaque(shellplan.OpaqueProgram, c.word.span, "install -s runs a program to strip the file")
	}
}

// afterCopy adds the destination of cp, mv, ln and install, which role left
// alone, and the effects on names.
func afterCopy(c *cmd, p *parsed, r *reading) {
	if c.name == "install" && p.has("d") {
		return
	}
	var dest field
	safe, always := true, false
	sources := p.operands
	switch t, ok := p.last("t"); {
	case ok:
		dest, always = t, true
	case c.name == "ln" && len(p.operands) == 1:
		dest, always = field{raw: []byte("."), span: p.operands[0].span}, true
	case len(p.operands) < 2:
		if len(p.operands) == 1 && c.several(p.operands[0].field) {
			c.opaque(shellplan.OpaqueRole, p.operands[0].span, "which of the words is the destination is not known")
		}
		return
	default:
		last := p.operands[len(p.operands)-1]
		dest, safe = last.field, last.safe
		sources = p.operands[:len(p.operands)-1]
		if c.several(last.field) {
			return // its reason was added with the roles
		}
		always = len(sources) > 1
	}
	if dest.dyn != nil {
		c.add(dest, shellplan.SeatEntry, shellplan.Candidate{})
		return
	}
	into := &shellplan.Into{Always: always && !p.has("T")}
	var from []int
	many := false
	for i, o := range sources {
		many = many || c.several(o.field)
		if i < len(r.ops) && r.ops[i] >= 0 {
			from = append(from, r.ops[i])
		} else if base := lastComponent(o.raw); base != nil && o.dyn == nil && o.set == nil && !o.pattern {
			into.Names = append(into.Names, base)
		}
	}
	into.From = from
	if p.has("T") || len(from) == 0 && len(into.Names) == 0 {
		into = nil
	}
	with := shellplan.Candidate{Into: into, OptionSafe: safe}
	c.destination(p, dest, with, sources, from)
}

// destination adds the destination at the seats the command uses.
func (c *cmd) destination(p *parsed, dest field, with shellplan.Candidate, sources []operand, from []int) {
	var n int
	recursive := c.name == "cp" && (p.has("r") || p.has("a"))
	switch {
	case c.name == "cp" && p.has("parents"):
		with.Into, with.Traversal = nil, treeWalk
		n = c.add(dest, shellplan.SeatTree, with)
	case recursive:
		with.Traversal = treeWalk
		n = c.add(dest, shellplan.SeatTree, with)
	case c.name == "cp" && !p.has("remove-destination") && !p.has("l") && !p.has("s"):
		n = c.add(dest, shellplan.SeatWrite, with)
		if p.has("P") || p.has("d") || p.has("f") || p.has("b") || p.has("backup") {
			n = c.add(dest, shellplan.SeatEntry, with)
		}
	default:
		if c.name == "ln" && p.has("n") {
			with.NoFollow = true
		}
		with.Parents = c.name == "install" && p.has("D")
		n = c.add(dest, shellplan.SeatEntry, with)
	}
	if p.has("b") || p.has("backup") || p.has("S") {
		for _, name := range []string{"SIMPLE_BACKUP_SUFFIX", "VERSION_CONTROL"} {
			if v := c.variable(name); v.kind != valUnset {
				c.environment(name)
			}
		}
		c.besideOf(operand{dest, with.OptionSafe}) // looked through for numbers
		if with.Into != nil {
			c.add(dest, shellplan.SeatRead, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, DirOnly: true, OptionSafe: with.OptionSafe})
		}
		with.Names = [][]byte{[]byte("~"), []byte(".~1~")}
		if f, ok := p.last("S"); ok {
			if s, known := f.str(); known && s != "" && !strings.Contains(s, "/") {
				with.Names = [][]byte{[]byte(s), []byte(".~1~")}
			} else {
				c.opaque(shellplan.OpaqueDynamic, f.span, "the suffix of the backup is not known")
			}
		}
		with.Traversal = nil
		c.add(dest, shellplan.SeatEntry, with)
		with.Names = nil
	}
	replaces := p.has("f") || p.has("b") || p.has("backup") || p.has("S")
	if replaces && (c.name == "ln" || p.has("l") || p.has("s")) {
		// The link is made under another name and renamed.
		temp := shellplan.Candidate{Kind: shellplan.KindBeside, Names: [][]byte{[]byte("Cu*")}, OptionSafe: with.OptionSafe}
		c.add(dest, shellplan.SeatEntry, temp)
		if with.Into != nil && !dest.pattern && dest.set == nil {
			below := dest
			below.raw = append(bytes.Clone(dest.raw), "/x"...)
			c.add(below, shellplan.SeatEntry, temp)
		}
	}
	e := shellplan.Effect{Candidate: n, From: from}
	switch {
	case c.name == "mv":
		e.Kind = shellplan.EffectMove
		for _, f := range from {
			c.p.effect(c.seg, shellplan.Effect{Kind: shellplan.EffectRemove, Candidate: f})
		}
	case c.name == "ln" && p.has("s"), c.name == "cp" && p.has("s"):
		e.Kind = shellplan.EffectLink
		e.From = nil
		if len(sources) == 1 && !p.has("r") {
			if s, ok := sources[0].str(); ok {
				e.Target = []byte(s)
			}
		}
	case c.name == "ln":
		e.Kind = shellplan.EffectCopy // a hard link to a symbolic link is one
	case recursive || p.has("P") || p.has("d") || p.has("l"):
		e.Kind = shellplan.EffectCopy
	case c.name == "install" || p.has("remove-destination") || p.has("f"):
		e.Kind = shellplan.EffectReplace
	default:
		return
	}
	c.p.effect(c.seg, e)
}

// lastComponent is the name that a path gives a copy of it.
func lastComponent(raw []byte) []byte {
	raw = bytes.TrimRight(raw, "/")
	if i := bytes.LastIndexByte(raw, '/'); i >= 0 {
		raw = raw[i+1:]
	}
	if len(raw) == 0 {
		return nil
	}
	return raw
}
