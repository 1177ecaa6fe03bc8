package shellplan

import (
	"bytes"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// cmd is one simple command while it is read.
type cmd struct {
	p        *planner
	st       *state // the shell; prefix assignments are in effect
	seg      int
	name     string
	args     []field // without the name
	word     field   // the name as written
	span     Span    // the whole command
	stdin    input
	outer    []string // wrappers around it, outermost first
	env      map[string]value
	clean    bool // env -i: nothing of the environment is passed on
	chdir    []CwdStep
	files    bool // a wrapper runs files only: functions and builtins do not count
	nofunc   bool // functions do not count
	noalia   bool
	direct   bool    // named by a path of the system, so PATH does not count
	consumed bool    // it read from the shell's standard input
	silent   bool    // it prints nothing
	printed  *output // what it prints, when a row knows
	end      flow
}

// call reads a simple command: assignments, words, redirections.
func (p *planner) call(c *syntax.CallExpr, redirs []*syntax.Redirect, n syntax.Node, st *state) flow {
	span := p.span(n)
	if span.End > span.Start && len(redirs) == 0 {
		span = p.span(c)
	}
	fields := p.words(c.Args, st)
	if len(fields) == 0 {
		return p.assignments(c, redirs, n, st)
	}
	after := st // what the shell keeps
	scope := st
	prefix := len(c.Assigns) > 0
	if prefix {
		scope = st.clone()
	}
	env := map[string]value{}
	for _, a := range c.Assigns {
		v := p.assign(a, scope)
		env[a.Name.Value] = v
		if vv := scope.vars[a.Name.Value]; vv != nil {
			exported := *vv
			exported.exported = true
			scope.vars[a.Name.Value] = &exported
		}
	}
	fds, stdin := clonedFds(scope), scope.stdin
	opened := p.redirects(redirs, scope)
	i := p.segmentOf("", span, scope)
	p.opened(i, opened, scope)
	k := &cmd{
		p: p, st: scope, seg: i, args: fields[1:], word: fields[0], span: span,
		stdin: scope.stdin, env: env,
	}
	k.run()
	end := k.end
	redirected := !fds[0].same(scope.fds[0])
	for _, e := range []*state{end.ok, end.ko} {
		if e == nil {
			continue
		}
		if k.name != "exec" {
			e.fds, e.stdin = fds, stdin
			if k.consumed && !redirected {
				e.stdin = input{}
			}
		}
		if prefix {
			for name := range env {
				if old, ok := after.vars[name]; ok {
					e.vars[name] = old
				} else {
					delete(e.vars, name)
				}
			}
			e.path, e.locale = after.path, after.locale
			if p.plan.Shell.Dialect != DialectBash && isSpecial(k.name) {
				for name := range env { // POSIX keeps these assignments
					p.set(e, name, unknown(p.why(OpaqueConstruct, span, "an assignment before a special builtin may stay")))
				}
			}
		}
	}
	return end
}

func clonedFds(st *state) map[int]fdInfo {
	out := make(map[int]fdInfo, len(st.fds))
	for k, v := range st.fds {
		out[k] = v
	}
	return out
}

// assignments is a command without a name: its assignments stay in the shell.
func (p *planner) assignments(c *syntax.CallExpr, redirs []*syntax.Redirect, n syntax.Node, st *state) flow {
	for _, a := range c.Assigns {
		p.assign(a, st)
	}
	if len(redirs) == 0 {
		p.flush(p.span(n), st)
		return flow{st, st}
	}
	before := st.clone()
	end := p.bare(redirs, n, st)
	st.restore(before, st.clone())
	return end
}

// assign evaluates one assignment and performs it on the state.
func (p *planner) assign(a *syntax.Assign, st *state) value {
	if a.Name == nil {
		return value{kind: valUnset}
	}
	name, span := a.Name.Value, p.span(a)
	old := p.get(st, name)
	switch {
	case a.Index != nil:
		p.index(a.Index, st, span)
		if a.Value != nil {
			p.oneWord(a.Value, st)
		}
		p.set(st, name, unknown(p.why(OpaqueDynamic, span, "one element of an array was assigned")))
		return p.get(st, name)
	case a.Array != nil:
		v := p.array(a.Array, st)
		if a.Append {
			switch {
			case old.kind == valList && v.kind == valList:
				v.list = append(append([]value{}, old.list...), v.list...)
			case old.kind != valUnset:
				v = unknown(p.why(OpaqueDynamic, span, "an array was added to"))
			}
		}
		p.set(st, name, v)
		return v
	}
	var v value
	if a.Value == nil {
		v = textValue(nil)
	} else {
		atoms := p.assignTildes(p.atoms(a.Value), st, p.span(a.Value))
		v = fieldValue(p.whole(atoms, st, p.span(a.Value)))
	}
	if a.Append {
		switch {
		case old.known() && v.kind == valText && (st.vars[name] == nil || !st.vars[name].array):
			t := append(bytes.Clone(old.str), v.str...)
			if p.budget.bytes -= len(t); p.budget.bytes < 0 {
				panic(tooLarge{"expansions that produce too much text"})
			}
			v = textValue(t)
		default:
			v = unknown(p.why(OpaqueDynamic, span, "text was added to a value that is not known"))
		}
	}
	p.set(st, name, v)
	if name == "PS4" && st.flag[flagXTrace] != off && p.tracesMore(st) {
		p.note(OpaqueDynamic, span, tracing)
	}
	return v
}

const tracing = "PS4 is expanded for every traced command, substitutions included"

// tracesMore reports whether a traced command runs what PS4 holds.
func (p *planner) tracesMore(st *state) bool {
	v := st.lookup("PS4")
	for _, a := range v.alts {
		if a.kind != valUnset && (a.kind != valText || bytes.ContainsAny(a.str, "$`")) {
			return true
		}
	}
	return false
}

// array is the value of NAME=(...).
func (p *planner) array(x *syntax.ArrayExpr, st *state) value {
	v := value{kind: valList}
	span := p.span(x)
	for _, e := range x.Elems {
		if e.Index != nil {
			p.index(e.Index, st, span)
			if e.Value != nil {
				p.oneWord(e.Value, st)
			}
			v = unknown(p.why(OpaqueDynamic, span, "an array with subscripts is not modelled"))
			continue
		}
		fields := p.word(e.Value, st)
		p.listing("", fields, span, st)
		for _, f := range fields {
			item, many := p.itemValue(f, st)
			if many {
				v = unknown(p.why(OpaqueDynamic, span, "the number of elements is not known"))
			}
			if v.kind == valList {
				v.list = append(v.list, item)
			}
		}
	}
	return v
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
		c.opaque(OpaqueConstruct, c.span, "too many commands wrap each other")
		return
	}
	name, ok := c.word.str()
	if !ok {
		why := p.why(OpaqueDynamic, c.word.span, "which command runs is not known")
		if c.word.dyn != nil {
			why.Code = c.word.dyn.Code
		}
		p.addReason(c.seg, *why)
		c.effectAny()
		p.printUnknown(c.st)
		return
	}
	c.name = name
	p.seg(c.seg).Command = shown(name)
	if strings.Contains(name, "/") {
		c.file(name)
		return
	}
	if !c.files {
		if !c.nofunc && (c.shadowed() || c.inline()) {
			return
		}
		if b, ok := builtins[name]; ok && b.in(p.plan.Shell.Dialect) {
			c.silent = b.silent
			if p.plan.Shell.Dialect == DialectPosix && b.bashOnly {
				c.opaque(OpaqueShadowed, c.word.span, "whether this sh has it as a builtin is not known")
			}
			b.run(c)
			return
		}
	}
	c.external(name)
}

// maxWrappers bounds `env nice timeout ...` chains and aliases of themselves.
const maxWrappers = 16

func (c *cmd) opaque(code OpaqueCode, span Span, detail string) {
	c.p.opaque(c.seg, code, span, detail)
}

func (c *cmd) effectAny() { c.p.effect(c.seg, Effect{Kind: EffectAny}) }

// shadowed reports names that stand for something the planner did not read.
func (c *cmd) shadowed() bool {
	st, p := c.st, c.p
	if st.aliases[c.name] && !c.noalia && (st.flag[flagAliases] != off || p.plan.Shell.Dialect != DialectBash) {
		c.opaque(OpaqueShadowed, c.word.span, "the name is an alias here")
		c.effectAny()
		p.printUnknown(st)
		return true
	}
	f, ok := st.funcs[c.name]
	_, imported := p.base.env["BASH_FUNC_"+c.name+"%%"]
	if ok && f == nil || !ok && imported && p.plan.Shell.Dialect != DialectDash {
		c.opaque(OpaqueShadowed, c.word.span, "a function of this name comes from the environment or from one branch only")
		st.dirty = p.why(OpaqueShadowed, c.word.span, "a function that is not read may change the shell")
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
		c.opaque(OpaqueShadowed, c.word.span, "the function is defined elsewhere or calls itself too deep")
		st.dirty = p.why(OpaqueShadowed, c.word.span, "a function that is not read may change the shell")
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
			st.argsWhy = p.why(OpaqueDynamic, a.span, "the number of arguments is not known")
			if len(c.args) == 1 && a.set == nil && a.pattern && a.dyn == nil {
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
	c.add(c.word, SeatExec, Candidate{OptionSafe: true})
	c.opaque(OpaqueProgram, c.word.span, "the file is a program whose own accesses no command line shows")
	c.effectAny()
	c.p.printUnknown(c.st)
}

// external is a program found along PATH.
func (c *cmd) external(name string) {
	p := c.p
	if why := c.pathReason(); why != nil && !c.direct {
		r := *why
		r.Span, r.Word = c.word.span, bytes.Clone(p.textOf(c.word.span))
		p.addReason(c.seg, r)
		c.effectAny()
	}
	row, ok := commands[name]
	if !ok {
		c.consumes()
		c.paths()
		c.opaque(OpaqueCommandUnknown, c.word.span, "the command is not in the table of known commands")
		c.effectAny()
		p.printUnknown(c.st)
		return
	}
	c.steered(row)
	c.table(row)
}

// pathReason says why another file than the system's may run under a name.
func (c *cmd) pathReason() *Opaque {
	if v, ok := c.env["PATH"]; ok {
		if v.kind == valText && trustedPath(string(v.str)) {
			return nil
		}
		return c.p.why(OpaqueShadowed, c.word.span, "PATH is set to something that is not trusted")
	}
	if c.st.path != nil {
		return c.st.path
	}
	if env, ok := c.p.base.env["PATH"]; ok {
		for entry := range strings.SplitSeq(env, ":") {
			if !strings.HasPrefix(entry, "/") {
				return c.p.why(OpaqueShadowed, c.word.span, "PATH looks into the working directory")
			}
		}
	}
	return nil
}

// add makes a word of the command a candidate; see planner.candidate.
func (c *cmd) add(f field, seat Seat, with Candidate) int {
	with.Seat = seat
	if len(with.Chdir) == 0 {
		with.Chdir = c.chdir
	}
	return c.p.candidate(c.seg, c.st, f, with)
}

// again runs the rest of a wrapper's arguments as a command.
func (c *cmd) again(args []field) {
	if len(args) == 0 {
		return
	}
	c.outer = append(c.outer, c.name)
	c.word, c.args, c.noalia, c.direct = args[0], args[1:], true, false
	c.run()
}
