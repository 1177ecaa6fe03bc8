package planner

import (
	"bytes"
	"path"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/command"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// cmd is one simple command while it is read.
type cmd struct {
	command.Call
	p        *planner
	st       *state // the shell; prefix assignments are in effect
	seg      int
	wrappers int  // how many commands wrap it
	files    bool // a wrapper runs files only: functions and builtins do not count
	nofunc   bool // functions do not count
	noalia   bool
	// conditional: nothing but the command itself can make it fail.
	conditional bool
	direct      bool // named by a path of the system, so PATH does not count
	end         flow
}

// run decides what the command's name stands for and reads its arguments. What
// it prints is unknown unless its reading says so.
func (c *cmd) run() {
	said := c.p.prints
	c.end = flow{c.st, c.st}
	c.Silent = false // what `command`, `builtin` and `exec` run speaks for itself
	c.decide()
	if c.p.prints == said && !c.Silent {
		c.p.printUnknown(c.st)
	}
}

// decide finds out what the name stands for and has it read.
//
// Bash manual, "Command Search and Execution": a name without a slash is a
// function, then a builtin, then a file along PATH; a name with a slash is that
// file. Aliases were replaced when the text was read ("Aliases").
func (c *cmd) decide() {
	p := c.p
	if p.step(); c.wrappers > maxWrappers {
		c.opaque(shellplan.OpaqueConstruct, c.Span, "too many commands wrap each other")
		return
	}
	name, ok := c.Word.Plain()
	if !ok {
		why := p.why(shellplan.OpaqueDynamic, c.Word.Span, "which command runs is not known")
		if c.Word.Dyn != nil {
			why.Code = c.Word.Dyn.Code
		}
		p.addReason(c.seg, *why)
		c.EffectAny()
		p.printUnknown(c.st)
		return
	}
	c.Name = name
	seg := p.seg(c.seg)
	seg.Command, seg.Argv, seg.OwnEnv, seg.Moved = shellplan.Shown(name), shellword.Arguments(name, c.Args), c.ownEnv(), len(c.Chdir) > 0
	if zone, given := c.Env["TZ"]; given {
		_, builtin := builtinNamed(name)
		if _, function := c.st.funcs[name]; builtin || function { // the shell has it while they run
			p.zoneAssigned(zone)
		}
	}
	if !c.files && !c.nofunc && (c.shadowed() || c.inline()) {
		return // a function's name may even hold a slash
	}
	if strings.Contains(name, "/") {
		c.file(name)
		return
	}
	if !c.files {
		if b, ok := builtinNamed(name); ok && b.in(p.plan.Shell.Dialect) {
			c.Silent = b.is&silent != 0
			if p.plan.Shell.Dialect == shellplan.DialectPosix && b.is&bashOnly != 0 {
				c.opaque(shellplan.OpaqueShadowed, c.Word.Span, "whether this sh has it as a builtin is not known")
			}
			b.run(c)
			return
		}
	}
	c.external(name)
}

// ownEnv reports whether the text has a hand in the command's environment.
func (c *cmd) ownEnv() bool {
	if c.Clean || len(c.Env) > 0 {
		return true
	}
	for name, v := range c.st.vars {
		if (v == nil || v.exported) && name != "PWD" && name != "OLDPWD" { // those are what cd sets
			return true
		}
	}
	return false
}

// maxWrappers bounds `env nice timeout ...` chains and aliases of themselves.
const maxWrappers = 16

func (c *cmd) opaque(code shellplan.OpaqueCode, span shellplan.Span, detail string) {
	c.p.opaque(c.seg, code, span, detail)
}

// shadowed reports names that stand for something the planner did not read.
func (c *cmd) shadowed() bool {
	st, p := c.st, c.p
	if st.aliases[c.Name] && !c.noalia && (st.flag[flagAliases] != off || p.plan.Shell.Dialect != shellplan.DialectBash) {
		c.opaque(shellplan.OpaqueShadowed, c.Word.Span, "the name is an alias here")
		c.EffectAny()
		p.printUnknown(st)
		return true
	}
	f, ok := st.funcs[c.Name]
	_, imported := p.base.env["BASH_FUNC_"+c.Name+"%%"]
	if ok && f == nil || !ok && imported && p.plan.Shell.Dialect != shellplan.DialectDash {
		c.opaque(shellplan.OpaqueShadowed, c.Word.Span, "a function of this name comes from the environment or from one branch only")
		st.dirty = p.why(shellplan.OpaqueShadowed, c.Word.Span, "a function that is not read may change the shell")
		c.EffectAny()
		p.printUnknown(st)
		return true
	}
	return false
}

// maxCalls bounds how deep functions are inlined.
const maxCalls = 16

// inline walks a function's body in place of the call.
//
// Bash manual, "Shell Functions": it runs in the current shell, with its own
// positional parameters; what `local` hides comes back when it returns, and
// local variables are seen by the functions it calls.
func (c *cmd) inline() bool {
	p, st := c.p, c.st
	f := st.funcs[c.Name]
	if f == nil {
		return false
	}
	if f.src != p || len(p.frames) >= maxCalls {
		c.opaque(shellplan.OpaqueShadowed, c.Word.Span, "the function is defined elsewhere or calls itself too deep")
		st.dirty = p.why(shellplan.OpaqueShadowed, c.Word.Span, "a function that is not read may change the shell")
		c.EffectAny()
		p.printUnknown(st)
		return true
	}
	params, why := st.params, st.argsWhy
	st.params, st.argsWhy = nil, nil
	for _, a := range c.Args {
		v, many := p.itemValue(a, st)
		if many {
			st.params = nil
			st.argsWhy = p.why(shellplan.OpaqueDynamic, a.Span, "the number of arguments is not known")
			if len(c.Args) == 1 && a.Set == nil && a.Pattern && a.Dyn == nil {
				st.argsWhy.Detail = "a pattern gives the arguments"
			}
			break
		}
		st.params = append(st.params, v)
	}
	frame := &callFrame{locals: map[string]*variable{}}
	p.frames = append(p.frames, frame)
	loops := p.loops
	p.loops = nil
	c.Silent = true // its commands speak for themselves
	end := p.stmt(f.body, st)
	p.loops = loops
	p.frames = p.frames[:len(p.frames)-1]
	end = flow{join(end.ok, frame.ret.ok), join(end.ko, frame.ret.ko)}
	for _, e := range []*state{end.ok, end.ko} {
		if e == nil {
			continue
		}
		e.params, e.argsWhy = params, why
		for name, v := range frame.locals {
			if v == nil {
				delete(e.vars, name)
			} else {
				e.vars[name] = v
			}
		}
	}
	c.end = end
	return true
}

// file is a command named by a path.
func (c *cmd) file(name string) {
	dir, base := path.Split(name)
	if c.p.opts.Own != "" && name == c.p.opts.Own {
		c.Name = command.Own
		c.p.seg(c.seg).Command = command.Own
		c.files, c.direct = true, true
		c.external(command.Own)
		return
	}
	switch dir {
	case "/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/":
		c.Name = base
		c.p.seg(c.seg).Command = base
		c.files, c.direct = true, true
		c.external(base)
		return
	}
	c.Add(c.Word, shellplan.AccessExec, shellplan.Candidate{OptionSafe: true})
	c.opaque(shellplan.OpaqueProgram, c.Word.Span, "the file is a program whose own accesses no command line shows")
	c.EffectAny()
	c.p.printUnknown(c.st)
}

// external is a program found along PATH.
func (c *cmd) external(name string) {
	p := c.p
	if why := c.pathReason(); why != nil && !c.direct {
		r := *why
		r.Span, r.Word = c.Word.Span, bytes.Clone(p.textOf(c.Word.Span))
		p.addReason(c.seg, r)
		c.EffectAny()
	}
	c.Run()
}

// pathReason says why another file than the system's may run under a name.
func (c *cmd) pathReason() *shellplan.Opaque {
	if v, ok := c.Env["PATH"]; ok {
		if v.Kind == shellword.ValueText && trustedPath(string(v.Text)) {
			return nil
		}
		return c.p.why(shellplan.OpaqueShadowed, c.Word.Span, "PATH is set to something that is not trusted")
	}
	if c.st.path != nil {
		return c.st.path
	}
	if env, ok := c.p.base.env["PATH"]; ok {
		for entry := range strings.SplitSeq(env, ":") {
			if !strings.HasPrefix(entry, "/") {
				return c.p.why(shellplan.OpaqueShadowed, c.Word.Span, "PATH looks into the working directory")
			}
		}
		c.notBefore(env)
	}
	return nil
}

// notBefore has the establishment look whether a directory that stands in PATH
// before the system's holds a file of the command's name: what runs is then that
// one, which nobody modelled. A directory behind the system's can only add
// names, and is trusted as the user's own setting.
func (c *cmd) notBefore(path string) {
	check := shellplan.Check{Kind: shellplan.CheckAbsent, Span: c.Word.Span}
	for entry := range strings.SplitSeq(path, ":") {
		if trustedPath(entry) {
			break
		}
		file := strings.TrimRight(entry, "/") + "/" + c.Name
		if file == c.p.opts.Own {
			break // it is the one that the row tells of
		}
		check.Files = append(check.Files, []byte(file))
	}
	if len(check.Files) > 0 {
		c.Check(check)
	}
}

// again runs the rest of a wrapper's arguments as a command.
func (c *cmd) again(args []shellword.Field) {
	if len(args) == 0 {
		return
	}
	c.wrappers++
	c.Word, c.Args, c.noalia, c.direct = args[0], args[1:], true, false
	c.run()
}
