package planner

import (
	"maps"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// variable is what the process of the command gets for a name; valUnset for
// one that is not exported. A variable of an environment that was not given
// whole is taken as unset, but for HOME.
func (c *cmd) variable(name string) shellword.Value {
	if v, ok := c.Env[name]; ok {
		return v
	}
	if c.Clean {
		return shellword.Value{Kind: shellword.ValueUnset}
	}
	_, touched := c.st.vars[name]
	if _, given := c.st.base.env[name]; !touched && !given && name != "HOME" {
		return shellword.Value{Kind: shellword.ValueUnset}
	}
	v := c.st.lookup(name)
	if !v.exported {
		return shellword.Value{Kind: shellword.ValueUnset}
	}
	if len(v.alts) > 1 {
		return shellword.Unknown(nil)
	}
	return v.alts[0]
}

// inherited reports whether the process gets a variable just as the shell got
// it: what the environment held before the text is the user's own.
func (c *cmd) inherited(name string) bool {
	if _, own := c.Env[name]; own || c.Clean {
		return false
	}
	_, touched := c.st.vars[name]
	return !touched
}

// isLoader names the variables that make the dynamic loader read more.
func isLoader(name string) bool {
	return strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_")
}

// environment looks at the variables that steer the shell before it reads the
// first command.
//
// Bash manual, "Bash Startup Files" (BASH_ENV) and "Bash Variables" (SHELLOPTS,
// BASHOPTS: the options named there are on from the start).
func (p *planner) environment(st *state) {
	env := p.base.env
	whole := shellplan.Span{Start: 0, End: len(p.plan.Source)}
	add := func(name, detail string) {
		p.plan.Opaque = append(p.plan.Opaque, shellplan.Opaque{
			Code: shellplan.OpaqueEnvironment, Word: []byte(name), Detail: detail, Span: whole,
		})
	}
	bash := p.plan.Shell.Dialect != shellplan.DialectDash
	if v := env["BASH_ENV"]; v != "" && bash {
		i := p.segmentOf("", shellplan.Span{}, st)
		p.candidate(i, st, shellword.Field{Raw: []byte(v), Text: []byte("$BASH_ENV")}, shellplan.Candidate{Access: shellplan.AccessRead, OptionSafe: true})
		add("BASH_ENV", "bash runs the file that BASH_ENV names before the command")
	}
	for _, name := range p.base.loader {
		add(name, "the variable "+name+" makes the shell itself load more")
	}
	if _, ok := env["POSIXLY_CORRECT"]; ok {
		add("POSIXLY_CORRECT", "the shell and its commands read their words by other rules")
	}
	for _, name := range slices.Sorted(maps.Keys(shellSwitches)) {
		if v := env[name]; v != "" && name != "POSIXLY_CORRECT" && bash {
			add(name, shellSwitches[name])
		}
	}
	if _, ok := env["BASH_FUNC_"+notFoundHandle+"%%"]; ok && bash {
		add(notFoundHandle, "a function of the environment runs in place of a command that is not found")
	}
	if v, ok := env["IFS"]; ok && v != " \t\n" && p.plan.Shell.Dialect != shellplan.DialectBash {
		add("IFS", "some shells take IFS from the environment")
	}
	if _, ok := env["GLOBIGNORE"]; ok && bash {
		st.globDim |= shellplan.GlobDot | shellplan.GlobNull
	}
	if bash {
		p.importOptions(env["SHELLOPTS"], setOptions, st, add)
		p.importOptions(env["BASHOPTS"], shoptOptions, st, add)
	}
}

// importOptions applies SHELLOPTS and BASHOPTS.
func (p *planner) importOptions(list string, known map[string]shellOption, st *state, add func(name, detail string)) {
	for name := range strings.SplitSeq(list, ":") {
		if name == "" {
			continue
		}
		o, ok := known[name]
		if !ok {
			add(name, "the environment turns on a shell option that is not modelled")
			continue
		}
		o.apply(st, on)
		if o.reason != "" {
			add(name, o.reason)
		}
	}
}
