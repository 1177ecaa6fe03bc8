package command

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/gitfile"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// gitDiff: outside a repository, or for a path outside of it, two operands are
// compared as files; --no-index always does.
func gitDiff(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	r.read.Traversal = &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	if p.Has("no-index") {
		g.repo, g.work = 'r', 0
	}
}

// gitLog reads attributes in the working tree only when it shows patches.
func gitLog(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	gitFormat(c, p, g, r)
	for _, k := range []string{"p", "stat", "numstat", "shortstat", "name-only", "name-status", "raw", "patch-with-stat", "L", "U", "W", "summary", "dirstat"} {
		if p.Has(k) {
			g.work = 'r'
		}
	}
}

// gitFormat: some formats verify signatures, and gpg reads the user's keys.
func gitFormat(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	for i := range p.Opts {
		u := &p.Opts[i]
		if k := u.Spec.Key; k != "format" && k != "pretty" && k != "group" || !u.Has {
			continue
		}
		if s, ok := u.Value.Plain(); !ok || gitfile.VerifiesSignatures(s) {
			c.Opaque(shellplan.OpaqueProgram, u.Word.Span, "a format with %G makes git run gpg")
		}
	}
}

// gitListFiles: a file of exclusions by another name is opened in every
// directory, wherever its name leads.
func gitListFiles(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	for i := range p.Opts {
		u := &p.Opts[i]
		if s, ok := u.Value.Plain(); u.Spec.Key == "exclude-per-directory" && (!ok || s != ".gitignore") {
			c.Opaque(shellplan.OpaqueOption, u.Word.Span, "the file is looked for in every directory; --exclude-standard knows git's own")
		}
	}
}

// gitMove: its operands are paths, and links in their directories are followed;
// what goes into a directory keeps its name there.
func gitMove(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	if len(p.Operands) < 2 {
		return
	}
	last := p.Operands[len(p.Operands)-1]
	into := &shellplan.Into{Always: len(p.Operands) > 2}
	for _, o := range p.Operands[:len(p.Operands)-1] {
		base := lastComponent(o.Raw)
		if base == nil || o.Dyn != nil || o.Set != nil || o.Pattern {
			c.Opaque(shellplan.OpaqueRole, o.Span, "which name goes into the directory is not known")
			continue
		}
		into.Names = append(into.Names, base)
	}
	if len(into.Names) > 0 {
		c.Add(last.Field, shellplan.AccessEntry, shellplan.Candidate{Into: into, OptionSafe: last.Safe})
	}
}

// gitStash: list and show only read.
func gitStash(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	verb, ok := "push", true
	if len(p.Operands) > 0 {
		verb, ok = p.Operands[0].Plain()
	}
	switch {
	case !ok:
		c.Opaque(shellplan.OpaqueDynamic, p.Operands[0].Span, "what stash does is not known")
	case verb == "list" || verb == "show":
		g.repo, g.work = 'r', 0
		if verb == "show" {
			g.work = 'r'
		}
		p.Opts = slices.DeleteFunc(p.Opts, func(u shellword.Used) bool { return u.Spec.Key == "p" }) // a patch is only shown
	case verb == "drop" || verb == "clear" || verb == "store" || verb == "create":
		g.work = 'r'
	}
}

// gitCommit opens an editor unless the message is given.
func gitCommit(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	message := p.Has("m") || p.Has("F") || p.Has("C") || p.Negated("edit")
	if p.Has("fixup") && !p.Has("e") {
		message = true
	}
	if p.Has("e") && !p.Negated("edit") || p.Has("c") || !message && !p.Has("dry-run") {
		c.needing(shellplan.NeedTerminal, c.Word.Span, "git opens an editor for the message; give it with -m or -F")
	}
}

// gitBranch: without a name, or with an option that lists, it only reads.
func gitBranch(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	lists := len(p.Operands) == 0
	for _, k := range []string{"l", "contains", "no-contains", "merged", "no-merged", "points-at", "with", "without", "show-current", "n"} {
		lists = lists || p.Has(k)
	}
	for _, k := range []string{"d", "D", "m", "M", "c", "C", "u", "unset-upstream", "set-upstream", "f"} {
		if p.Has(k) && !(g.name == "tag" && (k == "m" || k == "c" || k == "C" || k == "M" || k == "D" || k == "u")) {
			lists = false
		}
	}
	if lists {
		g.repo = 'r'
		return
	}
	if g.name == "tag" && p.Has("a") && !p.Has("m") && !p.Has("F") {
		c.needing(shellplan.NeedTerminal, c.Word.Span, "git opens an editor for the message; give it with -m or -F")
	}
}

func gitRemote(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	if len(p.Operands) == 0 {
		g.repo = 'r'
		return
	}
	switch verb, _ := p.Operands[0].Plain(); verb {
	case "get-url":
		g.repo = 'r'
	case "add", "rename", "rm", "remove", "set-url", "set-branches":
	default:
		c.needing(shellplan.NeedNetwork, p.Operands[0].Span, gitOpaque["network"])
	}
}

func gitReflog(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	if len(p.Operands) == 0 {
		return
	}
	switch verb, _ := p.Operands[0].Plain(); verb {
	case "expire", "delete":
		g.repo = 'w'
	}
}

// gitGrep: without an index it reads the files below its operands.
func gitGrep(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	if !p.Has("no-index") {
		return
	}
	// Its operands are patterns on what lies below the working directory.
	g.repo, g.work = 'r', 0 // of a repository it reads the settings
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	c.Add(shellword.Field{Raw: []byte("."), Span: c.Word.Span}, shellplan.AccessRead, shellplan.Candidate{Traversal: walk, Implicit: shellplan.ImplicitJudged, OptionSafe: true})
	r.args = "V R*"
	if p.Has("e") || p.Has("f") {
		r.args = "R*"
	}
	r.read.Traversal = walk
}

func gitApply(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	for _, k := range []string{"stat", "numstat", "summary", "check"} {
		if p.Has(k) && !p.Has("apply") {
			g.repo, g.work = 'r', 'r'
			return
		}
	}
	here := shellword.Field{Raw: []byte("."), Span: c.Word.Span}
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	c.Add(here, shellplan.AccessTree, shellplan.Candidate{Traversal: walk, Implicit: shellplan.ImplicitJudged, OptionSafe: true})
}

// gitInit makes a repository below its operand.
func gitInit(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	f := shellword.Field{Raw: []byte("."), Span: c.Word.Span}
	if len(p.Operands) > 0 {
		f = p.Operands[0].Field
	}
	if f.Dyn == nil && (f.Set != nil || f.Pattern) {
		c.Opaque(shellplan.OpaqueRole, f.Span, "which directory becomes a repository is not known")
		return
	}
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksOpen, Hidden: true}
	step := shellplan.CwdStep{Word: shellplan.Word{Raw: slices.Clone(f.Raw)}, Mode: shellplan.CwdProcess, Span: f.Span}
	if !p.Has("bare") {
		f.Raw = append(append([]byte{}, f.Raw...), "/.git"...)
	}
	r.skip = true
	c.Add(f, shellplan.AccessTree, shellplan.Candidate{Traversal: walk, OptionSafe: true, Parents: true})
	if len(p.Operands) > 0 && f.Dyn == nil {
		c.Chdir = append(slices.Clone(c.Chdir), step) // the settings of a repository that is there are read
	}
}

// gitWorktree: add makes a working tree at its operand.
func gitWorktree(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
	r.skip = true
	if len(p.Operands) == 0 {
		return
	}
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	switch verb, _ := p.Operands[0].Plain(); verb {
	case "list":
		g.repo = 'r'
	case "prune", "lock", "unlock":
		c.Words(shellword.Fields(p.Operands))
	case "add", "remove", "move":
		for i, o := range p.Operands[1:] {
			if verb == "add" && i > 0 {
				break // the commit
			}
			if c.several(o.Field) {
				c.Opaque(shellplan.OpaqueRole, o.Span, "which word is the path is not known")
			}
			if s, ok := o.Plain(); verb != "add" && i == 0 && (!ok || !pathOfWorktree(s)) {
				c.Opaque(shellplan.OpaqueRole, o.Span, "it may be the last part of the path of a working tree elsewhere; write ./ before it")
			}
			n := c.Add(o.Field, shellplan.AccessTree, shellplan.Candidate{Traversal: walk, OptionSafe: true, Parents: true})
			c.Effect(shellplan.Effect{Kind: shellplan.EffectTree, Candidate: n})
		}
	default:
		c.Opaque(shellplan.OpaqueOption, p.Operands[0].Span, "what git worktree does is not modelled")
	}
}

// pathOfWorktree reports whether a word is a path and cannot be the last part of
// one, which git takes for the working tree that ends so.
func pathOfWorktree(s string) bool {
	return strings.HasPrefix(s, "/") && !strings.Contains(s, "//") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../")
}
