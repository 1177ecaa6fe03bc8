package command

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// target splits off -t DIR: it adds the destination once the sources are known.
func (c *Call) target(p *shellword.Parsed, r *reading, sources string) {
	if p.Has("t") {
		r.args = sources
	}
}

// adjustCopy reads the options of cp.
//
// Coreutils manual, "cp invocation": -R copies links as links unless -L or -H
// says otherwise; without it they are followed.
func adjustCopy(c *Call, p *shellword.Parsed, r *reading) {
	c.target(p, r, "R*")
	recursive := p.Has("r") || p.Has("a")
	said := p.Has("P") || p.Has("a") || p.Has("d") || p.Has("H")
	keep := p.Has("P") || p.Has("a") || p.Has("d") || recursive // links stay links
	follow := p.Has("L") || p.Has("l") && !said                 // `cp -rl` follows where nothing else is said
	r.read.NoFollow = keep && !follow && !p.Has("H")
	if recursive {
		walk := &shellplan.Traversal{FollowRoot: follow || p.Has("H"), Links: shellplan.LinksSkip, Hidden: true}
		if follow {
			walk.Links = shellplan.LinksFollow
		}
		r.read.Traversal = walk
	}
	if p.Has("s") { // the sources are only the text of the links
		r.args = strings.Replace(r.args, "R", "L", 1)
		if recursive {
			r.args = strings.Replace(r.args, "L", "R", 1) // it lists the directories
			r.read.Traversal.DirsOnly, r.read.DirOnly = true, true
		}
	}
}

func adjustMove(c *Call, p *shellword.Parsed, r *reading) {
	c.target(p, r, "E*")
	if p.Has("exchange") {
		c.Opaque(shellplan.OpaqueOption, c.Word.Span, "mv --exchange is not modelled")
	}
}

// adjustLink reads the options of ln.
//
// Coreutils manual, "ln invocation": with one operand the link is made in the
// working directory; a symbolic link holds the text as it is.
func adjustLink(c *Call, p *shellword.Parsed, r *reading) {
	sources := "R*"
	if p.Has("s") {
		sources = "V*"
	}
	r.read.NoFollow = !p.Has("L")
	switch {
	case p.Has("t"):
		r.args = sources
	case len(p.Operands) == 1:
		r.args = sources // the link is made in the working directory
	default:
		r.args = sources + " I"
	}
}

func adjustInstall(c *Call, p *shellword.Parsed, r *reading) {
	c.target(p, r, "R*")
	if p.Has("d") {
		r.args = "E*"
		r.write.Parents = true
		for _, o := range p.Operands { // the modes of one that exists are set through a link
			c.Add(o.Field, shellplan.AccessWrite, shellplan.Candidate{OptionSafe: o.Safe})
		}
	}
	if p.Has("d") || p.Has("D") {
		c.opensCwd()
	}
	if p.Has("s") {
		c.Opaque(shellplan.OpaqueProgram, c.Word.Span, "install -s runs a program to strip the file")
	}
}

// afterCopy adds the destination of cp, mv, ln and install, which role left
// alone, and the effects on names.
func afterCopy(c *Call, p *shellword.Parsed, r *reading) {
	if c.Name == "install" && p.Has("d") {
		return
	}
	var dest shellword.Field
	safe, always := true, false
	sources := p.Operands
	switch t, ok := p.Last("t"); {
	case ok:
		dest, always = t, true
	case c.Name == "ln" && len(p.Operands) == 1:
		dest, always = shellword.Field{Raw: []byte("."), Span: p.Operands[0].Span}, true
	case len(p.Operands) < 2:
		if len(p.Operands) == 1 && c.several(p.Operands[0].Field) {
			c.Opaque(shellplan.OpaqueRole, p.Operands[0].Span, "which of the words is the destination is not known")
		}
		return
	default:
		last := p.Operands[len(p.Operands)-1]
		dest, safe = last.Field, last.Safe
		sources = p.Operands[:len(p.Operands)-1]
		if c.several(last.Field) {
			return // its reason was added with the roles
		}
		always = len(sources) > 1
	}
	if dest.Dyn != nil {
		c.Add(dest, shellplan.AccessEntry, shellplan.Candidate{})
		return
	}
	into := &shellplan.Into{Always: always && !p.Has("T")}
	var from []int
	many := false
	for i, o := range sources {
		many = many || c.several(o.Field)
		if i < len(r.ops) && r.ops[i] >= 0 {
			from = append(from, r.ops[i])
		} else if base := lastComponent(o.Raw); base != nil && o.Dyn == nil && o.Set == nil && !o.Pattern {
			into.Names = append(into.Names, base)
		}
	}
	into.From = from
	if p.Has("T") || len(from) == 0 && len(into.Names) == 0 {
		into = nil
	}
	with := shellplan.Candidate{Into: into, OptionSafe: safe}
	c.destination(p, dest, with, sources, from)
}

// destination adds the destination at the accesses the command uses.
//
// Coreutils manual, "cp invocation", "mv invocation", "ln invocation", "install
// invocation", "Backup options". Long because the four commands differ in
// single steps of one sequence (destination, backup, temporary name, effect).
func (c *Call) destination(p *shellword.Parsed, dest shellword.Field, with shellplan.Candidate, sources []shellword.Operand, from []int) {
	var n int
	recursive := c.Name == "cp" && (p.Has("r") || p.Has("a"))
	switch {
	case c.Name == "cp" && p.Has("parents"):
		with.Into, with.Traversal = nil, treeWalk
		n = c.Add(dest, shellplan.AccessTree, with)
	case recursive:
		with.Traversal = treeWalk
		n = c.Add(dest, shellplan.AccessTree, with)
	case c.Name == "cp" && !p.Has("remove-destination") && !p.Has("l") && !p.Has("s"):
		n = c.Add(dest, shellplan.AccessWrite, with)
		if p.Has("P") || p.Has("d") || p.Has("f") || p.Has("b") || p.Has("backup") {
			n = c.Add(dest, shellplan.AccessEntry, with)
		}
	default:
		if c.Name == "ln" && p.Has("n") {
			with.NoFollow = true
		}
		with.Parents = c.Name == "install" && p.Has("D")
		n = c.Add(dest, shellplan.AccessEntry, with)
	}
	if p.Has("b") || p.Has("backup") || p.Has("S") {
		for _, name := range []string{"SIMPLE_BACKUP_SUFFIX", "VERSION_CONTROL"} {
			if v := c.Variable(name); v.Kind != shellword.ValueUnset {
				c.environment(name)
			}
		}
		c.besideOf(shellword.Operand{Field: dest, Safe: with.OptionSafe}) // looked through for numbers
		if with.Into != nil {
			c.Add(dest, shellplan.AccessRead, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, DirOnly: true, OptionSafe: with.OptionSafe})
		}
		with.Names = [][]byte{[]byte("~"), []byte(".~1~")}
		if f, ok := p.Last("S"); ok {
			if s, known := f.Plain(); known && s != "" && !strings.Contains(s, "/") {
				with.Names = [][]byte{[]byte(s), []byte(".~1~")}
			} else {
				c.Opaque(shellplan.OpaqueDynamic, f.Span, "the suffix of the backup is not known")
			}
		}
		with.Traversal = nil
		c.Add(dest, shellplan.AccessEntry, with)
		with.Names = nil
	}
	replaces := p.Has("f") || p.Has("b") || p.Has("backup") || p.Has("S")
	if replaces && (c.Name == "ln" || p.Has("l") || p.Has("s")) {
		// The link is made under another name and renamed.
		temp := shellplan.Candidate{Kind: shellplan.KindBeside, Names: [][]byte{[]byte("Cu*")}, OptionSafe: with.OptionSafe}
		c.Add(dest, shellplan.AccessEntry, temp)
		if with.Into != nil && !dest.Pattern && dest.Set == nil {
			below := dest
			below.Raw = append(bytes.Clone(dest.Raw), "/x"...)
			c.Add(below, shellplan.AccessEntry, temp)
		}
	}
	e := shellplan.Effect{Candidate: n, From: from}
	switch {
	case c.Name == "mv":
		e.Kind = shellplan.EffectMove
		for _, f := range from {
			c.Effect(shellplan.Effect{Kind: shellplan.EffectRemove, Candidate: f})
		}
	case c.Name == "ln" && p.Has("s"), c.Name == "cp" && p.Has("s"):
		e.Kind = shellplan.EffectLink
		e.From = nil
		if len(sources) == 1 && !p.Has("r") {
			if s, ok := sources[0].Plain(); ok {
				e.Target = []byte(s)
			}
		}
	case c.Name == "ln":
		e.Kind = shellplan.EffectCopy // a hard link to a symbolic link is one
	case recursive || p.Has("P") || p.Has("d") || p.Has("l"):
		e.Kind = shellplan.EffectCopy
	case c.Name == "install" || p.Has("remove-destination") || p.Has("f"):
		e.Kind = shellplan.EffectReplace
	default:
		return
	}
	c.Effect(e)
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

// Commands that look at, make, change and remove files.
// backup is what the options of cp, mv, ln and install share.
const backup = " backup?V b S,suffix=V "

var cpRow = &row{
	names: "cp",
	opts: "a,archive attributes-only copy-contents d f,force i,interactive H l,link L,dereference n,no-clobber P,no-dereference p preserve?V no-preserve=V " +
		"parents R,r,recursive:r reflink?V remove-destination sparse=V strip-trailing-slashes s,symbolic-link t,target-directory=V T,no-target-directory " +
		"u,update?V v,verbose x,one-file-system Z context?V debug keep-directory-symlink" + backup + gnu,
	args: "R* I", adjust: adjustCopy, after: afterCopy,
}

var mvRow = &row{
	names: "mv",
	opts:  "f,force i,interactive n,no-clobber strip-trailing-slashes t,target-directory=V T,no-target-directory u,update?V v,verbose Z,context debug exchange no-copy" + backup + gnu,
	args:  "E* I", adjust: adjustMove, after: afterCopy,
}

var lnRow = &row{
	names: "ln",
	opts:  "d,F,directory f,force i,interactive L,logical n,no-dereference P,physical r,relative s,symbolic t,target-directory=V T,no-target-directory v,verbose" + backup + gnu,
	args:  "R* I", adjust: adjustLink, after: afterCopy,
}

var installRow = &row{
	names: "install",
	opts: "c C,compare d,directory D g,group=V m,mode=V o,owner=V p,preserve-timestamps s,strip strip-program=P t,target-directory=V T,no-target-directory v,verbose " +
		"preserve-context Z context?V debug" + backup + gnu,
	args: "R* I", adjust: adjustInstall, after: afterCopy,
}
