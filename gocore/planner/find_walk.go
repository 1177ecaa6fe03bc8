package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// findTestsSoFar are tests that hold for every name an action gets, because they
// stand before it.
type findTestsSoFar struct {
	name  *shellplan.Word // a -name
	files bool            // -type f
}

// findWalk is what the expression of one find command amounts to.
type findWalk struct {
	roots    []field
	followed bool // -L
	atRoot   bool // -H
	depth    int  // -1 without -maxdepth
	tests    findTestsSoFar
	skips    []shellplan.Skip
	branches bool // -o, `,` or parentheses: tests need not hold
	actions  int  // actions that print other things, or nothing
	prints   bool
	shown    findTestsSoFar // what holds where names are printed
	nul      bool
	mixed    bool // both -print and -print0
	deletes  bool
	deleted  findTestsSoFar
}

func (w *findWalk) printed(nul bool) {
	if w.prints {
		w.mixed = w.mixed || nul != w.nul
		w.shown = findTestsSoFar{}
		return
	}
	w.prints, w.nul, w.shown = true, nul, w.tests
}

// members is the set of names below one root that the actions get.
func (w *findWalk) members(c *cmd, root field, tests findTestsSoFar) *nameSet {
	t := &shellplan.Traversal{FollowRoot: w.atRoot, Links: shellplan.LinksOpen, Hidden: true, MaxDepth: max(w.depth, 0), Skips: w.skips}
	if w.followed {
		t.Links = shellplan.LinksFollow
	}
	if !w.branches {
		t.Match = tests.name
		if tests.files && !w.followed {
			t.Links = shellplan.LinksSkip
		}
	}
	set := &nameSet{
		word: shellplan.Word{Raw: root.raw, Mask: root.mask, Pattern: root.pattern, Glob: root.glob(c.st)}, chdir: c.chdir,
		traversal: t, cwdKey: c.st.cwdKey(), text: root.text, span: root.span,
		prefixed: len(root.raw) > 0 && root.raw[0] != '-' && (!root.pattern || !startsMeta(root.raw, root.mask)),
	}
	if w.depth == 0 {
		set.traversal = nil
	}
	return set
}

// execute reads the command of -exec: `{}` is one of the names found.
func (c *cmd) execute(words []field, plus bool, w *findWalk, tests findTestsSoFar) {
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
			g := field{set: w.members(c, root, tests), raw: suffix, text: f.text, span: f.span, many: plus}
			if len(prefix) > 0 || bytes.Contains(suffix, []byte("{}")) {
				g = field{dyn: c.p.why(shellplan.OpaqueDynamic, f.span, "the word joins text to the names that find meets"), span: f.span, text: f.text, raw: prefix}
			}
			args = append(args, g)
			if plus {
				for _, other := range roots[n+1:] {
					args = append(args, field{set: w.members(c, other, tests), text: f.text, span: f.span, many: true})
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
	c.add(field{raw: []byte("."), span: c.word.span}, shellplan.SeatRead, shellplan.Candidate{OptionSafe: true, Implicit: shellplan.ImplicitJudged})
	roots := w.roots
	implied := len(roots) == 0
	if implied {
		roots = []field{{raw: []byte("."), span: c.word.span}}
	}
	links := shellplan.LinksSkip
	if w.followed {
		links = shellplan.LinksFollow
	}
	out := output{kind: outNames, nul: w.nul}
	shown := w.tests // without an action every test stands before the printing
	if w.prints {
		shown = w.shown
	}
	for _, root := range roots {
		with := shellplan.Candidate{NoFollow: !w.atRoot}
		if implied {
			with.Implicit, with.OptionSafe = shellplan.ImplicitJudged, true
		}
		seat := shellplan.SeatRead
		if w.depth == 0 {
			seat = shellplan.SeatStat
		} else {
			with.DirOnly = true
			with.Traversal = &shellplan.Traversal{
				FollowRoot: w.atRoot, Links: links, MaxDepth: max(w.depth, 0), Hidden: true, DirsOnly: true, Skips: w.skips,
			}
		}
		c.add(root, seat, with)
		if w.deletes {
			n := c.add(root, shellplan.SeatEntry, shellplan.Candidate{OptionSafe: true, Traversal: &shellplan.Traversal{
				FollowRoot: w.atRoot, Links: shellplan.LinksSkip, MaxDepth: max(w.depth, 0), Hidden: true, Match: w.members(c, root, w.deleted).match(),
			}})
			p.effect(c.seg, shellplan.Effect{Kind: shellplan.EffectRemove, Candidate: n})
		}
		if root.dyn != nil || root.set != nil {
			out.kind = outUnknown
		} else if out.kind == outNames {
			set := w.members(c, root, shown)
			if implied {
				set.prefixed = true // names start with ./
			}
			out.sets = append(out.sets, set)
		}
	}
	if w.actions > 0 || w.mixed || len(c.chdir) > 0 {
		out.kind = outUnknown
	}
	p.print(c.st, out)
}

func (s *nameSet) match() *shellplan.Word {
	if s.traversal == nil {
		return nil
	}
	return s.traversal.Match
}
