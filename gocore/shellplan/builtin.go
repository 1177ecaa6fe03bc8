package shellplan

import (
	"bytes"
	"strconv"
)

// builtin is a command that the shell runs itself.
type builtin struct {
	run      func(*cmd)
	bashOnly bool
	silent   bool // it never prints on its standard output
}

func (b builtin) in(d Dialect) bool { return d != DialectDash || !b.bashOnly }

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
		"wait": both(runQuiet), "kill": both(runQuiet), "jobs": both(runQuiet), "bg": both(runQuiet), "fg": both(runQuiet),
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
func isSpecial(name string) bool {
	switch name {
	case "break", ":", ".", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
		"shift", "times", "trap", "unset":
		return true
	}
	return false
}

// words looks at arguments that are no paths.
func (c *cmd) words(list []field) {
	for _, f := range list {
		c.listed(f, true)
	}
}

func runTrue(c *cmd) {
	c.words(c.args)
	c.end = flow{c.st, nil}
}

func runFalse(c *cmd) {
	c.words(c.args)
	c.end = flow{nil, c.st}
}

// runQuiet is a builtin whose words are no paths.
func runQuiet(c *cmd) {
	c.words(c.args)
	c.p.printUnknown(c.st)
}

func runUnmodelled(c *cmd) {
	c.opaque(OpaqueConstruct, c.word.span, "the builtin "+c.name+" is not modelled")
	c.st.dirty = c.p.why(OpaqueConstruct, c.word.span, "the builtin "+c.name+" is not modelled")
	c.p.printUnknown(c.st)
}

func runEcho(c *cmd) {
	c.words(c.args)
	c.end = flow{c.st, c.st}
	var out []byte
	newline, args := true, c.args
	if c.p.plan.Shell.Dialect == DialectBash {
		for len(args) > 0 {
			s, ok := args[0].str()
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
	if len(args) == 1 && args[0].num && len(args[0].raw) == 0 {
		c.p.print(c.st, output{kind: outInt})
		return
	}
	for i, a := range args {
		s, ok := a.str()
		plain := c.p.plan.Shell.Dialect == DialectBash ||
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
	c.p.print(c.st, output{kind: outText, text: out})
}

func runPrintf(c *cmd) {
	args, name := c.args, ""
	if s, ok := first(args); ok && c.p.plan.Shell.Dialect != DialectDash {
		if s == "-v" && len(args) > 1 {
			name, _ = args[1].str()
			args = args[2:]
			if name == "" {
				c.opaque(OpaqueDynamic, c.span, "which variable printf sets is not known")
				c.st.dirty = c.p.why(OpaqueDynamic, c.span, "which variable printf sets is not known")
			}
		} else if len(s) > 2 && s[:2] == "-v" {
			name, args = s[2:], args[1:]
		}
	}
	if s, ok := first(args); ok && s == "--" {
		args = args[1:]
	}
	c.words(args)
	t, ok := format(args)
	if name != "" {
		v := textValue(t)
		if !ok {
			v = unknown(c.p.why(OpaqueDynamic, c.span, "what printf makes of its words is not known"))
		}
		c.setNamed(name, v, c.span)
		return
	}
	if !ok {
		c.p.printUnknown(c.st)
		return
	}
	c.p.print(c.st, output{kind: outText, text: t})
}

// setNamed assigns to a name that a command gives as a word: it may carry a
// subscript, which is evaluated.
func (c *cmd) setNamed(name string, v value, span Span) {
	if i := bytes.IndexByte([]byte(name), '['); i > 0 {
		if bytes.ContainsAny([]byte(name[i:]), "$`") {
			c.opaque(OpaqueDynamic, span, "the subscript of the name is evaluated")
		}
		name, v = name[:i], unknown(c.p.why(OpaqueDynamic, span, "one element of an array was assigned"))
	}
	c.p.set(c.st, name, v)
}

func first(args []field) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	return args[0].str()
}

// format is printf for %s, %b without backslashes, %d, %c-less formats and the
// usual escapes; false for anything else.
func format(args []field) ([]byte, bool) {
	f, ok := first(args)
	if !ok {
		return nil, false
	}
	var vals []string
	for _, a := range args[1:] {
		s, ok := a.str()
		if !ok {
			return nil, false
		}
		vals = append(vals, s)
	}
	var out []byte
	for round := 0; round == 0 || len(vals) > 0; round++ {
		used := false
		for i := 0; i < len(f); i++ {
			switch {
			case f[i] == '\\' && i+1 < len(f):
				i++
				switch f[i] {
				case 'n':
					out = append(out, '\n')
				case 't':
					out = append(out, '\t')
				case '\\':
					out = append(out, '\\')
				case '0':
					n := digits([]byte(f[i:]), 3, 8)
					v, _ := strconv.ParseUint(f[i:i+n], 8, 16)
					out = append(out, byte(v))
					i += n - 1
				default:
					return nil, false
				}
			case f[i] == '%' && i+1 < len(f):
				i++
				switch f[i] {
				case '%':
					out = append(out, '%')
				case 's', 'd':
					used = true
					v := ""
					if len(vals) > 0 {
						v, vals = vals[0], vals[1:]
					} else if f[i] == 'd' {
						v = "0"
					}
					if f[i] == 'd' && !isInteger([]byte(v)) {
						return nil, false
					}
					out = append(out, v...)
				default:
					return nil, false
				}
			default:
				out = append(out, f[i])
			}
			if len(out) > maxOutput {
				return nil, false
			}
		}
		if !used {
			break
		}
	}
	return out, true
}

func runPwd(c *cmd) {
	v := c.st.pwd()
	for _, a := range c.args {
		if s, ok := a.str(); !ok || s != "-L" {
			c.p.printUnknown(c.st)
			return
		}
	}
	if len(v.alts) == 1 && v.alts[0].kind == valText && c.st.flag[flagPhysical] == off {
		c.p.print(c.st, output{kind: outText, text: append(bytes.Clone(v.alts[0].str), '\n')})
		return
	}
	c.p.printUnknown(c.st)
}

func runExit(c *cmd) {
	c.words(c.args)
	c.end = flow{}
}

func runReturn(c *cmd) {
	c.words(c.args)
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
	if s, ok := first(c.args); ok {
		if n, err := strconv.Atoi(s); err == nil && n > 1 {
			frame = p.loops[max(0, len(p.loops)-n)]
		}
	} else if len(c.args) > 0 {
		for _, f := range p.loops { // any of them
			f.brk, f.cont = join(f.brk, c.st.clone()), join(f.cont, c.st.clone())
		}
		return
	}
	if c.name == "break" {
		frame.brk = join(frame.brk, c.st.clone())
	} else {
		frame.cont = join(frame.cont, c.st.clone())
	}
	c.end = flow{}
}
