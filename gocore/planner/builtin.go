package planner

import (
	"bytes"
	"strconv"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// builtin is a command that the shell runs itself.
type builtin struct {
	run      func(*cmd)
	bashOnly bool
	silent   bool // it never prints on its standard output
}

func (b builtin) in(d shellplan.Dialect) bool { return d != shellplan.DialectDash || !b.bashOnly }

// builtins is filled in an init function because its entries lead back to it.
var builtins map[string]builtin

func init() {
	both := func(f func(*cmd)) builtin { return builtin{run: f} }
	bash := func(f func(*cmd)) builtin { return builtin{run: f, bashOnly: true} }
	builtins = map[string]builtin{
		":": both(runTrue), "true": both(runTrue), "false": both(runFalse),
		"echo": both(runEcho), "printf": both(runPrintf), "pwd": both(runPwd),
		"cd": both(runCd), "chdir": both(runCd), "pushd": bash(runPushd), "popd": bash(runPopd), "dirs": bash(runDirs),
		"test": both(runTest), "[": both(runTest),
		"export": both(runDeclare), "readonly": both(runDeclare), "local": both(runDeclare),
		"declare": bash(runDeclare), "typeset": bash(runDeclare),
		"unset": both(runUnset), "set": both(runSet), "shopt": bash(runShopt), "shift": both(runShift),
		"read": both(runRead), "mapfile": bash(runMapfile), "readarray": bash(runMapfile), "getopts": both(runGetopts),
		"eval": both(runEval), ".": both(runSource), "source": bash(runSource), "exec": both(runExec),
		"command": both(runCommand), "builtin": bash(runBuiltin), "type": both(runLookup), "hash": both(runHash),
		"trap": both(runTrap), "alias": both(runAlias), "unalias": both(runUnalias), "let": bash(runLet),
		"exit": both(runExit), "return": both(runReturn), "break": both(runBreak), "continue": both(runBreak),
		"wait": both(runWait), "kill": both(runQuiet), "jobs": both(runQuiet), "bg": both(runQuiet), "fg": both(runQuiet),
		"disown": bash(runQuiet), "suspend": bash(runQuiet), "ulimit": both(runQuiet), "umask": both(runQuiet),
		"times": both(runQuiet), "caller": bash(runQuiet), "help": bash(runQuiet), "logout": bash(runExit),
		"complete": bash(runUnmodelled), "compgen": bash(runUnmodelled), "compopt": bash(runUnmodelled),
		"enable": bash(runUnmodelled), "bind": bash(runUnmodelled), "fc": bash(runUnmodelled), "history": bash(runUnmodelled),
	}
}

func init() {
	for _, name := range []string{":", "true", "false", "unset", "shift", "read", "mapfile", "readarray", "getopts", "eval", ".", "source",
		"exec", "command", "builtin", "unalias", "let", "exit", "return", "break", "continue", "disown", "wait", "export", "readonly",
		"local", "declare", "typeset", "set", "shopt", "hash", "trap", "alias", "test", "[", "cd", "chdir", "printf"} {
		b := builtins[name]
		b.silent = true // or its code says what it prints
		builtins[name] = b
	}
}

// isSpecial names the special builtins of POSIX.
//
// POSIX, "Special Built-In Utilities".
func isSpecial(name string) bool {
	switch name {
	case "break", ":", ".", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
		"shift", "times", "trap", "unset":
		return true
	}
	return false
}

func runTrue(c *cmd) {
	c.Words(c.Args)
	c.end = flow{c.st, nil}
}

func runFalse(c *cmd) {
	c.Words(c.Args)
	c.end = flow{nil, c.st}
}

// runQuiet is a builtin whose words are no paths.
func runQuiet(c *cmd) {
	c.Words(c.Args)
	c.p.printUnknown(c.st)
}

func runUnmodelled(c *cmd) {
	c.opaque(shellplan.OpaqueConstruct, c.Word.Span, "the builtin "+c.Name+" is not modelled")
	c.st.dirty = c.p.why(shellplan.OpaqueConstruct, c.Word.Span, "the builtin "+c.Name+" is not modelled")
	c.p.printUnknown(c.st)
}

func runEcho(c *cmd) {
	c.Words(c.Args)
	c.end = flow{c.st, c.st}
	var out []byte
	newline, args := true, c.Args
	if c.p.plan.Shell.Dialect == shellplan.DialectBash {
		for len(args) > 0 {
			s, ok := args[0].Plain()
			if !ok || len(s) < 2 || s[0] != '-' || bytes.Trim([]byte(s[1:]), "neE") != nil && len(bytes.Trim([]byte(s[1:]), "neE")) > 0 {
				break
			}
			if bytes.IndexByte([]byte(s), 'e') >= 0 {
				c.p.printUnknown(c.st)
				return
			}
			newline = newline && bytes.IndexByte([]byte(s), 'n') < 0
			args = args[1:]
		}
	}
	if len(args) == 1 && args[0].Num && len(args[0].Raw) == 0 {
		c.p.print(c.st, shellword.Output{Kind: shellword.OutputInt})
		return
	}
	for i, a := range args {
		s, ok := a.Plain()
		plain := c.p.plan.Shell.Dialect == shellplan.DialectBash ||
			bytes.IndexByte([]byte(s), '\\') < 0 && (i > 0 || len(s) == 0 || s[0] != '-')
		if !ok || !plain {
			c.p.printUnknown(c.st)
			return
		}
		if i > 0 {
			out = append(out, ' ')
		}
		out = append(out, s...)
	}
	if newline {
		out = append(out, '\n')
	}
	c.p.print(c.st, shellword.Output{Kind: shellword.OutputText, Text: out})
}

func runPwd(c *cmd) {
	v := c.st.pwd()
	for _, a := range c.Args {
		if s, ok := a.Plain(); !ok || s != "-L" {
			c.p.printUnknown(c.st)
			return
		}
	}
	if len(v.alts) == 1 && v.alts[0].Kind == shellword.ValueText && c.st.flag[flagPhysical] == off {
		c.p.print(c.st, shellword.Output{Kind: shellword.OutputText, Text: append(bytes.Clone(v.alts[0].Text), '\n')})
		return
	}
	c.p.printUnknown(c.st)
}

func runExit(c *cmd) {
	c.Words(c.Args)
	c.end = flow{}
}

func runReturn(c *cmd) {
	c.Words(c.Args)
	p := c.p
	if n := len(p.frames); n > 0 {
		f := p.frames[n-1]
		f.ret = flow{join(f.ret.ok, c.st.clone()), join(f.ret.ko, c.st.clone())}
		c.end = flow{}
		return
	}
	// Outside a function it is an error and the text goes on.
}

func runBreak(c *cmd) {
	p := c.p
	if len(p.loops) == 0 {
		return // outside a loop it does nothing
	}
	frame := p.loops[len(p.loops)-1]
	if s, ok := shellword.First(c.Args); ok {
		if n, err := strconv.Atoi(s); err == nil && n > 1 {
			frame = p.loops[max(0, len(p.loops)-n)]
		}
	} else if len(c.Args) > 0 {
		for _, f := range p.loops { // any of them
			f.brk, f.cont = join(f.brk, c.st.clone()), join(f.cont, c.st.clone())
		}
		return
	}
	if c.Name == "break" {
		frame.brk = join(frame.brk, c.st.clone())
	} else {
		frame.cont = join(frame.cont, c.st.clone())
	}
	c.end = flow{}
}
