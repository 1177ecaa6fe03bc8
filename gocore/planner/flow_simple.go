package planner

import (
	"bytes"
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/command"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// call reads a simple command: assignments, words, redirections.
//
// Bash manual, "Simple Command Expansion": assignments before a name are the
// command's own environment. POSIX, "Special Built-In Utilities": before one of
// those they stay, outside bash. Long because the order of these steps is the
// meaning, and what the shell keeps afterwards mirrors what was put in place
// before.
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
	env := map[string]shellword.Value{}
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
		Call: command.Call{Args: fields[1:], Word: fields[0], Span: span, Stdin: scope.stdin, Env: env},
		p:    p, st: scope, seg: i,
	}
	k.Shell = rowShell{k}
	k.conditional = !prefix && !bytes.Contains(p.plan.Source, []byte("ulimit")) && !slices.ContainsFunc(redirs, func(r *syntax.Redirect) bool {
		return !surelyOpens(r, scope)
	})
	k.run()
	end := k.end
	redirected := !fds[0].same(scope.fds[0])
	for _, e := range []*state{end.ok, end.ko} {
		if e == nil {
			continue
		}
		if k.Name != "exec" {
			e.fds, e.stdin = fds, stdin
			if k.Consumed && !redirected {
				e.stdin = shellword.Input{}
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
			if p.plan.Shell.Dialect != shellplan.DialectBash && isSpecial(k.Name) {
				for name := range env { // POSIX keeps these assignments
					p.set(e, name, shellword.Unknown(p.why(shellplan.OpaqueConstruct, span, "an assignment before a special builtin may stay")))
				}
			}
		}
	}
	return end
}

// surelyOpens reports whether a redirection cannot fail: it opens /dev/null or
// copies a standard stream that nobody closed.
func surelyOpens(r *syntax.Redirect, st *state) bool {
	target := r.Word.Lit()
	if r.Op == syntax.DplOut && (target == "1" || target == "2") {
		fd, touched := st.fds[int(target[0]-'0')]
		return !touched || fd.kind == fdPipe || fd.kind == fdFile
	}
	return target == "/dev/null" && (r.Op == syntax.RdrOut || r.Op == syntax.AppOut || r.Op == syntax.RdrIn)
}

func clonedFds(st *state) map[int]fdInfo {
	out := make(map[int]fdInfo, len(st.fds))
	for k, v := range st.fds {
		out[k] = v
	}
	return out
}
