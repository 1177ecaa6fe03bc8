package planner

import (
	"bytes"
	"path"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// cmd is one simple command while it is read.
type cmd struct {
	p      *planner
	st     *state // the shell; prefix assignments are in effect
	seg    int
	name   string
	args   []shellword.Field // without the name
	word   shellword.Field   // the name as written
	span   shellplan.Span    // the whole command
	stdin  shellword.Input
	outer  []string // wrappers around it, outermost first
	env    map[string]shellword.Value
	clean  bool // env -i: nothing of the environment is passed on
	chdir  []shellplan.CwdStep
	files  bool // a wrapper runs files only: functions and builtins do not count
	nofunc bool // functions do not count
	noalia bool
	// conditional: nothing but the command itself can make it fail.
	conditional bool
	direct      bool              // named by a path of the system, so PATH does not count
	consumed    bool              // it read from the shell's standard input
	silent      bool              // it prints nothing
	printed     *shellword.Output // what it prints, when a row knows
	end         flow
}

// run decides what the command's name stands for and reads its arguments. What
// it prints is unknown unless its reading says so.
func (c *cmd) run() {
	said := c.p.prints
	c.end = flow{c.st, c.st}
	c.decide()
	if c.p.prints == said && !c.silent {
		c.p.printUnknown(c.st)
	}
}

func (c *cmd) decide() {
	p := c.p
	if p.step(); len(c.outer) > maxWrappers {
		c.opaque(shellplan.OpaqueConstruct, c.span, "too many commands wrap each other")
		return
	}
	name, ok := c.word.Plain()
	if !ok {
		why := p.why(shellplan.OpaqueDynamic, c.word.Span, "which command runs is not known")
		if c.word.Dyn != nil {
			why.Code = c.word.Dyn.Code
		}
		p.addReason(c.seg, *why)
		c.effectAny()
		p.printUnknown(c.st)
		return
	}
	c.name = name
	p.seg(c.seg).Command = shellplan.Shown(name)
	if !c.files && !c.nofunc && (c.shadowed() || c.inline()) {
		return // a function's name may even hold a slash
	}
	if strings.Contains(name, "/") {
		c.file(name)
		return
	}
	if !c.files {
		if b, ok := builtins[name]; ok && b.in(p.plan.Shell.Dialect) {
			c.silent = b.silent
			if p.plan.Shell.Dialect == shellplan.DialectPosix && b.bashOnly {
				c.opaque(shellplan.OpaqueShadowed, c.word.Span, "whether this sh has it as a builtin is not known")
			}
			b.run(c)
			return
		}
	}
	c.external(name)
}

// maxWrappers bounds `env nice timeout ...` chains and aliases of themselves.
const maxWrappers = 16

func (c *cmd) opaque(code shellplan.OpaqueCode, span shellplan.Span, detail string) {
	c.p.opaque(c.seg, code, span, detail)
}

func (c *cmd) effectAny() { c.p.effect(c.seg, shellplan.Effect{Kind: shellplan.EffectAny}) }

// shadowed reports names that stand for something the planner did not read.
func (c *cmd) shadowed() bool {
	st, p := c.st, c.p
	if st.aliases[c.name] && !c.noalia && (st.flag[flagAliases] != off || p.plan.Shell.Dialect != shellplan.DialectBash) {
		c.opaque(shellplan.OpaqueShadowed, c.word.Span, "the name is an alias here")
		c.effectAny()
		p.printUnknown(st)
		return true
	}
	f, ok := st.funcs[c.name]
	_, imported := p.base.env["BASH_FUNC_"+c.name+"%%"]
	if ok && f == nil || !ok && imported && p.plan.Shell.Dialect != shellplan.DialectDash {
		c.opaque(shellplan.OpaqueShadowed, c.word.Span, "a function of this name comes from the environment or from one branch only")
		st.dirty = p.why(shellplan.OpaqueShadowed, c.word.Span, "a function that is not read may change the shell")
		c.effectAny()
		p.printUnknown(st)
		return true
	}
	return false
}

// maxCalls bounds how deep functions are inlined.
const maxCalls = 16

// inline walks a function's body in place of the call.
func (c *cmd) inline() bool {
	p, st := c.p, c.st
	f := st.funcs[c.name]
	if f == nil {
		return false
	}
	if f.src != p || len(p.frames) >= maxCalls {
		c.opaque(shellplan.OpaqueShadowed, c.word.Span, "the function is defined elsewhere or calls itself too deep")
		st.dirty = p.why(shellplan.OpaqueShadowed, c.word.Span, "a function that is not read may change the shell")
		c.effectAny()
		p.printUnknown(st)
		return true
	}
	params, why := st.params, st.argsWhy
	st.params, st.argsWhy = nil, nil
	for _, a := range c.args {
		v, many := p.itemValue(a, st)
		if many {
			st.params = nil
			st.argsWhy = p.why(shellplan.OpaqueDynamic, a.Span, "the number of arguments is not known")
			if len(c.args) == 1 && a.Set == nil && a.Pattern && a.Dyn == nil {
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
	c.silent = true // its commands speak for themselves
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
	switch dir {
	case "/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/":
		c.name = base
		c.p.seg(c.seg).Command = base
		c.files, c.direct = true, true
		c.external(base)
		return
	}
	c.add(c.word, shellplan.AccessExec, shellplan.Candidate{OptionSafe: true})
	c.opaque(shellplan.OpaqueProgram, c.word.Span, "the file is a program whose own accesses no command line shows")
	c.effectAny()
	c.p.printUnknown(c.st)
}

// external is a program found along PATH.
func (c *cmd) external(name string) {
	p := c.p
	if why := c.pathReason(); why != nil && !c.direct {
		r := *why
		r.Span, r.Word = c.word.Span, bytes.Clone(p.textOf(c.word.Span))
		p.addReason(c.seg, r)
		c.effectAny()
	}
	row, ok := commands[name]
	if !ok {
		c.consumes()
		c.paths()
		c.opaque(shellplan.OpaqueCommandUnknown, c.word.Span, "the command is not in the table of known commands")
		c.effectAny()
		p.printUnknown(c.st)
		return
	}
	c.steered(row)
	c.table(row)
}

// pathReason says why another file than the system's may run under a name.
func (c *cmd) pathReason() *shellplan.Opaque {
	if v, ok := c.env["PATH"]; ok {
		if v.Kind == shellword.ValueText && trustedPath(string(v.Text)) {
			return nil
		}
		return c.p.why(shellplan.OpaqueShadowed, c.word.Span, "PATH is set to something that is not trusted")
	}
	if c.st.path != nil {
		return c.st.path
	}
	if env, ok := c.p.base.env["PATH"]; ok {
		for entry := range strings.SplitSeq(env, ":") {
			if !strings.HasPrefix(entry, "/") {
				return c.p.why(shellplan.OpaqueShadowed, c.word.Span, "PATH looks into the working directory")
			}
		}
	}
	return nil
}

// add makes a word of the command a candidate; see planner.candidate.
func (c *cmd) add(f shellword.Field, access shellplan.Access, with shellplan.Candidate) int {
	with.Access = access
	if len(with.Chdir) == 0 {
		with.Chdir = c.chdir
	}
	return c.p.candidate(c.seg, c.st, f, with)
}

// again runs the rest of a wrapper's arguments as a command.
func (c *cmd) again(args []shellword.Field) {
	if len(args) == 0 {
		return
	}
	c.outer = append(c.outer, c.name)
	c.word, c.args, c.noalia, c.direct = args[0], args[1:], true, false
	c.run()
}

// parse splits the arguments of the command.
func (c *cmd) parse(set *shellword.OptionSet, st shellword.Style) shellword.Parsed {
	return shellword.Parse(c.name, c.args, set, st, c)
}

// Opaque, Reason, AddReason and Listed are what a reading of options reports to.
func (c *cmd) Opaque(code shellplan.OpaqueCode, span shellplan.Span, detail string) {
	c.p.opaque(c.seg, code, span, detail)
}

func (c *cmd) Reason(why *shellplan.Opaque, span shellplan.Span) *shellplan.Opaque {
	return c.p.reason(why, span)
}

func (c *cmd) AddReason(why shellplan.Opaque) { c.p.addReason(c.seg, why) }

func (c *cmd) Listed(f shellword.Field, safe bool) { c.listed(f, safe) }
