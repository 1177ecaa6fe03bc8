package planner

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/command"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// nest reads a command text that a segment carries. shell says how a new shell
// runs it; nil is the same shell (eval, trap), whose state goes on in it.
func (p *planner) nest(seg int, how string, src []byte, st *state, shell *Options) flow {
	p.budget.spend(len(src))
	if p.budget.bytes -= 4 * len(src); p.budget.bytes < 0 { // each level is parsed anew
		panic(tooLarge{"command texts in command texts that are too long"})
	}
	if p.budget.nesting++; p.budget.nesting > shellplan.MaxNesting {
		panic(tooLarge{"command texts nested too deep"})
	}
	defer func() { p.budget.nesting-- }()
	o := p.opts
	if shell != nil {
		o = *shell
	} else {
		o.Dialect = p.plan.Shell.Dialect
	}
	sub := newPlanner(p.budget, src, o)
	if shell == nil {
		sub.base = p.base
		sub.plan.Shell = p.plan.Shell
	}
	sub.plan.Start = p.plan.Start
	sub.reach, sub.depth, sub.dry = p.reach, 0, p.dry
	if len(p.frames) > 0 {
		sub.reach++
	}
	if p.visible >= 0 {
		sub.visible = 0
	}
	sub.out, sub.listen = shellword.Output{}, p.listen
	end := sub.run(st)
	p.out = p.out.Then(sub.out)
	if len(sub.plan.Opaque) > 0 { // what was not read may have done anything
		sub.out = shellword.Output{Kind: shellword.OutputUnknown}
		p.out = p.out.Then(sub.out)
		for _, e := range []*state{end.ok, end.ko} {
			if e != nil && shell == nil {
				why := sub.plan.Opaque[0]
				e.dirty = p.reason(&why, p.seg(seg).Span)
			}
		}
		p.effect(seg, shellplan.Effect{Kind: shellplan.EffectAny})
	}
	p.plan.Nested = append(p.plan.Nested, shellplan.Nested{Segment: seg, How: how, Plan: *sub.plan})
	if p.visible >= 0 && hasEffects(sub.plan) {
		// The plan of another text has no place for an effect on segments before.
		p.opaque(seg, shellplan.OpaqueConstruct, p.seg(seg).Span, "a text that makes, moves or removes names may run again, or beside the others")
		p.effect(seg, shellplan.Effect{Kind: shellplan.EffectAny})
	}
	return end
}

func hasEffects(p *shellplan.Plan) bool {
	for i := range p.Segments {
		if len(p.Segments[i].Effects) > 0 {
			return true
		}
	}
	for i := range p.Nested {
		if hasEffects(&p.Nested[i].Plan) {
			return true
		}
	}
	return false
}

// childState is the state a program starts in that this shell runs: the
// directory, the exported variables, the descriptors.
//
// Bash manual, "Command Execution Environment".
func (c *cmd) childState(child *planner) *state {
	st := c.st
	out := child.initialState()
	out.cwds, out.cwdWhy = nil, st.cwdWhy
	for _, a := range st.cwds {
		for _, step := range c.Chdir {
			a = a.then(step)
		}
		out.cwds = append(out.cwds, a)
	}
	out.fds, out.stdin, out.dirty = clonedFds(st), c.Stdin, nil
	if !c.Clean {
		for name, v := range st.vars {
			switch {
			case v == nil || !v.exported:
				out.vars[name] = nil
			default:
				out.vars[name] = v
			}
		}
	}
	for name, v := range c.Env {
		out.vars[name] = single(v, true)
	}
	for name := range out.vars {
		if strings.HasPrefix(name, "LC_") || name == "LANG" {
			out.locale = shellplan.LocaleUnknown
		}
	}
	out.path = st.path
	return out
}

// nestShell reads a text as a shell of its own.
func (c *cmd) nestShell(n command.NestedShell) {
	p := c.p
	o := p.opts
	o.Dialect, o.Args = n.Dialect, nil
	if n.Dialect != p.plan.Shell.Dialect {
		o.Version = 0
	}
	if c.Clean {
		o.Env, o.EnvComplete = map[string]string{}, true
	} else if len(p.base.env) > 0 && p.base.env["BASH_ENV"] != "" {
		o.Env = without(o.Env, "BASH_ENV") // its reason is on the segment
	}
	if len(n.Args) > 0 {
		if s, ok := n.Args[0].Plain(); ok {
			o.Args = []string{s}
		}
	}
	child := newPlanner(p.budget, n.Text, o)
	st := c.childState(child)
	st.stdin = n.Stdin
	c.nestOptions(n.Options, child, st)
	for i, a := range n.Args { // the first is $0, and may be more than one word
		v, many := p.itemValue(a, c.st)
		if many {
			st.params = nil
			st.argsWhy = p.why(shellplan.OpaqueDynamic, a.Span, "the number of arguments is not known")
			if v.Kind == shellword.ValueUnknown && v.Why != nil {
				st.argsWhy.Code = v.Why.Code
			}
			break
		}
		if i > 0 {
			st.params = append(st.params, v)
		}
	}
	p.nest(c.seg, c.Name+" -c", n.Text, st, &o)
}

// nestOptions applies the options that a shell is started with: first those that
// are turned on.
func (c *cmd) nestOptions(options []command.ShellOption, child *planner, st *state) {
	for _, o := range options {
		if option, _ := optionOf(o); o.On {
			option.apply(st, on)
		}
	}
	if st.flag[flagXTrace] != off && child.tracesMore(st) {
		c.opaque(shellplan.OpaqueDynamic, c.Word.Span, tracing)
	}
	for _, o := range options {
		if option, _ := optionOf(o); !o.On {
			option.apply(st, off)
		}
	}
}

func without(env map[string]string, name string) map[string]string {
	out := make(map[string]string, len(env))
	for k, v := range env {
		if k != name {
			out[k] = v
		}
	}
	return out
}
