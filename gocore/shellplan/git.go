package shellplan

import (
	"strings"
)

// gitHarmless are the variables of git that change nothing it opens or runs.
var gitHarmless = map[string]bool{
	"GIT_AUTHOR_NAME": true, "GIT_AUTHOR_EMAIL": true, "GIT_AUTHOR_DATE": true, "GIT_COMMITTER_NAME": true,
	"GIT_COMMITTER_EMAIL": true, "GIT_COMMITTER_DATE": true, "GIT_OPTIONAL_LOCKS": true, "GIT_TERMINAL_PROMPT": true,
	"GIT_MERGE_AUTOEDIT": true, "GIT_LITERAL_PATHSPECS": true, "GIT_PS1_SHOWDIRTYSTATE": true, "GIT_ADVICE": true,
	"GIT_REFLOG_ACTION": true, "GIT_DEFAULT_HASH": true, "GIT_FLUSH": true,
}

// gitOwn are variables that name programs git runs only on a terminal, for a
// message or for the network. The user's own setting is trusted like the same
// setting in ~/.gitconfig; one that the text makes is not.
var gitOwn = map[string]bool{
	"GIT_PAGER": true, "GIT_EDITOR": true, "GIT_SEQUENCE_EDITOR": true, "GIT_ASKPASS": true, "GIT_SSH": true,
	"GIT_SSH_COMMAND": true, "GIT_SSH_VARIANT": true, "PAGER": true, "EDITOR": true, "VISUAL": true, "SSH_ASKPASS": true,
}

// gitVariables adds a reason for each variable that takes git out of the model.
func (c *cmd) gitVariables() {
	look := func(name string, v value, inherited bool) {
		if v.kind == valUnset || gitHarmless[name] || !strings.HasPrefix(name, "GIT_") && !gitOwn[name] {
			return
		}
		s := string(v.str)
		switch {
		case gitOwn[name] && (inherited || v.kind == valText && (s == "cat" || s == "" || s == "true" || s == ":" || s == "less")):
			return
		case strings.HasPrefix(name, "GIT_PS1_"), strings.HasPrefix(name, "GIT_TRACE") && (s == "0" || s == "1" || s == "2" || s == "true"):
			return
		case name == "GIT_CONFIG_NOSYSTEM", (name == "GIT_CONFIG_GLOBAL" || name == "GIT_CONFIG_SYSTEM") && s == "/dev/null":
			return
		}
		c.environment(name)
	}
	for name, v := range c.env {
		look(name, v, false)
	}
	if c.clean {
		return
	}
	for name, v := range c.st.vars {
		if _, own := c.env[name]; !own && v != nil && v.exported {
			look(name, v.alts[0], false)
		}
	}
	for name, v := range c.p.base.env {
		if c.inherited(name) {
			look(name, textString(v), true)
		}
	}
}

// gitSettingsOK are -c settings that change only what is printed.
func gitSettingOK(s string) bool {
	name, _, _ := strings.Cut(strings.ToLower(s), "=")
	switch name {
	case "core.quotepath", "color.ui", "user.name", "user.email", "core.abbrev", "log.date", "log.decorate", "diff.renames",
		"diff.mnemonicprefix", "diff.noprefix", "diff.algorithm", "init.defaultbranch", "core.preloadindex", "core.filemode",
		"core.autocrlf", "status.short", "status.branch", "status.showuntrackedfiles", "safe.directory", "gc.auto", "commit.gpgsign=false":
		return true
	}
	return strings.HasPrefix(name, "advice.") || strings.HasPrefix(name, "color.") || name == "core.pager" && strings.HasSuffix(s, "=cat") ||
		(name == "commit.gpgsign" || name == "tag.gpgsign" || name == "core.fsmonitor") && strings.HasSuffix(s, "=false")
}

func runGit(c *cmd) {
	defer c.p.printUnknown(c.st)
	c.gitVariables()
	args := c.args
	for len(args) > 0 {
		s, ok := args[0].str()
		if !ok {
			c.opaque(OpaqueDynamic, args[0].span, "which subcommand of git runs is not known")
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
					c.chdirTo(args[1], SeatStat)
				}
			} else if v, known := args[1].str(); !known || !gitSettingOK(v) {
				c.opaque(OpaqueOption, args[1].span, "a setting given with -c can make git run a program")
			}
			args = args[2:]
			continue
		}
		switch s {
		case "-P", "--no-pager", "--no-replace-objects", "--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs",
			"--icase-pathspecs", "--no-optional-locks", "--no-lazy-fetch", "--no-advice":
		case "--version", "-v", "--exec-path", "--html-path", "--man-path", "--info-path", "-h":
			return
		default:
			c.opaque(OpaqueOption, args[0].span, "the option "+clip(s, 40)+" of git is not modelled")
			c.effectAny()
			return
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	name := string(args[0].raw)
	c.p.seg(c.seg).Command = "git " + shown(clip(name, 40))
	if name == "version" {
		return
	}
	sub, ok := gitSubs[name]
	switch {
	case !ok:
		c.opaque(OpaqueCommandUnknown, args[0].span, "the subcommand of git is not in the table, or is an alias")
		c.effectAny()
		return
	case sub.why != "":
		c.words(args[1:])
		c.opaque(OpaqueProgram, args[0].span, sub.why)
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
		return
	}
	r := &reading{args: g.args, dash: true, optValues: map[string][]int{}}
	if g.adjust != nil {
		g.adjust(c, &p, &g, r)
	}
	for i := range p.opts {
		u := &p.opts[i]
		if u.spec.role == 'X' || u.spec.role == 'P' || u.has {
			c.role(u.spec.role, u.value, true, r, u.word)
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
	implicit := Candidate{Implicit: ImplicitJudged, OptionSafe: true}
	skip := &Traversal{FollowRoot: true, Links: LinksSkip, Hidden: true}
	if g.repo != 0 {
		with, seat := implicit, SeatRead
		with.Kind, with.Traversal = KindGitDir, skip
		if g.repo == 'w' {
			seat = SeatTree
		}
		c.add(here, seat, with)
	}
	if g.work != 0 {
		with, seat := implicit, SeatRead
		with.Kind, with.Traversal = KindWorkTree, skip
		if g.work == 'w' {
			seat = SeatTree
		}
		n := c.add(here, seat, with)
		if g.work == 'w' {
			c.p.effect(c.seg, Effect{Kind: EffectTree, Candidate: n})
		}
	}
	c.gitSettings(ImplicitDisclosed)
	if g.repo == 0 {
		return
	}
	check := Check{Kind: CheckGit, Chdir: c.chdir, Span: c.word.span}
	check.Hooks = strings.Fields(g.hooks)
	check.Keys = strings.Fields(gitKeysAll + g.keys)
	check.Attributes = true
	s := c.p.seg(c.seg)
	s.Checks = append(s.Checks, check)
}

// gitDiff: outside a repository, or for a path outside of it, two operands are
// compared as files; --no-index always does.
func gitDiff(c *cmd, p *parsed, g *gitSub, r *reading) {
	r.read.Traversal = &Traversal{FollowRoot: true, Links: LinksSkip, Hidden: true}
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
		c.opaque(OpaqueDynamic, p.operands[0].span, "what stash does is not known")
	case verb == "list" || verb == "show":
		g.repo, g.work, g.hooks = 'r', 0, ""
		if verb == "show" {
			g.work = 'r'
		}
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
		c.opaque(OpaqueProgram, c.word.span, "git opens an editor for the message; give it with -m or -F")
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
		c.opaque(OpaqueProgram, c.word.span, "git opens an editor for the message; give it with -m or -F")
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
		c.opaque(OpaqueProgram, p.operands[0].span, gitOpaque["network"])
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
	walk := &Traversal{FollowRoot: true, Links: LinksSkip, Hidden: true}
	c.add(field{raw: []byte("."), span: c.word.span}, SeatRead, Candidate{Traversal: walk, Implicit: ImplicitJudged, OptionSafe: true})
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
	walk := &Traversal{FollowRoot: true, Links: LinksSkip, Hidden: true}
	c.add(here, SeatTree, Candidate{Traversal: walk, Implicit: ImplicitJudged, OptionSafe: true})
}

// gitInit makes a repository below its operand.
func gitInit(c *cmd, p *parsed, g *gitSub, r *reading) {
	f := field{raw: []byte("."), span: c.word.span}
	if len(p.operands) > 0 {
		f = p.operands[0].field
	}
	if f.dyn == nil && (f.set != nil || f.pattern) {
		c.opaque(OpaqueRole, f.span, "which directory becomes a repository is not known")
		return
	}
	walk := &Traversal{FollowRoot: true, Links: LinksOpen, Hidden: true}
	if !p.has("bare") {
		f.raw = append(append([]byte{}, f.raw...), "/.git"...)
	}
	r.skip = true
	c.add(f, SeatTree, Candidate{Traversal: walk, OptionSafe: true, Parents: true})
	c.gitSettings(ImplicitDisclosed)
}

const gitConfigOptions = "global system local worktree f,file=V blob=V get get-all get-regexp get-urlmatch replace-all add unset unset-all rename-section remove-section l,list " +
	"fixed-value e,edit?P get-color get-colorbool t,type=V bool int bool-or-int bool-or-str path expiry-date z,null name-only includes show-origin show-scope default=V show-names all value=V url=V regexp"

// gitConfig reads or writes the file that its scope names. Printing a user's
// settings is an explicit read of them.
func gitConfig(c *cmd, p *parsed, g *gitSub, r *reading) {
	r.skip = true
	g.repo = 'r' // it looks for one in any case
	verbs := 0
	writes, lists := false, p.has("l")
	for _, k := range []string{"replace-all", "add", "unset", "unset-all", "rename-section", "remove-section"} {
		writes = writes || p.has(k)
	}
	for _, k := range []string{"get", "get-all", "get-regexp", "get-urlmatch", "get-color", "get-colorbool", "l"} {
		if p.has(k) {
			verbs++
		}
	}
	n := len(p.operands)
	if n > 0 {
		switch s, ok := p.operands[0].str(); {
		case !ok:
			writes = true
		case s == "list":
			lists = true
		case s == "set" || s == "unset" || s == "rename-section" || s == "remove-section" || s == "edit":
			writes = true
		case s == "get":
			n--
		}
	}
	writes = writes || verbs == 0 && n > 1
	c.words(fieldsOf(p.operands))
	explicit := func(f field) {
		c.add(f, SeatRead, Candidate{OptionSafe: true})
		if writes {
			c.add(f, SeatWrite, Candidate{OptionSafe: true})
			c.opaque(OpaqueConstruct, f.span, "the lock is made beside where the file leads, which is not modelled")
		}
	}
	switch {
	case p.has("f"):
		f, _ := p.last("f")
		explicit(f)
	case p.has("global"):
		c.userSettings(writes)
	case p.has("system"):
		explicit(field{raw: []byte("/etc/gitconfig"), span: c.word.span})
	default:
		if writes {
			g.repo = 'w'
		}
		if lists && !p.has("local") && !p.has("worktree") {
			c.userSettings(false)
		}
	}
}

// userSettings is ~/.gitconfig as the subject of a command.
func (c *cmd) userSettings(writes bool) {
	v := c.variable("HOME")
	if v.kind != valText {
		c.opaque(OpaqueEnvironment, c.word.span, "HOME is not known, and the settings lie there")
		return
	}
	for _, rel := range []string{"/.gitconfig", "/.config/git/config"} {
		f := field{raw: append(append([]byte{}, v.str...), rel...), span: c.word.span, text: c.word.text}
		c.add(f, SeatRead, Candidate{OptionSafe: true})
		if writes {
			c.add(f, SeatWrite, Candidate{OptionSafe: true})
			f.raw = append(append([]byte{}, f.raw...), ".lock"...)
			c.add(f, SeatEntry, Candidate{OptionSafe: true})
		}
	}
}

// gitWorktree: add makes a working tree at its operand.
func gitWorktree(c *cmd, p *parsed, g *gitSub, r *reading) {
	r.skip = true
	if len(p.operands) == 0 {
		return
	}
	walk := &Traversal{FollowRoot: true, Links: LinksSkip, Hidden: true}
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
				c.opaque(OpaqueRole, o.span, "which word is the path is not known")
			}
			n := c.add(o.field, SeatTree, Candidate{Traversal: walk, OptionSafe: true, Parents: true})
			c.p.effect(c.seg, Effect{Kind: EffectTree, Candidate: n})
		}
	default:
		c.opaque(OpaqueOption, p.operands[0].span, "what git worktree does is not modelled")
	}
}
