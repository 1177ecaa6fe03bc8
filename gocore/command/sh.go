package command

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Shells: their -c text is a nested plan, a script file is a program.

var bashRow = &row{
	names: "bash sh dash",
	run:   runShell, env: "", note: "-c TEXT and a known standard input are read as nested plans; a script file is not read. With -l the profile below the home runs first.",
}

// shellCall is the command line of a shell.
type shellCall struct {
	command bool // -c
	login   bool
	stdin   bool // -s
	noexec  bool
	profile bool // --noprofile was not given
	options []ShellOption
	args    []shellword.Field // behind the options
}

func runShell(c *Call, _ *row) {
	dialect := shellplan.DialectBash
	switch c.Name {
	case "sh":
		if dialect = c.Sh(); dialect == 0 {
			dialect = shellplan.DialectPosix
		}
	case "dash":
		dialect = shellplan.DialectDash
	}
	call := shellCall{profile: true}
	if !c.shellOptions(&call) {
		c.EffectAny()
		c.PrintUnknown()
		return
	}
	if call.login {
		c.loginFiles(dialect, call.profile)
	}
	c.startFiles(dialect)
	nested := NestedShell{Dialect: dialect, Options: call.options}
	switch {
	case call.command && len(call.args) > 0:
		text, ok := call.args[0].Plain()
		if !ok {
			c.Opaque(shellplan.OpaqueDynamic, call.args[0].Span, "the text that the shell runs is not known")
			break
		}
		nested.Text, nested.Args, nested.Stdin = []byte(text), call.args[1:], c.Stdin
		c.Nest(nested)
		return
	case call.command:
		c.PrintUnknown()
		return
	case len(call.args) > 0 && !call.stdin:
		c.Add(call.args[0], shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
		if call.noexec {
			c.PrintUnknown()
			return
		}
		c.Opaque(shellplan.OpaqueProgram, call.args[0].Span, "the script is a file of commands, which is not read")
	default:
		c.Consumes()
		if c.Stdin.Kind == shellword.InputText && !call.noexec {
			nested.Text, nested.Args = c.Stdin.Text, append([]shellword.Field{{Raw: []byte(c.Name)}}, call.args...)
			c.Nest(nested)
			return
		}
		if call.noexec {
			c.PrintUnknown()
			return
		}
		c.Opaque(shellplan.OpaqueProgram, c.Word.Span, "the shell runs what comes on its standard input")
	}
	c.EffectAny()
	c.PrintUnknown()
}

// startFiles looks at the variables that make a shell run or know more before
// it reads its first command.
func (c *Call) startFiles(dialect shellplan.Dialect) {
	if dialect == shellplan.DialectDash {
		return
	}
	if v := c.Variable("BASH_ENV"); v.Kind != shellword.ValueUnset && (v.Kind != shellword.ValueText || len(v.Text) > 0) {
		c.environment("BASH_ENV")
		if v.Kind == shellword.ValueText {
			c.Add(shellword.Field{Raw: v.Text, Text: []byte("$BASH_ENV"), Span: c.Word.Span}, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
		}
	}
	for _, name := range []string{"SHELLOPTS", "BASHOPTS"} {
		if v := c.Variable(name); v.Kind != shellword.ValueUnset {
			c.environment(name)
		}
	}
	if why := c.ExportedFunctions(); why != nil {
		c.AddReason(*c.Reason(why, c.Word.Span))
	}
}

// shellOptions reads the options of a shell; false when what runs is not known.
//
// Bash manual, "Invoking Bash": multi-character options come before
// single-character ones, + turns off. Long because it is that section's list.
func (c *Call) shellOptions(call *shellCall) bool {
	args := c.Args
	for len(args) > 0 {
		s, ok := args[0].Plain()
		if !ok {
			if args[0].MayBeOption() {
				c.Opaque(shellplan.OpaqueDynamic, args[0].Span, "the word could be an option of the shell")
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
				c.Opaque(shellplan.OpaqueOption, c.Word.Span, "the option "+shellword.Clip(s, 40)+" of the shell is not modelled")
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
				c.Opaque(shellplan.OpaqueOption, c.Word.Span, "an interactive or restricted shell reads its settings first")
				return false
			case 'O', 'o':
				if len(args) == 0 {
					return true
				}
				name, known := args[0].Plain()
				args = args[1:]
				o := ShellOption{Name: name, Shopt: l == 'O', On: s[0] == '-'}
				if found, why := c.ShellOption(o); !known || !found || why != "" {
					c.Opaque(shellplan.OpaqueShellOption, c.Word.Span, "the shell option is not modelled")
					return false
				}
				call.options = append(call.options, o)
			default:
				o := ShellOption{Letter: l, On: s[0] == '-'}
				known, why := c.ShellOption(o)
				if !known {
					c.Opaque(shellplan.OpaqueOption, c.Word.Span, "the option -"+shellword.Printable(l)+" of the shell is not modelled")
					return false
				}
				if why != "" {
					c.Opaque(shellplan.OpaqueShellOption, c.Word.Span, why)
					return false
				}
				call.options = append(call.options, o)
				call.noexec = call.noexec || l == 'n' && s[0] == '-'
			}
		}
	}
	call.args = args
	return true
}

// loginFiles: a login shell runs the profile of the home, if there is one.
func (c *Call) loginFiles(dialect shellplan.Dialect, profile bool) {
	if !profile {
		return
	}
	for _, f := range []string{"/etc/profile", "/etc/profile.d"} {
		c.Add(shellword.Field{Raw: []byte(f), Span: c.Word.Span}, shellplan.AccessRead, shellplan.Candidate{
			Implicit: shellplan.ImplicitDisclosed, OptionSafe: true, Traversal: &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksOpen, MaxDepth: 1, Hidden: true},
		})
	}
	v := c.Variable("HOME")
	if v.Kind != shellword.ValueText || !bytes.HasPrefix(v.Text, []byte("/")) {
		c.Opaque(shellplan.OpaqueEnvironment, c.Word.Span, "HOME is not known, and a login shell runs its profile")
		return
	}
	names := []string{"/.profile"}
	if dialect != shellplan.DialectDash {
		names = []string{"/.bash_profile", "/.bash_login", "/.profile", "/.bash_logout"}
	}
	check := shellplan.Check{Kind: shellplan.CheckAbsent, Span: c.Word.Span}
	for _, n := range names {
		check.Files = append(check.Files, append(bytes.TrimRight(bytes.Clone(v.Text), "/"), n...))
	}
	c.Check(check)
}
