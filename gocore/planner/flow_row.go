package planner

import (
	"maps"
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/command"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// rowShell is what a row of the command table sees of a command: package command
// knows the interface, and only the command itself is behind it.
type rowShell struct{ c *cmd }

func (s rowShell) Candidate(f shellword.Field, c shellplan.Candidate) int {
	return s.c.p.candidate(s.c.seg, s.c.st, f, c)
}

func (s rowShell) Opaque(code shellplan.OpaqueCode, span shellplan.Span, detail string) {
	s.c.opaque(code, span, detail)
}

func (s rowShell) AddReason(why shellplan.Opaque) { s.c.p.addReason(s.c.seg, why) }

func (s rowShell) Why(code shellplan.OpaqueCode, span shellplan.Span, detail string) *shellplan.Opaque {
	return s.c.p.why(code, span, detail)
}

func (s rowShell) Reason(why *shellplan.Opaque, span shellplan.Span) *shellplan.Opaque {
	return s.c.p.reason(why, span)
}

func (s rowShell) Effect(e shellplan.Effect) { s.c.p.effect(s.c.seg, e) }

func (s rowShell) Check(k shellplan.Check) {
	seg := s.c.p.seg(s.c.seg)
	seg.Checks = append(seg.Checks, k)
}

func (s rowShell) Entitle(command string) { s.c.p.seg(s.c.seg).Command = command }

func (s rowShell) Print(o shellword.Output) { s.c.p.print(s.c.st, o) }

func (s rowShell) Variable(name string) shellword.Value { return s.c.variable(name) }

func (s rowShell) Inherited(name string) bool { return s.c.inherited(name) }

func (s rowShell) Exported() []command.Exported {
	c := s.c
	var out []command.Exported
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		out = append(out, command.Exported{Name: name, Value: c.Env[name]})
	}
	if c.Clean {
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(c.st.vars)) {
		if _, own := c.Env[name]; !own && c.st.vars[name] != nil && c.st.vars[name].exported {
			out = append(out, command.Exported{Name: name, Value: c.st.vars[name].alts[0]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.p.base.env)) {
		if c.inherited(name) {
			out = append(out, command.Exported{Name: name, Value: shellword.StringValue(c.p.base.env[name]), Inherited: true})
		}
	}
	return out
}

func (s rowShell) Loaders() []string {
	c := s.c
	var out []string
	for name := range c.Env {
		if isLoader(name) {
			out = append(out, name)
		}
	}
	if !c.Clean {
		for name, v := range c.st.vars {
			if v != nil && v.exported && isLoader(name) {
				out = append(out, name)
			}
		}
		for _, name := range c.p.base.loader {
			if c.inherited(name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (s rowShell) Globs() bool { return s.c.st.flag[flagNoGlob] != on }

func (s rowShell) GlobOf(f *shellword.Field) shellplan.Glob { return s.c.st.globOf(f) }

func (s rowShell) Directory() string { return s.c.st.cwdKey() }

func (s rowShell) Descriptor(fd int) command.Descriptor {
	f, touched := s.c.st.fds[fd]
	switch {
	case !touched, f.kind == fdInherited:
		return command.DescriptorOwn
	case f.kind == fdPipe:
		return command.DescriptorPipe
	case f.kind == fdFile:
		return command.DescriptorFile
	}
	return command.DescriptorOther
}

func (s rowShell) Candidates() []shellplan.Candidate { return s.c.p.seg(s.c.seg).Candidates }

func (s rowShell) MayHaveWritten() bool { return s.c.p.visible >= 0 || s.c.p.budget.wrote }

func (s rowShell) Sh() shellplan.Dialect { return s.c.p.opts.Sh }

func (s rowShell) ShellOption(o command.ShellOption) (known bool, why string) {
	option, known := optionOf(o)
	return known, option.reason
}

func (s rowShell) ExportedFunctions() *shellplan.Opaque { return s.c.st.exportedFuncs }

// Again: a program that runs another one runs files only, no functions and no
// builtins of this shell.
func (s rowShell) Again(words []shellword.Field) {
	s.c.files = true
	s.c.again(words)
}

func (s rowShell) Aside(words []shellword.Field, stdin shellword.Input) {
	s.c.p.step()
	inner := *s.c
	inner.Shell = rowShell{&inner}
	inner.files, inner.Printed, inner.Stdin = true, nil, stdin
	before := s.c.p.out
	s.c.p.repeated(s.c.seg, func() { inner.again(words) })
	s.c.p.out = before
}

func (s rowShell) AsBuiltin() {
	b, _ := builtinNamed(s.c.Name)
	b.run(s.c)
}

func (s rowShell) Nest(n command.NestedShell) { s.c.nestShell(n) }
