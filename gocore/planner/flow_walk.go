package planner

import (
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// flow is where a command leaves the shell: after success and after failure.
// nil is a way that is not taken (`exit`, `true` never fails). Both may be the
// same state.
type flow struct{ ok, ko *state }

func (f flow) any() *state { return join(f.ok, f.ko) }

// fork gives the two ways states of their own before one of them goes on.
func (f flow) fork() flow {
	if f.ok != nil && f.ok == f.ko {
		f.ok = f.ko.clone()
	}
	return f
}

// loopFrame collects the states that leave a loop body early.
type loopFrame struct{ brk, cont *state }

// callFrame collects the states that leave a function (or a sourced text).
type callFrame struct {
	ret    flow
	locals map[string]*variable // what `local` hides, to be put back
}

// stmts walks a list; each command starts where the one before ended, however
// it ended.
func (p *planner) stmts(list []*syntax.Stmt, st *state) flow {
	end := flow{st, nil}
	for _, s := range list {
		if st = end.any(); st == nil {
			return flow{}
		}
		end = p.stmt(s, st)
	}
	return end
}

func (p *planner) step() {
	p.budget.spend(costStep)
	if p.budget.steps--; p.budget.steps < 0 {
		panic(tooLarge{"more commands to follow than the planner does"})
	}
}

func (p *planner) stmt(s *syntax.Stmt, st *state) flow {
	p.step()
	if p.depth++; p.depth > shellplan.MaxNesting {
		panic(tooLarge{"compound commands nested too deep"})
	}
	defer func() { p.depth-- }()
	if s.Background || s.Coprocess || s.Disown {
		return p.background(s, st)
	}
	end := p.redirected(s, st)
	if s.Negated {
		end.ok, end.ko = end.ko, end.ok
	}
	return end
}

// background runs a command beside the ones that follow: neither its changes to
// the shell nor their order are visible, but the names it changes are.
//
// Bash manual, "Lists of Commands": a command that ends in & runs in a subshell
// and the shell does not wait.
func (p *planner) background(s *syntax.Stmt, st *state) flow {
	from := len(p.plan.Segments)
	p.subshell(st, func(sub *state) { p.redirected(s, sub) })
	p.runsOn(from)
	return flow{st, nil}
}

// runsOn has the segments from one on see every later effect, until the text
// ends: wait is no promise.
func (p *planner) runsOn(from int) {
	if p.running < 0 || p.running > from {
		p.running = from
	}
	p.seeAgain(p.visible)
}

// seeAgain ends a stretch of the text that saw more than what lies around it;
// what still runs sees on.
func (p *planner) seeAgain(before int) {
	p.visible = before
	if p.running >= 0 && (p.visible < 0 || p.visible > p.running) {
		p.visible = p.running
	}
}

// subshell walks in a copy whose changes are lost.
func (p *planner) subshell(st *state, body func(*state)) {
	loops, frames := p.loops, p.frames
	p.loops, p.frames = nil, nil
	body(st.clone())
	p.loops, p.frames = loops, frames
}

// concurrent walks commands that run at the same time: each sees the effects of
// all of them.
func (p *planner) concurrent(body func()) {
	before := p.visible
	if p.visible < 0 {
		p.visible = len(p.plan.Segments)
	}
	body()
	p.seeAgain(before)
}

// beside walks commands that run on while what follows runs: each of both may
// see the effects of the other, until the text ends. wait is no promise.
func (p *planner) beside(body func()) {
	p.runsOn(len(p.plan.Segments))
	body()
}

// repeated reads a command that the segment may run again for the next names:
// each run finds what the ones before did.
func (p *planner) repeated(seg int, body func()) {
	before := p.visible
	if p.visible < 0 || p.visible > seg {
		p.visible = seg
	}
	body()
	p.seeAgain(before)
}

// maybe walks what runs only under a condition.
func (p *planner) maybe(body func()) {
	p.reach++
	body()
	p.reach--
}

// redirected walks a statement with its redirections. Those of a simple command
// belong to its segment; those of a compound one are a segment before it.
func (p *planner) redirected(s *syntax.Stmt, st *state) flow {
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		return p.split(st, func(st *state) flow { return p.call(call, s.Redirs, s, st) })
	}
	if s.Cmd == nil {
		return p.split(st, func(st *state) flow { return p.bare(s.Redirs, s, st) })
	}
	if len(s.Redirs) == 0 {
		return p.command(s.Cmd, st)
	}
	before := st.clone()
	st = p.split(st, func(st *state) flow { return p.bare(s.Redirs, s, st) }).any()
	opened := st.clone()
	end := p.command(s.Cmd, st)
	for _, e := range []*state{end.ok, end.ko} {
		if e != nil {
			e.restore(before, opened)
		}
	}
	// A redirection that fails keeps the command from running.
	return flow{end.ok, join(end.ko, before)}
}

// restore takes back the descriptors that a redirection opened.
func (s *state) restore(before, opened *state) {
	for fd, f := range opened.fds {
		old, had := before.fds[fd]
		switch {
		case had && old.same(f):
		case had:
			s.fds[fd] = old
		default:
			delete(s.fds, fd)
		}
	}
	s.stdin = before.stdin
}

// command walks a compound command. Long because it has a case for each of them.
func (p *planner) command(cmd syntax.Command, st *state) flow {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		return p.split(st, func(st *state) flow { return p.call(c, nil, c, st) })
	case *syntax.Block:
		return p.stmts(c.Stmts, st)
	case *syntax.Subshell:
		p.subshell(st, func(sub *state) { p.stmts(c.Stmts, sub) })
		return flow{st, st}
	case *syntax.BinaryCmd:
		return p.binary(c, st)
	case *syntax.IfClause:
		return p.ifClause(c, st)
	case *syntax.WhileClause:
		return p.whileClause(c, st)
	case *syntax.ForClause:
		return p.forClause(c, st)
	case *syntax.CaseClause:
		return p.caseClause(c, st)
	case *syntax.FuncDecl:
		return p.funcDecl(c, st)
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return flow{st, nil}
		}
		return p.stmt(c.Stmt, st)
	case *syntax.CoprocClause:
		p.beside(func() { p.subshell(st, func(sub *state) { p.stmt(c.Stmt, sub) }) })
		name := "COPROC"
		if c.Name != nil {
			v := p.oneWord(c.Name, st)
			if v.Kind != shellword.ValueText {
				st.dirty = p.why(shellplan.OpaqueDynamic, p.span(c), "which variable coproc sets is not known")
			}
			name = string(v.Text)
		}
		for _, set := range []string{name, name + "_PID"} {
			p.set(st, set, shellword.Unknown(p.why(shellplan.OpaqueDynamic, p.span(c), "coproc sets the variable")))
		}
		return flow{st, st}
	case *syntax.TestClause:
		return p.split(st, func(st *state) flow { return p.testClause(c, st) })
	case *syntax.ArithmCmd:
		return p.split(st, func(st *state) flow {
			p.arithCommand([]syntax.ArithmExpr{c.X}, c, st)
			return flow{st, st}
		})
	case *syntax.LetClause:
		return p.split(st, func(st *state) flow {
			if p.replaced("let", p.span(c), st) {
				return flow{st, st}
			}
			p.arithCommand(c.Exprs, c, st)
			return flow{st, st}
		})
	case *syntax.DeclClause:
		return p.split(st, func(st *state) flow { return p.declClause(c, st) })
	}
	i := p.segmentOf("", p.span(cmd), st)
	p.opaque(i, shellplan.OpaqueConstruct, p.span(cmd), "this kind of compound command is not modelled")
	return flow{st, st}
}

// binary walks a pipe or a list of && and ||.
//
// Bash manual, "Lists of Commands": && and || have equal precedence and bind to
// the left.
func (p *planner) binary(c *syntax.BinaryCmd, st *state) flow {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		return p.pipeline(c, st)
	}
	// The left side nests once per operator: a long chain is walked in a
	// loop, not by recursion.
	var chain []*syntax.BinaryCmd
	first := c.X
	chain = append(chain, c)
	for {
		b, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op == syntax.Pipe || b.Op == syntax.PipeAll || len(first.Redirs) > 0 || first.Negated || first.Background {
			break
		}
		chain, first = append(chain, b), b.X
	}
	end := p.stmt(first, st)
	for _, b := range slices.Backward(chain) {
		end = end.fork()
		p.step()
		if b.Op == syntax.AndStmt {
			if end.ok == nil {
				continue
			}
			var right flow
			p.maybe(func() { right = p.stmt(b.Y, end.ok) })
			end = flow{right.ok, join(end.ko, right.ko)}
		} else {
			if end.ko == nil {
				continue
			}
			var right flow
			p.maybe(func() { right = p.stmt(b.Y, end.ko) })
			end = flow{join(end.ok, right.ok), right.ko}
		}
	}
	return end
}

// ifClause walks every branch that can be reached.
//
// Bash manual, "Conditional Constructs": the status is zero when no condition
// was true.
func (p *planner) ifClause(c *syntax.IfClause, st *state) flow {
	var end flow
	for c != nil {
		if len(c.Cond) == 0 { // else
			p.maybe(func() { e := p.stmts(c.Then, st); end = flow{join(end.ok, e.ok), join(end.ko, e.ko)} })
			return end
		}
		cond := p.stmts(c.Cond, st).fork()
		if cond.ok != nil {
			p.maybe(func() {
				e := p.stmts(c.Then, cond.ok)
				end = flow{join(end.ok, e.ok), join(end.ko, e.ko)}
			})
		}
		if st = cond.ko; st == nil {
			return end
		}
		c = c.Else
	}
	end.ok = join(end.ok, st) // no branch taken: success
	return end
}

func (p *planner) funcDecl(c *syntax.FuncDecl, st *state) flow {
	if c.Name == nil {
		return flow{st, st}
	}
	if len(st.funcs) > shellplan.MaxNames {
		panic(tooLarge{"more functions than are followed"})
	}
	st.funcs[c.Name.Value] = &function{body: c.Body, src: p}
	if c.Name.Value == notFoundHandle {
		st.dirty = p.why(shellplan.OpaqueShadowed, p.span(c), "the function runs in place of every command that is not found, and what is installed is not looked at")
	}
	if st.flag[flagAllExport] != off {
		st.exportedFuncs = p.why(shellplan.OpaqueShadowed, p.span(c), "a function that is defined under set -a is exported to the shells that are started")
	}
	return flow{st, nil}
}

// notFoundHandle is the function that bash runs when no file has the name of a
// command (bash manual, "Command Search and Execution").
const notFoundHandle = "command_not_found_handle"
