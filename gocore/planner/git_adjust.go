package planner

import (
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// gitDiff: outside a repository, or for a path outside of it, two operands are
// compared as files; --no-index always does.
func gitDiff(c *cmd, p *parsed, g *gitSub, r *reading) {
	r.read.Traversal = &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	if p.has("no-index") {
		g.repo, g.work, g.hooks, g.keys = 'r', 0, "", gitKeysDiff
	}
}

// gitLog reads attributes in the working tree only when it shows patches.
func gitLog(c *cmd, p *parsed, g *gitSub, r *reading) {
	for _, k := range []string{"p", "stat", "numstat", "shortstat", "name-only", "name-status", "raw", "patch-with-stat", "L", "U", "W", "summary", "dirstat"} {
		if p.has(k) {
			g.work = 'r'
		}
	}
}

// gitStash: list and show only read.
func gitStash(c *cmd, p *parsed, g *gitSub, r *reading) {
	verb, ok := "push", true
	if len(p.operands) > 0 {
		verb, ok = p.operands[0].str()
	}
	switch {
	case !ok:
		c.opaque(shellplan.OpaqueDynamic, p.operands[0].span, "what stash does is not known")
	case verb == "list" || verb == "show":
		g.repo, g.work, g.hooks = 'r', 0, ""
		if verb == "show" {
			g.work = 'r'
		}
		p.opts = slices.DeleteFunc(p.opts, func(u used) bool { return u.spec.key == "p" }) // a patch is only shown
	case verb == "drop" || verb == "clear" || verb == "store" || verb == "create":
		g.work = 'r'
	}
}

// gitCommit opens an editor unless the message is given.
func gitCommit(c *cmd, p *parsed, g *gitSub, r *reading) {
	message := p.has("m") || p.has("F") || p.has("C") || p.negated("edit")
	if p.has("fixup") && !p.has("e") {
		message = true
	}
	if p.has("e") && !p.negated("edit") || p.has("c") || !message && !p.has("dry-run") {
		c.opaque(shellplan.OpaqueProgram, c.word.span, "git opens an editor for the message; give it with -m or -F")
	}
}

// gitBranch: without a name, or with an option that lists, it only reads.
func gitBranch(c *cmd, p *parsed, g *gitSub, r *reading) {
	lists := len(p.operands) == 0
	for _, k := range []string{"l", "contains", "no-contains", "merged", "no-merged", "points-at", "with", "without", "show-current", "n"} {
		lists = lists || p.has(k)
	}
	for _, k := range []string{"d", "D", "m", "M", "c", "C", "u", "unset-upstream", "set-upstream", "f"} {
		if p.has(k) && !(c.isTag() && (k == "m" || k == "c" || k == "C" || k == "M" || k == "D" || k == "u")) {
			lists = false
		}
	}
	if lists {
		g.repo, g.hooks, g.keys = 'r', "", ""
		return
	}
	if c.isTag() && p.has("a") && !p.has("m") && !p.has("F") {
		c.opaque(shellplan.OpaqueProgram, c.word.span, "git opens an editor for the message; give it with -m or -F")
	}
}

func (c *cmd) isTag() bool { return c.p.seg(c.seg).Command == "git tag" }

func gitRemote(c *cmd, p *parsed, g *gitSub, r *reading) {
	if len(p.operands) == 0 {
		g.repo = 'r'
		return
	}
	switch verb, _ := p.operands[0].str(); verb {
	case "get-url":
		g.repo = 'r'
	case "add", "rename", "rm", "remove", "set-url", "set-branches":
	default:
		c.opaque(shellplan.OpaqueProgram, p.operands[0].span, gitOpaque["network"])
	}
}

func gitReflog(c *cmd, p *parsed, g *gitSub, r *reading) {
	if len(p.operands) == 0 {
		return
	}
	switch verb, _ := p.operands[0].str(); verb {
	case "expire", "delete":
		g.repo, g.hooks = 'w', hooksRefs
	}
}

// gitGrep: without an index it reads the files below its operands.
func gitGrep(c *cmd, p *parsed, g *gitSub, r *reading) {
	if !p.has("no-index") {
		return
	}
	// Its operands are patterns on what lies below the working directory.
	g.repo, g.work, g.keys = 0, 0, ""
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	c.add(field{raw: []byte("."), span: c.word.span}, shellplan.SeatRead, shellplan.Candidate{Traversal: walk, Implicit: shellplan.ImplicitJudged, OptionSafe: true})
	r.args = "V R*"
	if p.has("e") || p.has("f") {
		r.args = "R*"
	}
	r.read.Traversal = walk
}

func gitApply(c *cmd, p *parsed, g *gitSub, r *reading) {
	for _, k := range []string{"stat", "numstat", "summary", "check"} {
		if p.has(k) && !p.has("apply") {
			g.repo, g.work, g.hooks = 'r', 'r', ""
			return
		}
	}
	here := field{raw: []byte("."), span: c.word.span}
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	c.add(here, shellplan.SeatTree, shellplan.Candidate{Traversal: walk, Implicit: shellplan.ImplicitJudged, OptionSafe: true})
}

// gitInit makes a repository below its operand.
func gitInit(c *cmd, p *parsed, g *gitSub, r *reading) {
	f := field{raw: []byte("."), span: c.word.span}
	if len(p.operands) > 0 {
		f = p.operands[0].field
	}
	if f.dyn == nil && (f.set != nil || f.pattern) {
		c.opaque(shellplan.OpaqueRole, f.span, "which directory becomes a repository is not known")
		return
	}
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksOpen, Hidden: true}
	if !p.has("bare") {
		f.raw = append(append([]byte{}, f.raw...), "/.git"...)
	}
	r.skip = true
	c.add(f, shellplan.SeatTree, shellplan.Candidate{Traversal: walk, OptionSafe: true, Parents: true})
	c.gitSettings(shellplan.ImplicitDisclosed)
}

// gitWorktree: add makes a working tree at its operand.
func gitWorktree(c *cmd, p *parsed, g *gitSub, r *reading) {
	r.skip = true
	if len(p.operands) == 0 {
		return
	}
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	switch verb, _ := p.operands[0].str(); verb {
	case "list":
		g.repo, g.hooks = 'r', ""
	case "prune", "lock", "unlock":
		c.words(fieldsOf(p.operands))
	case "add", "remove", "move":
		for i, o := range p.operands[1:] {
			if verb == "add" && i > 0 {
				break // the commit
			}
			if c.several(o.field) {
				c.opaque(shellplan.OpaqueRole, o.span, "which word is the path is not known")
			}
			n := c.add(o.field, shellplan.SeatTree, shellplan.Candidate{Traversal: walk, OptionSafe: true, Parents: true})
			c.p.effect(c.seg, shellplan.Effect{Kind: shellplan.EffectTree, Candidate: n})
		}
	default:
		c.opaque(shellplan.OpaqueOption, p.operands[0].span, "what git worktree does is not modelled")
	}
}
