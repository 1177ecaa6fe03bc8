package shellplan

import (
	"bytes"
	"strconv"
	"strings"
)

func init() {
	add(&row{run: runFind, clock: true, note: "It opens the working directory too. Tests that look at other files (-newer) are stats."}, "find")
}

// findTests are the predicates of GNU find and how they take arguments: "" none,
// a role letter for each argument otherwise.
var findTests = map[string]string{
	"-daystart": "", "-depth": "", "-d": "", "-follow": "", "-mount": "", "-xdev": "", "-noleaf": "", "-ignore_readdir_race": "",
	"-noignore_readdir_race": "", "-warn": "", "-nowarn": "", "-regextype": "V", "-maxdepth": "V", "-mindepth": "V",
	"-amin": "V", "-atime": "V", "-cmin": "V", "-ctime": "V", "-mmin": "V", "-mtime": "V", "-used": "V",
	"-anewer": "S", "-cnewer": "S", "-newer": "S", "-samefile": "L", "-empty": "", "-executable": "", "-readable": "", "-writable": "",
	"-false": "", "-true": "", "-fstype": "V", "-gid": "V", "-group": "V", "-nogroup": "", "-uid": "V", "-user": "V", "-nouser": "",
	"-ilname": "V", "-iname": "V", "-ipath": "V", "-iregex": "V", "-iwholename": "V", "-lname": "V", "-name": "V", "-path": "V",
	"-regex": "V", "-wholename": "V", "-inum": "V", "-links": "V", "-perm": "V", "-size": "V", "-type": "V", "-xtype": "V", "-context": "V",
	"-print": "", "-print0": "", "-printf": "V", "-ls": "", "-prune": "", "-quit": "", "-delete": "",
	"-fprint": "W", "-fprint0": "W", "-fls": "W", "-fprintf": "WV", "-files0-from": "N",
	"-a": "", "-and": "", "-o": "", "-or": "", "-not": "", "!": "", "(": "", ")": "", ",": "",
}

// findWalk is what the expression of one find command amounts to.
type findWalk struct {
	roots    []field
	followed bool // -L
	atRoot   bool // -H
	depth    int  // -1 without -maxdepth
	name     *Word
	nameOne  bool // one -name that holds for everything that follows
	files    bool // -type f holds for everything
	branches bool // -o, `,` or parentheses: tests need not hold
	actions  int  // actions that print other things, or nothing
	prints   bool
	nul      bool
	deletes  bool
}

func runFind(c *cmd) {
	p := c.p
	w := findWalk{depth: -1, nameOne: true}
	args := c.args
	for len(args) > 0 { // -H -L -P -D debug -Olevel
		s, ok := args[0].str()
		switch {
		case ok && s == "-L":
			w.followed, w.atRoot = true, true
		case ok && s == "-H":
			w.followed, w.atRoot = false, true
		case ok && s == "-P":
			w.followed, w.atRoot = false, false
		case ok && s == "-D" && len(args) > 1:
			args = args[1:]
		case ok && strings.HasPrefix(s, "-O"):
		default:
			goto roots
		}
		args = args[1:]
	}
roots:
	for len(args) > 0 {
		f := args[0]
		if f.dyn == nil && f.set == nil && !f.pattern {
			if s := string(f.raw); s == "--" {
				args = args[1:]
				continue
			} else if s == "!" || s == "(" || s == ")" || s == "," || len(s) > 1 && s[0] == '-' {
				break
			}
		} else if f.mayBeOption() && !(f.pattern && f.dyn == nil) {
			p.addReason(c.seg, *p.reason(firstReason(f.dyn), f.span))
		}
		w.roots = append(w.roots, f)
		args = args[1:]
	}
	c.expression(args, &w)
	c.findCandidates(&w)
}

func firstReason(o *Opaque) *Opaque {
	if o == nil {
		return &Opaque{Code: OpaqueRole, Detail: "the names could read as tests or actions of find"}
	}
	return o
}

// expression reads the tests and actions; the actions that run commands are
// read when the whole expression is known.
func (c *cmd) expression(args []field, w *findWalk) {
	type exec struct {
		words []field
		plus  bool
		dir   bool
		at    field
	}
	var execs []exec
	negated, level := false, 0
	for i := 0; i < len(args); i++ {
		f := args[i]
		s, ok := f.str()
		if !ok {
			if f.pattern && f.dyn == nil && f.raw[0] != '-' {
				// find refuses a path behind the expression.
				c.listed(f, true)
				c.opaque(OpaqueRole, f.span, "a pattern stands where find expects a test")
				continue
			}
			c.p.addReason(c.seg, *c.p.reason(firstReason(f.dyn), f.span))
			return
		}
		if s == "-exec" || s == "-execdir" || s == "-ok" || s == "-okdir" {
			e := exec{dir: strings.HasSuffix(s, "dir"), at: f}
			for i++; i < len(args); i++ {
				t, _ := args[i].str()
				if t == ";" || t == "+" && i > 0 && string(args[i-1].raw) == "{}" {
					e.plus = t == "+"
					break
				}
				e.words = append(e.words, args[i])
			}
			execs = append(execs, e)
			w.actions++
			negated = false
			continue
		}
		roles, known := findTests[s]
		if !known && strings.HasPrefix(s, "-newer") && len(s) == len("-newerXY") {
			roles, known = "S", true
			if s[len(s)-1] == 't' {
				roles = "V"
			}
		}
		if !known {
			c.opaque(OpaqueOption, f.span, "the test or action "+clip(s, 40)+" of find is not in the table")
			return
		}
		var values []field
		for _, r := range []byte(roles) {
			if i++; i >= len(args) {
				return // find reports it and stops
			}
			if args[i].many || args[i].pattern && r != 'V' {
				c.opaque(OpaqueRole, args[i].span, "the argument of a test may be no word or several")
				return
			}
			if r == 'N' {
				c.opaque(OpaqueNames, f.span, "the names come from the content of a file")
			}
			stream := r == 'N'
			if stream {
				r = 'R'
			}
			c.role(r, args[i], true, &reading{dash: stream}, f)
			values = append(values, args[i])
		}
		switch s {
		case "!", "-not":
			negated = true
			continue
		case "(":
			level++
			w.branches = true
		case "-o", "-or", ",":
			w.branches = true
		case "-follow":
			w.followed, w.atRoot = true, true
		case "-maxdepth":
			if n, err := strconv.Atoi(string(values[0].raw)); err == nil && values[0].dyn == nil {
				w.depth = n
			}
		case "-name", "-iname":
			m := patternWord(values[0])
			if negated || w.name != nil || m == nil {
				w.nameOne = false
				break
			}
			if w.name = m; s == "-iname" {
				m.Glob |= GlobNoCase
			}
		case "-type":
			w.files = w.files || !negated && string(values[0].raw) == "f" && values[0].dyn == nil
		case "-print":
			w.prints = true
		case "-print0":
			w.prints, w.nul = true, true
		case "-delete":
			w.deletes = true
			w.actions++
		case "-printf", "-ls", "-fprint", "-fprint0", "-fls", "-fprintf", "-quit":
			if s != "-quit" {
				w.actions++
			}
		}
		negated = false
	}
	for _, e := range execs {
		if e.dir {
			c.opaque(OpaqueConstruct, e.at.span, "the command runs in every directory that find meets")
		}
		c.execute(e.words, e.plus, w)
	}
}

// members is the set of names below one root that the actions get.
func (w *findWalk) members(c *cmd, root field) *nameSet {
	t := &Traversal{FollowRoot: w.atRoot, Links: LinksOpen, Hidden: true, MaxDepth: max(w.depth, 0)}
	if w.followed {
		t.Links = LinksFollow
	}
	if !w.branches {
		if w.nameOne {
			t.Match = w.name
		}
		if w.files && !w.followed {
			t.Links = LinksSkip
		}
	}
	set := &nameSet{
		word: Word{Raw: root.raw, Mask: root.mask, Pattern: root.pattern, Glob: c.st.glob}, chdir: c.chdir,
		traversal: t, cwdKey: c.st.cwdKey(), text: root.text, span: root.span,
		prefixed: len(root.raw) > 0 && root.raw[0] != '-' && (!root.pattern || !isMeta(root.raw[0], root.mask[0])),
	}
	if w.depth == 0 {
		set.traversal = nil
	}
	return set
}

// execute reads the command of -exec: `{}` is one of the names found.
func (c *cmd) execute(words []field, plus bool, w *findWalk) {
	if len(words) == 0 {
		return
	}
	roots := w.roots
	if len(roots) == 0 {
		roots = []field{{raw: []byte("."), span: c.word.span}}
	}
	for n, root := range roots {
		if root.dyn != nil || root.set != nil {
			continue // its reason is on the segment already
		}
		var args []field
		for _, f := range words {
			if f.dyn != nil || f.set != nil || !bytes.Contains(f.raw, []byte("{}")) {
				args = append(args, f)
				continue
			}
			prefix, suffix, _ := bytes.Cut(f.raw, []byte("{}"))
			g := field{set: w.members(c, root), raw: suffix, text: f.text, span: f.span, many: plus}
			if len(prefix) > 0 || bytes.Contains(suffix, []byte("{}")) {
				g = field{dyn: c.p.why(OpaqueDynamic, f.span, "the word joins text to the names that find meets"), span: f.span, text: f.text, raw: prefix}
			}
			args = append(args, g)
			if plus {
				for _, other := range roots[n+1:] {
					args = append(args, field{set: w.members(c, other), text: f.text, span: f.span, many: true})
				}
			}
		}
		inner := *c
		inner.files, inner.printed = true, nil
		inner.outer = append(append([]string{}, c.outer...), "find")
		inner.word, inner.args, inner.direct = args[0], args[1:], false
		before := c.p.out
		inner.run()
		c.p.out = before
		if plus {
			break
		}
	}
	c.p.seg(c.seg).Command = "find"
}

// findCandidates adds the walk itself.
func (c *cmd) findCandidates(w *findWalk) {
	p := c.p
	c.add(field{raw: []byte("."), span: c.word.span}, SeatRead, Candidate{OptionSafe: true, Implicit: ImplicitJudged})
	roots := w.roots
	implied := len(roots) == 0
	if implied {
		roots = []field{{raw: []byte("."), span: c.word.span}}
	}
	links := LinksSkip
	if w.followed {
		links = LinksFollow
	}
	out := output{kind: outNames, nul: w.nul}
	for _, root := range roots {
		with := Candidate{NoFollow: !w.atRoot}
		if implied {
			with.Implicit, with.OptionSafe = ImplicitJudged, true
		}
		seat := SeatRead
		if w.depth == 0 {
			seat = SeatStat
		} else {
			with.DirOnly = true
			with.Traversal = &Traversal{
				FollowRoot: w.atRoot, Links: links, MaxDepth: max(w.depth, 0), Hidden: true, DirsOnly: true,
			}
		}
		c.add(root, seat, with)
		if w.deletes {
			n := c.add(root, SeatEntry, Candidate{OptionSafe: true, Traversal: &Traversal{
				FollowRoot: w.atRoot, Links: LinksSkip, MaxDepth: max(w.depth, 0), Hidden: true, Match: w.members(c, root).match(),
			}})
			p.effect(c.seg, Effect{Kind: EffectRemove, Candidate: n})
		}
		if root.dyn != nil || root.set != nil {
			out.kind = outUnknown
		} else if out.kind == outNames {
			set := w.members(c, root)
			if implied {
				set.prefixed = true // names start with ./
			}
			out.sets = append(out.sets, set)
		}
	}
	if w.actions > 0 || len(c.chdir) > 0 {
		out.kind = outUnknown
	}
	p.print(c.st, out)
}

func (s *nameSet) match() *Word {
	if s.traversal == nil {
		return nil
	}
	return s.traversal.Match
}
