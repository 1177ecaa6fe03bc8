package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Shells: their -c text is a nested plan, a script file is a program.
func init() {
	add(&row{run: runShell, env: "", note: "-c TEXT and a known standard input are read as nested plans; a script file is not read. With -l the profile below the home runs first."},
		"bash", "sh", "dash")
}

// shellCall is the command line of a shell.
type shellCall struct {
	text    *shellword.Field
	command bool // -c
	login   bool
	stdin   bool // -s
	noexec  bool
	profile bool // --noprofile was not given
	opts    []shellOption
	off     []shellOption
	args    []shellword.Field // behind the options
}

func runShell(c *cmd) {
	p := c.p
	dialect := shellplan.DialectBash
	switch c.name {
	case "sh":
		if dialect = p.opts.Sh; dialect == 0 {
			dialect = shellplan.DialectPosix
		}
	case "dash":
		dialect = shellplan.DialectDash
	}
	call := shellCall{profile: true}
	if !c.shellOptions(&call, dialect) {
		c.effectAny()
		p.printUnknown(c.st)
		return
	}
	if call.login {
		c.loginFiles(dialect, call.profile)
	}
	if v := c.variable("BASH_ENV"); dialect != shellplan.DialectDash && v.Kind != shellword.ValueUnset && (v.Kind != shellword.ValueText || len(v.Text) > 0) {
		c.environment("BASH_ENV")
		if v.Kind == shellword.ValueText {
			c.add(shellword.Field{Raw: v.Text, Text: []byte("$BASH_ENV"), Span: c.word.Span}, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
		}
	}
	for _, name := range []string{"SHELLOPTS", "BASHOPTS"} {
		if v := c.variable(name); v.Kind != shellword.ValueUnset && dialect != shellplan.DialectDash {
			c.environment(name)
		}
	}
	if dialect != shellplan.DialectDash && c.st.exportedFuncs != nil {
		c.p.addReason(c.seg, *p.reason(c.st.exportedFuncs, c.word.Span))
	}
	switch {
	case call.command && len(call.args) > 0:
		text, ok := call.args[0].Plain()
		if !ok {
			c.opaque(shellplan.OpaqueDynamic, call.args[0].Span, "the text that the shell runs is not known")
			break
		}
		c.nestShell(dialect, []byte(text), call.args[1:], &call, c.stdin)
		return
	case call.command:
		p.printUnknown(c.st)
		return
	case len(call.args) > 0 && !call.stdin:
		c.add(call.args[0], shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
		if call.noexec {
			p.printUnknown(c.st)
			return
		}
		c.opaque(shellplan.OpaqueProgram, call.args[0].Span, "the script is a file of commands, which is not read")
	default:
		c.consumes()
		if c.stdin.Kind == shellword.InputText && !call.noexec {
			c.nestShell(dialect, c.stdin.Text, append([]shellword.Field{{Raw: []byte(c.name)}}, call.args...), &call, shellword.Input{})
			return
		}
		if call.noexec {
			p.printUnknown(c.st)
			return
		}
		c.opaque(shellplan.OpaqueProgram, c.word.Span, "the shell runs what comes on its standard input")
	}
	c.effectAny()
	p.printUnknown(c.st)
}

// shellOptions reads the options of a shell; false when what runs is not known.
func (c *cmd) shellOptions(call *shellCall, dialect shellplan.Dialect) bool {
	args := c.args
	for len(args) > 0 {
		s, ok := args[0].Plain()
		if !ok {
			if args[0].MayBeOption() {
				c.opaque(shellplan.OpaqueDynamic, args[0].Span, "the word could be an option of the shell")
				return false
			}
			break
		}
		if s == "--" || s == "-" {
			args = args[1:]
			break
		}
		if len(s) < 2 || s[0] != '-' && s[0] != '+' {
			break
		}
		args = args[1:]
		if strings.HasPrefix(s, "--") {
			switch s {
			case "--norc", "--noediting", "--verbose", "--debugger", "--restricted":
			case "--noprofile":
				call.profile = false
			case "--login":
				call.login = true
			case "--version", "--help":
				call.command, call.args = true, nil
				return true
			default:
				c.opaque(shellplan.OpaqueOption, c.word.Span, "the option "+shellword.Clip(s, 40)+" of the shell is not modelled")
				return false
			}
			continue
		}
		for _, l := range []byte(s[1:]) {
			switch l {
			case 'c':
				call.command = true
			case 'l':
				call.login = true
			case 's':
				call.stdin = true
			case 'i', 'r', 'D':
				c.opaque(shellplan.OpaqueOption, c.word.Span, "an interactive or restricted shell reads its settings first")
				return false
			case 'O', 'o':
				if len(args) == 0 {
					return true
				}
				name, known := args[0].Plain()
				args = args[1:]
				table := shoptOptions
				if l == 'o' {
					table = setOptions
				}
				o, found := table[name]
				if !known || !found || o.reason != "" {
					c.opaque(shellplan.OpaqueShellOption, c.word.Span, "the shell option is not modelled")
					return false
				}
				call.set(o, s[0] == '-')
			default:
				name, known := setLetters[l]
				if !known {
					c.opaque(shellplan.OpaqueOption, c.word.Span, "the option -"+shellword.Printable(l)+" of the shell is not modelled")
					return false
				}
				if o := setOptions[name]; o.reason == "" {
					call.set(o, s[0] == '-')
				} else {
					c.opaque(shellplan.OpaqueShellOption, c.word.Span, o.reason)
					return false
				}
				call.noexec = call.noexec || l == 'n' && s[0] == '-'
			}
		}
	}
	call.args = args
	return true
}

func (s *shellCall) set(o shellOption, to bool) {
	if to {
		s.opts = append(s.opts, o)
	} else {
		s.off = append(s.off, o)
	}
}

// loginFiles: a login shell runs the profile of the home, if there is one.
func (c *cmd) loginFiles(dialect shellplan.Dialect, profile bool) {
	if !profile {
		return
	}
	for _, f := range []string{"/etc/profile", "/etc/profile.d"} {
		c.add(shellword.Field{Raw: []byte(f), Span: c.word.Span}, shellplan.AccessRead, shellplan.Candidate{
			Implicit: shellplan.ImplicitDisclosed, OptionSafe: true, Traversal: &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksOpen, MaxDepth: 1, Hidden: true},
		})
	}
	v := c.variable("HOME")
	if v.Kind != shellword.ValueText || !bytes.HasPrefix(v.Text, []byte("/")) {
		c.opaque(shellplan.OpaqueEnvironment, c.word.Span, "HOME is not known, and a login shell runs its profile")
		return
	}
	names := []string{"/.profile"}
	if dialect != shellplan.DialectDash {
		names = []string{"/.bash_profile", "/.bash_login", "/.profile", "/.bash_logout"}
	}
	check := shellplan.Check{Kind: shellplan.CheckAbsent, Span: c.word.Span}
	for _, n := range names {
		check.Files = append(check.Files, append(bytes.TrimRight(bytes.Clone(v.Text), "/"), n...))
	}
	s := c.p.seg(c.seg)
	s.Checks = append(s.Checks, check)
}

// nestShell reads a text as a shell of its own.
func (c *cmd) nestShell(dialect shellplan.Dialect, text []byte, args []shellword.Field, call *shellCall, in shellword.Input) {
	p := c.p
	o := p.opts
	o.Dialect, o.Args = dialect, nil
	if dialect != p.plan.Shell.Dialect {
		o.Version = 0
	}
	if c.clean {
		o.Env, o.EnvComplete = map[string]string{}, true
	} else if len(p.base.env) > 0 && p.base.env["BASH_ENV"] != "" {
		o.Env = without(o.Env, "BASH_ENV") // its reason is on the segment
	}
	if len(args) > 0 {
		if s, ok := args[0].Plain(); ok {
			o.Args = []string{s}
		}
	}
	child := newPlanner(p.budget, text, o)
	st := c.childState(child)
	st.stdin = in
	for _, opt := range call.opts {
		opt.apply(st, on)
	}
	if st.flag[flagXTrace] != off && child.tracesMore(st) {
		c.opaque(shellplan.OpaqueDynamic, c.word.Span, tracing)
	}
	for _, opt := range call.off {
		opt.apply(st, off)
	}
	if len(args) > 0 {
		for _, a := range args[1:] {
			v, many := p.itemValue(a, c.st)
			if many {
				st.params = nil
				st.argsWhy = p.why(shellplan.OpaqueDynamic, a.Span, "the number of arguments is not known")
				if v.Kind == shellword.ValueUnknown && v.Why != nil {
					st.argsWhy.Code = v.Why.Code
				}
				break
			}
			st.params = append(st.params, v)
		}
	}
	p.nest(c.seg, c.name+" -c", text, st, &o)
}

func without(env map[string]string, name string) map[string]string {
	out := make(map[string]string, len(env))
	for k, v := range env {
		if k != name {
			out[k] = v
		}
	}
	return out
}
