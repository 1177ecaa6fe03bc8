package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// findTestsSoFar are tests that hold for every name an action gets, because they
// stand before it.
type findTestsSoFar struct {
	name  *shellplan.Word // a -name
	files bool            // -type f
}

// findWalk is what the expression of one find command amounts to.
type findWalk struct {
	roots    []shellword.Field
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
func (w *findWalk) members(c *cmd, root shellword.Field, tests findTestsSoFar) *shellword.NameSet {
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
	set := &shellword.NameSet{
		Word: shellplan.Word{Raw: root.Raw, Mask: root.Mask, Pattern: root.Pattern, Glob: c.st.globOf(&root)}, Chdir: c.chdir,
		Traversal: t, CwdKey: c.st.cwdKey(), Text: root.Text, Span: root.Span,
		Prefixed: len(root.Raw) > 0 && root.Raw[0] != '-' && (!root.Pattern || !shellword.StartsMeta(root.Raw, root.Mask)),
	}
	if w.depth == 0 {
		set.Traversal = nil
	}
	return set
}

// execute reads the command of -exec: `{}` is one of the names found.
func (c *cmd) execute(words []shellword.Field, plus bool, w *findWalk, tests findTestsSoFar) {
	if len(words) == 0 {
		return
	}
	roots := w.roots
	if len(roots) == 0 {
		roots = []shellword.Field{{Raw: []byte("."), Span: c.word.Span}}
	}
	for n, root := range roots {
		if root.Dyn != nil || root.Set != nil {
			continue // its reason is on the segment already
		}
		var args []shellword.Field
		for _, f := range words {
			if f.Dyn != nil || f.Set != nil || !bytes.Contains(f.Raw, []byte("{}")) {
				args = append(args, f)
				continue
			}
			prefix, suffix, _ := bytes.Cut(f.Raw, []byte("{}"))
			g := shellword.Field{Set: w.members(c, root, tests), Raw: suffix, Text: f.Text, Span: f.Span, Many: plus}
			if len(prefix) > 0 || bytes.Contains(suffix, []byte("{}")) {
				g = shellword.Field{Dyn: c.p.why(shellplan.OpaqueDynamic, f.Span, "the word joins text to the names that find meets"), Span: f.Span, Text: f.Text, Raw: prefix}
			}
			args = append(args, g)
			if plus {
				for _, other := range roots[n+1:] {
					args = append(args, shellword.Field{Set: w.members(c, other, tests), Text: f.Text, Span: f.Span, Many: true})
				}
			}
		}
		inner := *c
		inner.files, inner.printed = true, nil
		inner.outer = append(append([]string{}, c.outer...), "find")
		inner.word, inner.args, inner.direct = args[0], args[1:], false
		before := c.p.out
		c.p.repeated(c.seg, inner.run)
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
	c.add(shellword.Field{Raw: []byte("."), Span: c.word.Span}, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true, Implicit: shellplan.ImplicitJudged})
	roots := w.roots
	implied := len(roots) == 0
	if implied {
		roots = []shellword.Field{{Raw: []byte("."), Span: c.word.Span}}
	}
	links := shellplan.LinksSkip
	if w.followed {
		links = shellplan.LinksFollow
	}
	out := shellword.Output{Kind: shellword.OutputNames, Nul: w.nul}
	shown := w.tests // without an action every test stands before the printing
	if w.prints {
		shown = w.shown
	}
	for _, root := range roots {
		with := shellplan.Candidate{NoFollow: !w.atRoot}
		if implied {
			with.Implicit, with.OptionSafe = shellplan.ImplicitJudged, true
		}
		access := shellplan.AccessRead
		if w.depth == 0 {
			access = shellplan.AccessStat
		} else {
			with.DirOnly = true
			with.Traversal = &shellplan.Traversal{
				FollowRoot: w.atRoot, Links: links, MaxDepth: max(w.depth, 0), Hidden: true, DirsOnly: true, Skips: w.skips,
			}
		}
		c.add(root, access, with)
		if w.deletes {
			n := c.add(root, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: true, Traversal: &shellplan.Traversal{
				FollowRoot: w.atRoot, Links: shellplan.LinksSkip, MaxDepth: max(w.depth, 0), Hidden: true, Match: w.members(c, root, w.deleted).Match(),
			}})
			p.effect(c.seg, shellplan.Effect{Kind: shellplan.EffectRemove, Candidate: n})
		}
		if root.Dyn != nil || root.Set != nil {
			out.Kind = shellword.OutputUnknown
		} else if out.Kind == shellword.OutputNames {
			set := w.members(c, root, shown)
			if implied {
				set.Prefixed = true // names start with ./
			}
			out.Sets = append(out.Sets, set)
		}
	}
	if w.actions > 0 || w.mixed || len(c.chdir) > 0 {
		out.Kind = shellword.OutputUnknown
	}
	p.print(c.st, out)
}
