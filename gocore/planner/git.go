package planner

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func runGit(c *cmd) {
	defer c.p.printUnknown(c.st)
	c.gitVariables()
	args := c.args
	for len(args) > 0 {
		s, ok := args[0].str()
		if !ok {
			c.opaque(shellplan.OpaqueDynamic, args[0].span, "which subcommand of git runs is not known")
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
				if v, known := args[1].str(); !known || v != "" {
					c.chdirTo(args[1], shellplan.SeatStat)
				}
			} else if v, known := args[1].str(); !known || !gitSettingOK(v) {
				c.opaque(shellplan.OpaqueOption, args[1].span, "a setting given with -c can make git run a program")
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
			c.opaque(shellplan.OpaqueOption, args[0].span, "the option "+clip(s, 40)+" of git is not modelled")
			c.effectAny()
			return
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	name := string(args[0].raw)
	c.p.seg(c.seg).Command = "git " + shellplan.Shown(clip(name, 40))
	if name == "version" {
		c.gitSettings(shellplan.ImplicitDisclosed)
		return
	}
	sub, ok := gitSubs[name]
	switch {
	case !ok:
		c.opaque(shellplan.OpaqueCommandUnknown, args[0].span, "the subcommand of git is not in the table, or is an alias")
		c.effectAny()
		return
	case sub.why != "":
		c.words(args[1:])
		c.opaque(shellplan.OpaqueProgram, args[0].span, sub.why)
		c.effectAny()
		return
	}
	c.args = args[1:]
	c.subcommand(sub)
}

// subcommand reads the options and operands of a subcommand that is modelled.
func (c *cmd) subcommand(table *gitSub) {
	g := *table
	var p parsed
	if g.free {
		c.words(c.args)
		for _, a := range c.args {
			p.operands = append(p.operands, operand{a, false})
		}
	} else {
		p = c.parse(optionsOf(g.opts, true), style{digits: true})
	}
	if p.exits {
		for _, a := range c.args {
			if string(a.raw) != "-h" { // --help, also shortened, opens the manual
				c.opaque(shellplan.OpaqueProgram, c.word.span, "--help runs the reader of the manual")
				break
			}
		}
		return
	}
	r := &reading{args: g.args, dash: true, optValues: map[string][]int{}}
	if g.adjust != nil {
		g.adjust(c, &p, &g, r)
	}
	for i := range p.opts {
		u := &p.opts[i]
		if u.spec.role == 'X' || u.spec.role == 'P' || u.has {
			c.role(u.spec.role, u.value, true, &reading{dash: true}, u.word)
		}
	}
	if !r.skip {
		c.operands(p.operands, r)
	}
	c.repository(&g)
}

// repository adds what a subcommand does to the repository, and the look at
// its hooks and settings.
func (c *cmd) repository(g *gitSub) {
	here := field{raw: []byte("."), span: c.word.span}
	implicit := shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: true}
	skip := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	if g.repo != 0 {
		with, seat := implicit, shellplan.SeatRead
		with.Kind, with.Traversal = shellplan.KindGitDir, skip
		if g.repo == 'w' {
			seat = shellplan.SeatTree
		}
		c.add(here, seat, with)
	}
	if g.work != 0 {
		with, seat := implicit, shellplan.SeatRead
		with.Kind, with.Traversal = shellplan.KindWorkTree, skip
		if g.work == 'w' {
			seat = shellplan.SeatTree
		}
		n := c.add(here, seat, with)
		if g.work == 'w' {
			c.p.effect(c.seg, shellplan.Effect{Kind: shellplan.EffectTree, Candidate: n})
		}
	}
	if g.mails && g.work == 0 {
		with := implicit
		with.Kind, with.Names = shellplan.KindUpward, [][]byte{[]byte(".mailmap")}
		c.add(here, shellplan.SeatRead, with)
	}
	c.gitSettings(shellplan.ImplicitDisclosed)
	if g.repo == 0 {
		return
	}
	check := shellplan.Check{Kind: shellplan.CheckGit, Chdir: c.chdir, Span: c.word.span}
	check.Hooks = strings.Fields(g.hooks)
	check.Keys = strings.Fields(gitKeysAll + g.keys)
	check.Attributes = true
	s := c.p.seg(c.seg)
	s.Checks = append(s.Checks, check)
}
