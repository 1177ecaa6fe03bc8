package planner

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

func runGit(c *cmd) {
	defer c.p.printUnknown(c.st)
	c.gitVariables()
	args := c.args
	for len(args) > 0 {
		s, ok := args[0].Plain()
		if !ok {
			c.opaque(shellplan.OpaqueDynamic, args[0].Span, "which subcommand of git runs is not known")
			c.effectAny()
			return
		}
		if len(s) == 0 || s[0] != '-' {
			break
		}
		if s == "-C" || s == "-c" {
			if len(args) < 2 {
				return
			}
			if s == "-C" {
				if v, known := args[1].Plain(); !known || v != "" {
					c.chdirTo(args[1], shellplan.AccessStat)
				}
			} else if v, known := args[1].Plain(); !known || !gitSettingOK(v) {
				c.opaque(shellplan.OpaqueOption, args[1].Span, "a setting given with -c can make git run a program")
			}
			args = args[2:]
			continue
		}
		switch s {
		case "-P", "--no-pager", "--no-replace-objects", "--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs",
			"--icase-pathspecs", "--no-optional-locks", "--no-lazy-fetch", "--no-advice":
		case "--version", "-v", "--exec-path", "--html-path", "--man-path", "--info-path", "-h":
			c.gitSettings(shellplan.ImplicitDisclosed)
			return
		default:
			c.opaque(shellplan.OpaqueOption, args[0].Span, "the option "+shellword.Clip(s, 40)+" of git is not modelled")
			c.effectAny()
			return
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	name := string(args[0].Raw)
	c.p.seg(c.seg).Command = "git " + shellplan.Shown(shellword.Clip(name, 40))
	if name == "version" {
		c.gitSettings(shellplan.ImplicitDisclosed)
		return
	}
	sub, ok := gitSubs[name]
	switch {
	case !ok:
		c.opaque(shellplan.OpaqueCommandUnknown, args[0].Span, "the subcommand of git is not in the table, or is an alias")
		c.effectAny()
		return
	case sub.why != "":
		c.words(args[1:])
		c.opaque(shellplan.OpaqueProgram, args[0].Span, sub.why)
		c.effectAny()
		return
	}
	c.args = args[1:]
	c.subcommand(sub)
}

// subcommand reads the options and operands of a subcommand that is modelled.
func (c *cmd) subcommand(table *gitSub) {
	g := *table
	var p shellword.Parsed
	if g.free {
		c.words(c.args)
		for _, a := range c.args {
			p.Operands = append(p.Operands, shellword.Operand{Field: a, Safe: false})
		}
	} else {
		p = c.parse(shellword.OptionsOf(g.opts, true), shellword.Style{Digits: true})
	}
	if p.Exits {
		for _, a := range c.args {
			if string(a.Raw) != "-h" { // --help, also shortened, opens the manual
				c.opaque(shellplan.OpaqueProgram, c.word.Span, "--help runs the reader of the manual")
				break
			}
		}
		return
	}
	r := &reading{args: g.args, dash: true, optValues: map[string][]int{}}
	if g.adjust != nil {
		g.adjust(c, &p, &g, r)
	}
	for i := range p.Opts {
		u := &p.Opts[i]
		if u.Spec.Role == 'X' || u.Spec.Role == 'P' || u.Has {
			c.role(u.Spec.Role, u.Value, true, &reading{dash: true}, u.Word)
		}
	}
	if !r.skip {
		c.operands(p.Operands, r)
	}
	c.repository(&g)
}

// repository adds what a subcommand does to the repository, and the look at
// its hooks and settings.
func (c *cmd) repository(g *gitSub) {
	here := shellword.Field{Raw: []byte("."), Span: c.word.Span}
	implicit := shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: true}
	skip := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	if g.repo != 0 {
		with, access := implicit, shellplan.AccessRead
		with.Kind, with.Traversal = shellplan.KindGitDir, skip
		if g.repo == 'w' {
			access = shellplan.AccessTree
		}
		c.add(here, access, with)
	}
	if g.work != 0 {
		with, access := implicit, shellplan.AccessRead
		with.Kind, with.Traversal = shellplan.KindWorkTree, skip
		if g.work == 'w' {
			access = shellplan.AccessTree
		}
		n := c.add(here, access, with)
		if g.work == 'w' {
			c.p.effect(c.seg, shellplan.Effect{Kind: shellplan.EffectTree, Candidate: n})
		}
	}
	if g.mails && g.work == 0 {
		with := implicit
		with.Kind, with.Names = shellplan.KindUpward, [][]byte{[]byte(".mailmap")}
		c.add(here, shellplan.AccessRead, with)
	}
	c.gitSettings(shellplan.ImplicitDisclosed)
	if g.repo == 0 {
		return
	}
	check := shellplan.Check{Kind: shellplan.CheckGit, Chdir: c.chdir, Span: c.word.Span}
	check.Hooks = strings.Fields(g.hooks)
	check.Keys = strings.Fields(gitKeysAll + g.keys)
	check.Attributes = true
	s := c.p.seg(c.seg)
	s.Checks = append(s.Checks, check)
}
