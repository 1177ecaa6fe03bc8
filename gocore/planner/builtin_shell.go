package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// runSet reads set.
//
// Bash manual, "The Set Builtin": options come first; what is left sets the
// positional parameters, and `--` alone unsets them.
func runSet(c *cmd) {
	c.Words(c.Args)
	st := c.st
	if len(c.Args) == 0 {
		c.p.printUnknown(st)
		return
	}
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		s, ok := a.Plain()
		if !ok && a.MayBeOption() {
			// set $x: it may turn on anything.
			for f := range st.flag {
				st.flag[f] = perhaps
			}
			st.params, st.argsWhy = nil, c.p.why(shellplan.OpaqueDynamic, a.Span, "the parameters that set gives are not known")
			return
		}
		if !ok || s == "" || s[0] != '-' && s[0] != '+' {
			c.setParams(c.Args[i:])
			return
		}
		if s == "--" || s == "-" {
			if s == "--" || i+1 < len(c.Args) {
				c.setParams(c.Args[i+1:])
			}
			if s == "-" {
				st.flag[flagXTrace] = off
			}
			return
		}
		to := on
		if s[0] == '+' {
			to = off
		}
		for _, l := range []byte(s[1:]) {
			name := setLetters[l]
			if l == 'o' {
				if i+1 >= len(c.Args) {
					c.p.printUnknown(st)
					return
				}
				i++
				name, ok = c.Args[i].Plain()
				if !ok {
					name = "?"
				}
			}
			c.option1(name, setOptions, to, a.Span)
		}
	}
}

// option1 turns one named option on or off.
func (c *cmd) option1(name string, known map[string]shellOption, to tri, span shellplan.Span) {
	o, ok := known[name]
	if !ok {
		c.opaque(shellplan.OpaqueShellOption, span, "the shell option is not in the table")
		c.st.dirty = c.p.why(shellplan.OpaqueShellOption, span, "a shell option that is not known was set")
		return
	}
	o.apply(c.st, to)
	if name == "xtrace" && to == on && c.p.tracesMore(c.st) {
		c.opaque(shellplan.OpaqueDynamic, span, tracing)
		c.EffectAny()
	}
	if o.reason != "" && to == on {
		c.opaque(shellplan.OpaqueShellOption, span, o.reason)
		c.st.dirty = c.p.why(shellplan.OpaqueShellOption, span, o.reason)
	}
}

func (c *cmd) setParams(args []shellword.Field) {
	st := c.st
	st.params, st.argsWhy = nil, nil
	for _, a := range args {
		v, many := c.p.itemValue(a, st)
		if many {
			st.params = nil
			st.argsWhy = c.p.why(shellplan.OpaqueDynamic, a.Span, "the number of positional parameters is not known")
			return
		}
		st.params = append(st.params, v)
	}
}

// runShopt reads shopt.
//
// Bash manual, "The Shopt Builtin".
func runShopt(c *cmd) {
	c.Words(c.Args)
	to, known, query := perhaps, shoptOptions, false
	for _, a := range c.Args {
		s, ok := a.Plain()
		if !ok {
			c.option1("?", nil, on, a.Span)
			return
		}
		if len(s) > 1 && s[0] == '-' {
			for _, l := range s[1:] {
				switch l {
				case 's':
					to = on
				case 'u':
					to = off
				case 'o':
					known = setOptions
				case 'q', 'p':
					query = true
				}
			}
			continue
		}
		if to != perhaps {
			c.option1(s, known, to, a.Span)
		}
	}
	if to == perhaps || query {
		c.p.printUnknown(c.st)
	}
}

// runEval reads eval.
//
// Bash manual, "Bourne Shell Builtins": the words are joined by blanks and read
// as a command by this shell.
func runEval(c *cmd) {
	c.Words(c.Args)
	t, ok := joinWords(c.Args)
	if !ok {
		c.opaque(shellplan.OpaqueDynamic, c.Span, "the text that eval runs is not known")
		c.st.dirty = c.p.why(shellplan.OpaqueDynamic, c.Span, "eval ran a text that is not known")
		c.EffectAny()
		c.p.printUnknown(c.st)
		return
	}
	if len(bytes.TrimSpace(t)) == 0 {
		return
	}
	c.end = c.p.nest(c.seg, "eval", t, c.st, nil)
}

// joinWords is the text of words joined by blanks.
func joinWords(args []shellword.Field) ([]byte, bool) {
	var parts []string
	for _, a := range args {
		s, ok := a.Plain()
		if !ok {
			return nil, false
		}
		parts = append(parts, s)
	}
	return []byte(strings.Join(parts, " ")), true
}

// runSource reads `.` and source.
//
// Bash manual, "Bourne Shell Builtins" (`.`): the file runs in this shell and
// is looked for along PATH when its name has no slash.
func runSource(c *cmd) {
	args := c.Args
	if s, ok := shellword.First(args); ok && s == "--" {
		args = args[1:]
	}
	c.Words(args)
	if len(args) == 0 {
		return
	}
	c.Add(args[0], shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
	c.opaque(shellplan.OpaqueProgram, args[0].Span, "the file runs in this shell and is not read")
	c.st.dirty = c.p.why(shellplan.OpaqueProgram, args[0].Span, "a file that is not read ran in this shell")
	c.EffectAny()
	c.p.printUnknown(c.st)
}

var execOptions = shellword.ParseOptions("c l a=V")

// runExec reads exec.
//
// Bash manual, "Bourne Shell Builtins" (exec): the command replaces the shell;
// without one the redirections stay. When it cannot be run the shell exits
// unless execfail is on.
func runExec(c *cmd) {
	p := c.Parse(execOptions, shellword.Style{Stop: true})
	if len(p.Operands) == 0 {
		return // its redirections stay
	}
	c.Clean = c.Clean || p.Has("c")
	c.files = true
	plain := c.wrappers == 0
	c.again(shellword.Fields(p.Operands))
	if _, known := p.Operands[0].Plain(); known && plain && c.conditional && !c.p.execMayFail() {
		c.end = flow{} // the shell is gone, and gone too when nothing could be run
	}
}

// execMayFail reports whether a failed exec may leave the shell running.
func (p *planner) execMayFail() bool {
	return bytes.Contains(p.plan.Source, []byte("execfail")) || strings.Contains(p.base.env["BASHOPTS"], "execfail")
}

var commandOptions = shellword.ParseOptions("p v V")

// runCommand reads command.
//
// Bash manual, "Bash Builtin Commands" (command): functions are left out of the
// search.
func runCommand(c *cmd) {
	p := c.Parse(commandOptions, shellword.Style{Stop: true})
	if p.Has("v") || p.Has("V") {
		c.Words(c.Args)
		c.p.printUnknown(c.st)
		return
	}
	if p.Failed {
		return
	}
	c.nofunc = true
	c.again(shellword.Fields(p.Operands))
}

func runBuiltin(c *cmd) {
	args := c.Args
	if s, ok := shellword.First(args); ok && s == "--" {
		args = args[1:]
	}
	if s, ok := shellword.First(args); ok {
		if b, known := builtinNamed(s); !known || !b.in(c.p.plan.Shell.Dialect) {
			return // no such builtin: an error
		}
	}
	c.nofunc = true
	c.again(args)
}

// runLookup is type and which: they look along PATH and open nothing.
func runLookup(c *cmd) {
	c.Words(c.Args)
	c.p.printUnknown(c.st)
}

// runHash reads hash.
//
// Bash manual, "Bourne Shell Builtins" (hash): with -p a name stands for the
// given file from then on.
func runHash(c *cmd) {
	c.Words(c.Args)
	for _, a := range c.Args {
		s, ok := a.Plain()
		if !ok || strings.HasPrefix(s, "-") && strings.Contains(s, "p") {
			c.opaque(shellplan.OpaqueShadowed, a.Span, "hash -p makes a name run another file")
			c.st.dirty = c.p.why(shellplan.OpaqueShadowed, a.Span, "hash may have made a name run another file")
		}
	}
	c.p.printUnknown(c.st)
}

// runTrap reads trap.
//
// Bash manual, "Bourne Shell Builtins" (trap): the text is read and run when
// the signal arrives.
func runTrap(c *cmd) {
	c.Words(c.Args)
	args := c.Args
	if s, ok := shellword.First(args); ok && s == "--" {
		args = args[1:]
	}
	if len(args) < 2 {
		c.p.printUnknown(c.st)
		return
	}
	s, ok := args[0].Plain()
	switch {
	case ok && (s == "-" || s == "" || s == "-l" || s == "-p" || shellword.IsInteger([]byte(s))):
		return
	case !ok:
		c.opaque(shellplan.OpaqueDynamic, args[0].Span, "the text of the trap is not known")
	default:
		// It runs at another time, in whatever state the shell is then.
		c.opaque(shellplan.OpaqueConstruct, args[0].Span, "the text of a trap runs at a time that is not followed")
		c.p.subshell(c.st, func(sub *state) { c.p.nest(c.seg, "trap", []byte(s), sub, nil) })
	}
	c.EffectAny()
}

// runAlias reads alias.
//
// Bash manual, "Aliases": a definition counts for the lines read after it;
// whether it does here is not followed, so the name is shadowed.
func runAlias(c *cmd) {
	c.Words(c.Args)
	for _, a := range c.Args {
		s, ok := a.Plain()
		if !ok {
			if len(a.Raw) > 0 && bytes.IndexByte(a.Raw, '=') > 0 {
				s = string(a.Raw)
			} else {
				c.st.dirty = c.p.why(shellplan.OpaqueShadowed, a.Span, "which alias was defined is not known")
				continue
			}
		}
		if name, _, defines := strings.Cut(s, "="); defines {
			if len(c.st.aliases) > shellplan.MaxNames {
				panic(tooLarge{"more aliases than are followed"})
			}
			c.st.aliases[name] = true
		}
	}
	c.p.printUnknown(c.st)
}

func runUnalias(c *cmd) { c.Words(c.Args) }
