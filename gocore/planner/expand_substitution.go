package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// substitution appends what $(...) prints.
func (b *builder) substitution(x *syntax.CmdSubst, quoted bool) {
	p := b.p
	out := p.substitute(x, b.st)
	if out.Kind == shellword.OutputNames && !out.Nul && !quoted && b.split && !b.has {
		if v := b.st.lookup("IFS"); len(v.alts) == 1 && v.alts[0].Kind == shellword.ValueText && string(v.alts[0].Text) == " \t\n" {
			for i, set := range out.Sets {
				if i > 0 {
					b.end()
				}
				again := *set
				again.Resplit = true
				b.cur.Set, b.cur.Many, b.has = &again, true, true
			}
			return
		}
	}
	why := p.why(shellplan.OpaqueDynamic, p.span(x), "the word is what a command prints")
	if out.Kind == shellword.OutputNames {
		why.Detail = "the word joins names that only the file system knows"
	}
	b.value(out.Substituted(why), quoted)
	if quoted {
		b.has = true
	}
}

// substitute walks the commands of $(...) in a subshell and gives what they
// print.
//
// Bash manual, "Command Substitution": trailing newlines are deleted, and the
// commands run in a subshell.
func (p *planner) substitute(x *syntax.CmdSubst, st *state) shellword.Output {
	saved := p.out
	p.out = shellword.Output{}
	p.listen++
	p.maybeNested(x, st)
	p.listen--
	out := p.out
	p.out = saved
	return out
}

// procSubst walks the commands of <(...), which run beside the command, and
// beside those behind it: nothing waits for them.
//
// Bash manual, "Process Substitution": it runs asynchronously, so its effects
// may be seen by the command and by all that follow.
func (p *planner) procSubst(x *syntax.ProcSubst, st *state) {
	if x.Op == syntax.CmdOut {
		p.overheard() // its commands print where the shell does
	}
	saved := p.out
	p.beside(func() {
		p.subshell(st, func(sub *state) {
			sub.stdin = shellword.Input{}
			sub.fds[0] = fdInfo{kind: fdPipe}
			if x.Op == syntax.CmdIn {
				sub.fds[1] = fdInfo{kind: fdPipe, from: 1}
			}
			p.stmts(x.Stmts, sub)
		})
	})
	p.out = saved
}

// maybeNested walks a command substitution. One in backquotes that holds a
// backslash is read a second time from its own text, since backslashes in
// backquotes are taken off before the text is read.
func (p *planner) maybeNested(x *syntax.CmdSubst, st *state) {
	sub := st.clone()
	sub.fds[1] = fdInfo{kind: fdPipe, from: 1}
	if x.Backquotes {
		span := p.span(x)
		if body := p.plan.Source[span.Start:span.End]; bytes.IndexByte(body, '\\') >= 0 {
			i := p.segmentOf("", span, st)
			p.opaque(i, shellplan.OpaqueConstruct, span, "a backslash inside backquotes is not modelled; write $(...)")
		}
	}
	loops, frames := p.loops, p.frames
	p.loops, p.frames = nil, nil
	p.stmts(x.Stmts, sub)
	p.loops, p.frames = loops, frames
}

// oneWord expands a word that is neither split nor globbed.
func (p *planner) oneWord(w *syntax.Word, st *state) shellword.Value {
	if w == nil {
		return shellword.TextValue(nil)
	}
	span := p.span(w)
	return fieldValue(p.whole(p.tildes(p.atoms(w), st, false, span), st, span))
}

func fieldValue(f shellword.Field) shellword.Value {
	switch {
	case f.Num && len(f.Raw) == 0:
		return shellword.Value{Kind: shellword.ValueInt}
	case f.Dyn != nil:
		return shellword.Unknown(f.Dyn)
	case f.Set != nil && f.Set.Derived && f.Dyn == nil:
		set := *f.Set
		set.Tail = f.Raw
		return shellword.Value{Kind: shellword.ValueSet, Set: &set}
	case f.Set != nil && len(f.Raw) == 0:
		return shellword.Value{Kind: shellword.ValueSet, Set: f.Set}
	case f.Set != nil:
		return shellword.Unknown(&shellplan.Opaque{Code: shellplan.OpaqueDynamic, Detail: "the word joins text to names that only the file system knows"})
	}
	return shellword.TextValue(f.Raw)
}

// patternField expands a word that is used as a pattern on text (case, [[,
// ${x#...}); nil when a part of it is not known.
func (p *planner) patternField(w *syntax.Word, st *state) *shellword.Field {
	span := p.span(w)
	b := builder{p: p, st: st, span: span, match: true}
	b.run(p.tildes(p.atoms(w), st, false, span))
	f := b.cur
	if f.Dyn != nil || f.Set != nil {
		return nil
	}
	return &f
}

// patternReason says why a pattern cannot be left to the establishment.
//
// Bash manual, "Filename Expansion" and "The Shopt Builtin": nullglob, dotglob
// and their kin change which names a pattern gives, so an option of unknown
// state is a reason.
func (p *planner) patternReason(f shellword.Field, st *state) *shellplan.Opaque {
	if f.Bad != nil {
		return p.reason(f.Bad, f.Span)
	}
	if st.globDim != 0 {
		return p.why(shellplan.OpaqueShellOption, f.Span, "a shell option that changes patterns may be on or off here")
	}
	return nil
}

// positional is "$@" as fields.
func (p *planner) positional(st *state, span shellplan.Span) []shellword.Field {
	if st.argsWhy != nil {
		return []shellword.Field{{Dyn: p.reason(st.argsWhy, span), Many: true, Span: span}}
	}
	var out []shellword.Field
	for _, v := range st.params {
		b := builder{p: p, st: st, span: span}
		b.value(v, true)
		b.has = true
		b.end()
		out = append(out, b.fields...)
	}
	return out
}
