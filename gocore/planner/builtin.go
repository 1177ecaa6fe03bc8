package planner

import (
	"bytes"
	"strconv"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// builtin is a command that the shell runs itself.
type builtin struct {
	name string
	run  func(*cmd)
	is   builtinFlags
}

type builtinFlags uint8

const (
	// bashOnly: dash does not have it.
	bashOnly builtinFlags = 1 << iota
	// silent: it never prints on its standard output, or its code says what it prints.
	silent
)

func (b builtin) in(d shellplan.Dialect) bool {
	return d != shellplan.DialectDash || b.is&bashOnly == 0
}

// builtinList is every builtin, by name. Long because there are so many.
func builtinList() []builtin {
	return []builtin{
		{".", runSource, silent},
		{":", runTrue, silent},
		{"[", runTest, silent},
		{"alias", runAlias, silent},
		{"bg", runQuiet, 0},
		{"bind", runUnmodelled, bashOnly},
		{"break", runBreak, silent},
		{"builtin", runBuiltin, bashOnly | silent},
		{"caller", runQuiet, bashOnly},
		{"cd", runCd, silent},
		{"chdir", runCd, silent},
		{"command", runCommand, silent},
		{"compgen", runUnmodelled, bashOnly},
		{"complete", runUnmodelled, bashOnly},
		{"compopt", runUnmodelled, bashOnly},
		{"continue", runBreak, silent},
		{"declare", runDeclare, bashOnly | silent},
		{"dirs", runDirs, bashOnly},
		{"disown", runQuiet, bashOnly | silent},
		{"echo", runEcho, 0},
		{"enable", runUnmodelled, bashOnly},
		{"eval", runEval, silent},
		{"exec", runExec, silent},
		{"exit", runExit, silent},
		{"export", runDeclare, silent},
		{"false", runFalse, silent},
		{"fc", runUnmodelled, bashOnly},
		{"fg", runQuiet, 0},
		{"getopts", runGetopts, silent},
		{"hash", runHash, silent},
		{"help", runQuiet, bashOnly},
		{"history", runUnmodelled, bashOnly},
		{"jobs", runQuiet, 0},
		{"kill", runQuiet, 0},
		{"let", runLet, bashOnly | silent},
		{"local", runDeclare, silent},
		{"logout", runExit, bashOnly},
		{"mapfile", runMapfile, bashOnly | silent},
		{"popd", runPopd, bashOnly},
		{"printf", runPrintf, silent},
		{"pushd", runPushd, bashOnly},
		{"pwd", runPwd, 0},
		{"read", runRead, silent},
		{"readarray", runMapfile, bashOnly | silent},
		{"readonly", runDeclare, silent},
		{"return", runReturn, silent},
		{"set", runSet, silent},
		{"shift", runShift, silent},
		{"shopt", runShopt, bashOnly | silent},
		{"source", runSource, bashOnly | silent},
		{"suspend", runQuiet, bashOnly},
		{"test", runTest, silent},
		{"times", runQuiet, 0},
		{"trap", runTrap, silent},
		{"true", runTrue, silent},
		{"type", runLookup, 0},
		{"typeset", runDeclare, bashOnly | silent},
		{"ulimit", runQuiet, 0},
		{"umask", runQuiet, 0},
		{"unalias", runUnalias, silent},
		{"unset", runUnset, silent},
		{"wait", runWait, silent},
	}
}

// builtins finds them. It is made at its first use, because the code of some asks it
// in turn.
var builtins struct {
	once   sync.Once
	byName map[string]builtin
}

func builtinNamed(name string) (builtin, bool) {
	builtins.once.Do(func() {
		list := builtinList()
		builtins.byName = make(map[string]builtin, len(list))
		for _, b := range list {
			builtins.byName[b.name] = b
		}
	})
	b, ok := builtins.byName[name]
	return b, ok
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
