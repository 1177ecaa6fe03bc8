package command

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
func (w *findWalk) members(c *Call, root shellword.Field, tests findTestsSoFar) *shellword.NameSet {
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
		Word: shellplan.Word{Raw: root.Raw, Mask: root.Mask, Pattern: root.Pattern, Glob: c.GlobOf(&root)}, Chdir: c.Chdir,
		Traversal: t, CwdKey: c.Directory(), Text: root.Text, Span: root.Span,
		Prefixed: len(root.Raw) > 0 && root.Raw[0] != '-' && (!root.Pattern || !shellword.StartsMeta(root.Raw, root.Mask)),
	}
	if w.depth == 0 {
		set.Traversal = nil
	}
	return set
}

// execute reads the command of -exec: `{}` is one of the names found.
func (c *Call) execute(words []shellword.Field, plus bool, w *findWalk, tests findTestsSoFar) {
	if len(words) == 0 {
		return
	}
	roots := w.roots
	if len(roots) == 0 {
		roots = []shellword.Field{{Raw: []byte("."), Span: c.Word.Span}}
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
				g = shellword.Field{Dyn: c.Why(shellplan.OpaqueDynamic, f.Span, "the word joins text to the names that find meets"), Span: f.Span, Text: f.Text, Raw: prefix}
			}
			args = append(args, g)
			if plus {
				for _, other := range roots[n+1:] {
					args = append(args, shellword.Field{Set: w.members(c, other, tests), Text: f.Text, Span: f.Span, Many: true})
				}
			}
		}
		c.Aside(args, c.Stdin)
		if plus {
			break
		}
	}
	c.Entitle("find")
}

// findCandidates adds the walk itself.
func (c *Call) findCandidates(w *findWalk) {
	c.Add(shellword.Field{Raw: []byte("."), Span: c.Word.Span}, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true, Implicit: shellplan.ImplicitJudged})
	roots := w.roots
	implied := len(roots) == 0
	if implied {
		roots = []shellword.Field{{Raw: []byte("."), Span: c.Word.Span}}
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
		c.Add(root, access, with)
		if w.deletes {
			n := c.Add(root, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: true, Traversal: &shellplan.Traversal{
				FollowRoot: w.atRoot, Links: shellplan.LinksSkip, MaxDepth: max(w.depth, 0), Hidden: true, Match: w.members(c, root, w.deleted).Match(),
			}})
			c.Effect(shellplan.Effect{Kind: shellplan.EffectRemove, Candidate: n})
			if w.atRoot || links != shellplan.LinksSkip { // what is removed lies where the links lead
				c.Add(root, shellplan.AccessTree, shellplan.Candidate{OptionSafe: true, Traversal: &shellplan.Traversal{
					FollowRoot: true, Links: links, MaxDepth: max(w.depth, 0), Hidden: true,
				}})
			}
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
	if w.actions > 0 || w.mixed || len(c.Chdir) > 0 {
		out.Kind = shellword.OutputUnknown
	}
	c.Print(out)
}
