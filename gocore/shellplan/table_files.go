package shellplan

import (
	"bytes"
	"strings"
)

// Commands that look at, make, change and remove files.
func init() {
	const backup = " backup?V b S,suffix=V "
	add(&row{
		opts: "a,archive attributes-only copy-contents d f,force i,interactive H l,link L,dereference n,no-clobber P,no-dereference p preserve?V no-preserve=V " +
			"parents R,r,recursive:r reflink?V remove-destination sparse=V strip-trailing-slashes s,symbolic-link t,target-directory=V T,no-target-directory " +
			"u,update?V v,verbose x,one-file-system Z context?V debug keep-directory-symlink" + backup + gnu,
		args: "R* I", adjust: adjustCopy, after: afterCopy,
	}, "cp")
	add(&row{
		opts: "f,force i,interactive n,no-clobber strip-trailing-slashes t,target-directory=V T,no-target-directory u,update?V v,verbose Z,context debug exchange no-copy" + backup + gnu,
		args: "E* I", adjust: adjustMove, after: afterCopy,
	}, "mv")
	add(&row{
		opts: "d,F,directory f,force i,interactive L,logical n,no-dereference P,physical r,relative s,symbolic t,target-directory=V T,no-target-directory v,verbose" + backup + gnu,
		args: "R* I", adjust: adjustLink, after: afterCopy,
	}, "ln")
	add(&row{
		opts: "c C,compare d,directory D g,group=V m,mode=V o,owner=V p,preserve-timestamps s,strip strip-program=P t,target-directory=V T,no-target-directory v,verbose " +
			"preserve-context Z context?V debug" + backup + gnu,
		args: "R* I", adjust: adjustInstall, after: afterCopy,
	}, "install")
	add(&row{
		opts: "f,force i I interactive?V one-file-system no-preserve-root preserve-root?V r,R,recursive d,dir v,verbose" + gnu,
		args: "E*", quiet: true,
		adjust: func(c *cmd, p *parsed, r *reading) {
			if p.has("r") {
				r.write.Traversal = &Traversal{Links: LinksSkip, Hidden: true}
			}
		},
		after: removes,
	}, "rm")
	add(&row{opts: "help! version!", args: "E", quiet: true, after: removes}, "unlink")
	add(&row{
		opts: "ignore-fail-on-non-empty p,parents v,verbose" + gnu, args: "E*", quiet: true,
		after: func(c *cmd, p *parsed, r *reading) {
			if p.has("p") {
				for _, o := range p.operands {
					c.parents(o)
				}
			}
			removes(c, p, r)
		},
	}, "rmdir")
	add(&row{
		opts: "m,mode=V p,parents v,verbose Z context?V" + gnu, args: "E*", quiet: true,
		adjust: func(c *cmd, p *parsed, r *reading) {
			if r.write.Parents = p.has("p"); r.write.Parents {
				c.opensCwd()
			}
		},
	}, "mkdir")
	add(&row{opts: "m,mode=V Z context?V" + gnu, args: "E*", quiet: true}, "mkfifo")
	add(&row{
		opts: "a c,no-create d,date=V f h,no-dereference m r,reference=S t=V time=V" + gnu, args: "W*", quiet: true, dash: true,
		adjust: func(c *cmd, p *parsed, r *reading) {
			if p.has("h") {
				r.args = "E*"
			}
		},
	}, "touch")
	add(&row{
		opts: "c,changes f,silent,quiet v,verbose no-preserve-root preserve-root reference=S R,recursive " +
			"r?V:mode w?V:mode x?V:mode X?V:mode s?V:mode t?V:mode u?V:mode g?V:mode o?V:mode a?V:mode H L P h,no-dereference dereference" + gnu,
		args: "V W*", quiet: true,
		adjust: func(c *cmd, p *parsed, r *reading) {
			if p.has("reference") || p.has("mode") {
				r.args = "W*"
			}
			if p.has("R") {
				r.write.Traversal = &Traversal{FollowRoot: true, Links: LinksSkip, Hidden: true}
				if p.has("L") {
					r.write.Traversal.Links = LinksFollow
				}
			}
		},
	}, "chmod")
	add(&row{
		opts: "c,changes f,silent,quiet v,verbose dereference h,no-dereference from=V no-preserve-root preserve-root reference=S R,recursive H L P" + gnu,
		args: "V W*", quiet: true,
		adjust: func(c *cmd, p *parsed, r *reading) {
			rest := "W*"
			if p.has("h") {
				rest = "E*"
			}
			if r.args = "V " + rest; p.has("reference") {
				r.args = rest
			}
			if p.has("R") {
				walk := &Traversal{FollowRoot: p.has("H") || p.has("L"), Links: LinksSkip, Hidden: true}
				if p.has("L") {
					walk.Links = LinksFollow
				}
				r.write.Traversal = walk
			}
		},
	}, "chown", "chgrp")
	add(&row{opts: "c,no-create o,io-blocks r,reference=R s,size=V" + gnu, args: "W*", quiet: true}, "truncate")
	add(&row{run: runDd, stdin: true, note: "if= is read, of= is written."}, "dd")
	add(&row{
		opts: "a,suffix-length=V additional-suffix=V b,bytes=V C,line-bytes=V d numeric-suffixes?V x hex-suffixes?V e,elide-empty-files filter=P l,lines=V n,number=V " +
			"t,separator=V u,unbuffered verbose" + gnu,
		args: "R V", dash: true, style: style{count: true}, after: afterSplit, quiet: true,
	}, "split")
	add(&row{
		opts: "b,suffix-format=V f,prefix=V k,keep-files suppress-matched n,digits=V s,quiet,silent z,elide-empty-files" + gnu,
		args: "R V*", dash: true, after: afterSplit,
	}, "csplit")
	add(&row{
		opts: "d,directory u,dry-run q,quiet suffix=V p=V tmpdir?V:p t V,version! help! version!", args: "V", after: afterMktemp,
		note: "The name is made up: below TMPDIR or /tmp unless a template says otherwise.",
	}, "mktemp")
	add(&row{
		opts: "L,dereference f,file-system cached=V c,format=V printf=V t,terse" + gnu, args: "L*", clock: true,
		adjust: func(c *cmd, p *parsed, r *reading) {
			if p.has("L") || p.has("f") {
				r.args = "S*"
			}
		},
	}, "stat")
	add(&row{
		opts: "v,version! m,magic-file=R z,uncompress Z,uncompress-noreport b,brief c,checking-printout e,exclude=V exclude-quiet=V f,files-from=N F,separator=V i,mime apple " +
			"extension mime-type mime-encoding k,keep-going l,list L,dereference h,no-dereference n,no-buffer N,no-pad 0,print0 p,preserve-date P,parameter=V r,raw " +
			"s,special-files S,no-sandbox C=X compile=X d,debug help!",
		args: "R*", dash: true, env: "MAGIC",
		adjust: func(c *cmd, p *parsed, r *reading) { r.read.NoFollow = !p.has("L") },
		note:   "Reads the magic data of the system.",
	}, "file")
	add(&row{
		opts: "f,canonicalize e,canonicalize-existing m,canonicalize-missing n,no-newline q,quiet s,silent v,verbose z,zero" + gnu, args: "L*",
		adjust: func(c *cmd, p *parsed, r *reading) {
			if p.has("f") || p.has("e") || p.has("m") {
				r.args = "S*"
			}
		},
	}, "readlink")
	add(&row{
		opts: "e,canonicalize-existing m,canonicalize-missing L,logical P,physical q,quiet relative-to=S relative-base=S s,strip,no-symlinks z,zero" + gnu,
		args: "S*",
	}, "realpath")
}

// opensCwd adds the working directory, which a program opens to come back to it.
func (c *cmd) opensCwd() {
	c.add(field{raw: []byte("."), span: c.word.span}, SeatRead, Candidate{Implicit: ImplicitJudged, OptionSafe: true})
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
	c.add(f, SeatRead, Candidate{Implicit: ImplicitJudged, OptionSafe: o.safe, DirOnly: true})
}

// removes records that the entries are gone: a link among them is a link no
// more.
func removes(c *cmd, p *parsed, r *reading) {
	for _, n := range r.ops {
		c.p.effect(c.seg, Effect{Kind: EffectRemove, Candidate: n})
	}
}

// parents adds the directories above a word, as the word spells them.
func (c *cmd) parents(o operand) {
	if o.dyn != nil || o.set != nil {
		return
	}
	if o.pattern {
		c.opaque(OpaquePattern, o.span, "the directories above the matches of a pattern are not modelled")
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
		c.add(f, SeatEntry, Candidate{OptionSafe: o.safe})
	}
}

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
		walk := &Traversal{FollowRoot: follow || p.has("H"), Links: LinksSkip, Hidden: true}
		if follow {
			walk.Links = LinksFollow
		}
		r.read.Traversal = walk
	}
	if p.has("s") { // the sources are only the text of the links
		r.args = strings.Replace(r.args, "R", "L", 1)
	}
}

func adjustMove(c *cmd, p *parsed, r *reading) {
	c.target(p, r, "E*")
	if p.has("exchange") {
		c.opaque(OpaqueOption, c.word.span, "mv --exchange is not modelled")
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
		c.opaque(OpaqueProgram, c.word.span, "install -s runs a program to strip the file")
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
			c.opaque(OpaqueRole, p.operands[0].span, "which of the words is the destination is not known")
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
		c.add(dest, SeatEntry, Candidate{})
		return
	}
	into := &Into{Always: always && !p.has("T")}
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
	with := Candidate{Into: into, OptionSafe: safe}
	c.destination(p, dest, with, sources, from)
}

// destination adds the destination at the seats the command uses.
func (c *cmd) destination(p *parsed, dest field, with Candidate, sources []operand, from []int) {
	var n int
	recursive := c.name == "cp" && (p.has("r") || p.has("a"))
	switch {
	case c.name == "cp" && p.has("parents"):
		with.Into, with.Traversal = nil, treeWalk
		n = c.add(dest, SeatTree, with)
	case recursive:
		with.Traversal = treeWalk
		n = c.add(dest, SeatTree, with)
	case c.name == "cp" && !p.has("remove-destination") && !p.has("l") && !p.has("s"):
		n = c.add(dest, SeatWrite, with)
		if p.has("P") || p.has("d") || p.has("f") || p.has("b") || p.has("backup") {
			n = c.add(dest, SeatEntry, with)
		}
	default:
		if c.name == "ln" && p.has("n") {
			with.NoFollow = true
		}
		with.Parents = c.name == "install" && p.has("D")
		n = c.add(dest, SeatEntry, with)
	}
	if p.has("b") || p.has("backup") || p.has("S") {
		for _, name := range []string{"SIMPLE_BACKUP_SUFFIX", "VERSION_CONTROL"} {
			if v := c.variable(name); v.kind != valUnset {
				c.environment(name)
			}
		}
		c.besideOf(operand{dest, with.OptionSafe}) // looked through for numbers
		if with.Into != nil {
			c.add(dest, SeatRead, Candidate{Implicit: ImplicitJudged, DirOnly: true, OptionSafe: with.OptionSafe})
		}
		with.Names = [][]byte{[]byte("~"), []byte(".~1~")}
		if f, ok := p.last("S"); ok {
			if s, known := f.str(); known && s != "" && !strings.Contains(s, "/") {
				with.Names = [][]byte{[]byte(s), []byte(".~1~")}
			} else {
				c.opaque(OpaqueDynamic, f.span, "the suffix of the backup is not known")
			}
		}
		with.Traversal = nil
		c.add(dest, SeatEntry, with)
		with.Names = nil
	}
	if p.has("f") && (c.name == "ln" || p.has("l") || p.has("s")) {
		// The link is made under another name and renamed.
		temp := Candidate{Kind: KindBeside, Names: [][]byte{[]byte("Cu*")}, OptionSafe: with.OptionSafe}
		c.add(dest, SeatEntry, temp)
		if with.Into != nil && !dest.pattern && dest.set == nil {
			below := dest
			below.raw = append(bytes.Clone(dest.raw), "/x"...)
			c.add(below, SeatEntry, temp)
		}
	}
	e := Effect{Candidate: n, From: from}
	switch {
	case c.name == "mv":
		e.Kind = EffectMove
		for _, f := range from {
			c.p.effect(c.seg, Effect{Kind: EffectRemove, Candidate: f})
		}
	case c.name == "ln" && p.has("s"), c.name == "cp" && p.has("s"):
		e.Kind = EffectLink
		e.From = nil
		if len(sources) == 1 && !p.has("r") {
			if s, ok := sources[0].str(); ok {
				e.Target = []byte(s)
			}
		}
	case c.name == "ln":
		e.Kind = EffectCopy // a hard link to a symbolic link is one
	case recursive || p.has("P") || p.has("d") || p.has("l"):
		e.Kind = EffectCopy
	case c.name == "install" || p.has("remove-destination") || p.has("f"):
		e.Kind = EffectReplace
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
				c.opaque(OpaqueRole, a.span, "the names a pattern matches could read as operands of dd")
			default:
				c.p.addReason(c.seg, *c.p.reason(firstReason(a.dyn), a.span))
			}
			continue
		}
		value := a.from(i + 1)
		switch string(a.raw[:i]) {
		case "if", "of":
			if value.pattern {
				c.opaque(OpaquePattern, a.span, "a pattern in an operand of dd")
				continue
			}
			if a.raw[0] == 'i' {
				input = true
				c.add(value, SeatRead, Candidate{OptionSafe: true})
			} else {
				c.add(value, SeatWrite, Candidate{OptionSafe: true})
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
		c.opaque(OpaqueDynamic, prefix.span, "the prefix of the parts is not known")
		return
	}
	if f, ok := p.last("additional-suffix"); ok {
		if s, known := f.str(); !known || strings.Contains(s, "/") {
			c.opaque(OpaqueDynamic, f.span, "the suffix of the parts is not known")
		}
	}
	base := prefix.raw[bytes.LastIndexByte(prefix.raw, '/')+1:]
	spelled := prefix
	spelled.raw = append(bytes.Clone(prefix.raw), "aa"...)
	c.add(spelled, SeatWrite, Candidate{
		Kind: KindBeside, Names: [][]byte{append(bytes.Clone(base), '*')}, OptionSafe: true,
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
			c.opaque(OpaqueDynamic, p.operands[0].span, "the template of the name is not known")
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
	c.add(field{raw: template, span: c.word.span}, SeatEntry, Candidate{
		Kind: KindBeside, Names: [][]byte{append(bytes.Clone(base[:i]), '*')}, OptionSafe: true,
	})
}
