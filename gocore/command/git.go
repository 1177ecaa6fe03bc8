package command

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/gitfile"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// runGit reads git up to the subcommand.
//
// git(1), "OPTIONS": what stands before the subcommand moves the directory (-C)
// and overrides settings (-c), which can name programs. Long because the
// options of git itself are read by no specification: each that is harmless is
// listed.
func runGit(c *Call, r *row) {
	defer c.PrintUnknown()
	c.gitVariables()
	args := c.Args
	for len(args) > 0 {
		s, ok := args[0].Plain()
		if !ok {
			c.Opaque(shellplan.OpaqueDynamic, args[0].Span, "which subcommand of git runs is not known")
			c.EffectAny()
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
				c.Opaque(shellplan.OpaqueOption, args[1].Span, "a setting given with -c can make git run a program")
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
			c.Opaque(shellplan.OpaqueOption, args[0].Span, "the option "+shellword.Clip(s, 40)+" of git is not modelled")
			c.EffectAny()
			return
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	name := string(args[0].Raw)
	c.Entitle("git " + shellplan.Shown(shellword.Clip(name, 40)))
	if name == "version" {
		c.gitSettings(shellplan.ImplicitDisclosed)
		return
	}
	sub, ok := gitTable()[name]
	switch {
	case !ok:
		c.Opaque(shellplan.OpaqueCommandUnknown, args[0].Span, "the subcommand of git is not in the table, or is an alias")
		c.EffectAny()
		return
	case sub.why != "":
		c.Words(args[1:])
		c.needing(gitNeeds[sub.why], args[0].Span, sub.why)
		c.EffectAny()
		return
	}
	c.Args = args[1:]
	c.subcommand(name, sub)
}

// subcommand reads the options and operands of a subcommand that is modelled.
func (c *Call) subcommand(name string, table *gitSub) {
	g := *table
	g.name = name
	p := c.Parse(shellword.OptionsOf(g.opts, true), shellword.Style{Digits: true})
	if p.Exits {
		for _, a := range c.Args {
			if string(a.Raw) != "-h" { // --help, also shortened, opens the manual
				c.Opaque(shellplan.OpaqueProgram, c.Word.Span, "--help runs the reader of the manual")
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
func (c *Call) repository(g *gitSub) {
	here := shellword.Field{Raw: []byte("."), Span: c.Word.Span}
	implicit := shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: true}
	skip := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	if g.repo != 0 && g.repo != 'n' {
		with, access := implicit, shellplan.AccessRead
		with.Kind, with.Traversal = shellplan.KindGitDir, skip
		if g.repo == 'w' {
			access = shellplan.AccessTree
		}
		c.Add(here, access, with)
	}
	if g.work != 0 {
		with, access := implicit, shellplan.AccessRead
		with.Kind, with.Traversal = shellplan.KindWorkTree, skip
		if g.work == 'w' {
			access = shellplan.AccessTree
		}
		n := c.Add(here, access, with)
		if g.work == 'w' {
			c.Effect(shellplan.Effect{Kind: shellplan.EffectTree, Candidate: n})
		}
	}
	if g.mails && g.work == 0 {
		with := implicit
		with.Kind, with.Names = shellplan.KindUpward, [][]byte{[]byte(".mailmap")}
		c.Add(here, shellplan.AccessRead, with)
	}
	c.gitSettings(shellplan.ImplicitDisclosed)
	if g.repo == 0 {
		c.Opaque(shellplan.OpaqueProgram, c.Word.Span, "what this subcommand does to a repository is not declared")
		return
	}
	check := shellplan.Check{Kind: shellplan.CheckGit, Chdir: c.Chdir, Span: c.Word.Span}
	if g.repo == 'w' {
		check.Hooks = append([]string{shellplan.AnyHook}, strings.Fields(g.hooks)...)
	}
	for _, group := range slices.Sorted(slices.Values(gitfile.UsedGroups())) {
		unused := slices.Contains(strings.Fields(g.unused), group)
		for only := range strings.FieldsSeq("archive blame commit fsck gc init tag") {
			unused = unused || only == group && gitOnly[g.name] != group
		}
		if unused {
			for _, k := range gitfile.UsedKeys(group) {
				check.Keys = append(check.Keys, shellplan.UnusedKey+k)
			}
		}
	}
	check.Files = c.gitUserFiles()
	c.Check(check)
}

var gitRow = &row{
	names: "git",
	run:   runGit, note: "By subcommand, see below. Reads the user's git settings; the repository's own settings and hooks are looked at and end the answer when they name programs.",
}
