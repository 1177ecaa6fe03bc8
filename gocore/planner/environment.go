package planner

import (
	"bytes"
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// alwaysSteers are variables that change what any program opens.
const alwaysSteers = "POSIXLY_CORRECT GCONV_PATH LOCPATH MALLOC_TRACE"

// steering is every variable that some row or the shell looks at, for variables
// of an environment that was not given whole.
var steering = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(alwaysSteers) {
		out[name] = true
	}
	for _, r := range commands {
		for name := range strings.FieldsSeq(r.env) {
			out[name] = true
		}
	}
	return out
})

// variable is what the process of the command gets for a name; valUnset for
// one that is not exported. A variable of an environment that was not given
// whole is taken as unset, but for HOME.
func (c *cmd) variable(name string) shellword.Value {
	if v, ok := c.env[name]; ok {
		return v
	}
	if c.clean {
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
	if _, own := c.env[name]; own || c.clean {
		return false
	}
	_, touched := c.st.vars[name]
	return !touched
}

// steered adds a reason for every variable that takes the command out of its
// row.
func (c *cmd) steered(r *row) {
	for _, names := range []string{alwaysSteers, r.env} {
		for name := range strings.FieldsSeq(names) {
			if v := c.variable(name); v.Kind != shellword.ValueUnset && (v.Kind != shellword.ValueText || len(v.Text) > 0) && !harmless(name, v) {
				c.environment(name)
			}
		}
	}
	for name := range c.env {
		if isLoader(name) {
			c.environment(name)
		}
	}
	if !c.clean {
		for name, v := range c.st.vars {
			if v != nil && v.exported && isLoader(name) {
				c.environment(name)
			}
		}
		for _, name := range c.p.base.loader {
			if c.inherited(name) {
				c.environment(name)
			}
		}
	}
	if !timeless[c.name] {
		c.zone()
	}
}

// timeless commands never look at a time.
var timeless = map[string]bool{
	"cat": true, "tac": true, "head": true, "tail": true, "wc": true, "cut": true, "paste": true, "tr": true, "rev": true, "fold": true,
	"nl": true, "grep": true, "egrep": true, "fgrep": true, "sed": true, "cmp": true, "comm": true, "join": true, "uniq": true, "sort": true,
	"basename": true, "dirname": true, "tee": true, "true": true, "false": true, "readlink": true, "realpath": true, "rm": true, "mkdir": true,
}

// zone adds a reason when TZ names a file of its own: whatever prints or
// computes a time reads it, and most programs do somewhere.
func (c *cmd) zone() {
	if v := c.variable("TZ"); v.Kind == shellword.ValueUnknown || v.Kind == shellword.ValueText && !plainZone(v.Text) {
		c.environment("TZ")
	}
	if v := c.variable("TZDIR"); v.Kind != shellword.ValueUnset {
		c.environment("TZDIR")
	}
}

// isLoader names the variables that make the dynamic loader read more.
func isLoader(name string) bool {
	return strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_")
}

// harmless are usual values of variables that could do more.
func harmless(name string, v shellword.Value) bool {
	if v.Kind != shellword.ValueText {
		return false
	}
	switch name {
	case "LESS": // letters that name no file and no command
		return len(bytes.Trim(v.Text, "-RFXiIMmSwWQgGKNJnqrescafu0123456789 #.x=z")) == 0
	case "XZ_OPT", "XZ_DEFAULTS", "GZIP", "BZIP", "BZIP2":
		return len(bytes.Trim(v.Text, "-T0123456789evq ")) == 0
	}
	return false
}

// plainZone reports whether a TZ value names no file outside the zone data.
func plainZone(v []byte) bool {
	v = bytes.TrimPrefix(v, []byte(":"))
	system := string(v) == "/etc/localtime" || bytes.HasPrefix(v, []byte("/usr/share/zoneinfo/"))
	return (system || !bytes.HasPrefix(v, []byte("/"))) && !bytes.Contains(v, []byte(".."))
}

func (c *cmd) environment(name string) {
	c.p.addReason(c.seg, shellplan.Opaque{
		Code: shellplan.OpaqueEnvironment, Word: []byte(name), Span: c.word.Span,
		Detail: "the variable " + name + " makes the command read, write or run more than its words say",
	})
}

// environment looks at the variables that steer the shell before it reads the
// first command.
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
	if _, ok := env["POSIXLY_CORRECT"]; ok {
		add("POSIXLY_CORRECT", "the shell and its commands read their words by other rules")
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
