package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Commands that run another command given in their words.
func init() {
	add(&row{
		opts: "i,ignore-environment 0,null u,unset=V C,chdir=D S,split-string=V v,debug block-signal?V default-signal?V ignore-signal?V list-signal-handling a,argv0=V" + gnu,
		run:  runEnv,
	}, "env")
	wrap := func(opts string, operands int, st shellword.Style, names ...string) {
		st.Stop = true
		r := &row{opts: opts, style: st}
		r.run = func(c *cmd) { c.wrapper(r, operands) }
		add(r, names...)
	}
	wrap("n,adjustment=V"+gnu, 0, shellword.Style{Count: true}, "nice")
	wrap("k,kill-after=V s,signal=V foreground preserve-status v,verbose"+gnu, 1, shellword.Style{}, "timeout")
	wrap("i,input=V o,output=V e,error=V"+gnu, 0, shellword.Style{}, "stdbuf")
	wrap("c,ctty f,fork w,wait h,help! V,version!", 0, shellword.Style{}, "setsid")
	wrap("c,class=V n,classdata=V t,ignore p,pid=V P,pgid=V u,uid=V h,help! V,version!", 0, shellword.Style{}, "ionice")
	wrap("a,append f,format=V o,output=W p,portability q,quiet v,verbose h,help! V,version!", 0, shellword.Style{}, "time")
	nohup := &row{opts: "help! version!", style: shellword.Style{Stop: true}}
	nohup.run = func(c *cmd) {
		out, redirected := c.st.fds[1]
		if !redirected || out.kind == fdInherited { // a terminal, perhaps
			f := shellword.Field{Raw: []byte("nohup.out"), Span: c.word.Span}
			c.add(f, shellplan.AccessWrite, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: true})
		}
		c.wrapper(nohup, 0)
	}
	nohup.note = "On a terminal the output goes to nohup.out."
	add(nohup, "nohup")
	add(&row{opts: xargsOptions, run: runXargs, style: shellword.Style{Stop: true}}, "xargs")
}

// wrapper reads the options and operands of the wrapper and then the command
// behind them.
func (c *cmd) wrapper(r *row, operands int) {
	p := c.parse(r.options(), r.style)
	if p.Exits {
		c.p.printUnknown(c.st)
		return
	}
	for i := range p.Opts {
		if u := &p.Opts[i]; u.Has {
			c.role(u.Spec.Role, u.Value, true, &reading{}, u.Word)
		}
	}
	if p.Failed {
		c.p.printUnknown(c.st)
		c.effectAny()
	}
	for i := range min(operands, len(p.Operands)) {
		if c.several(p.Operands[i].Field) {
			c.opaque(shellplan.OpaqueRole, p.Operands[i].Span, "the number of words it becomes decides which command runs")
		}
	}
	if len(p.Operands) <= operands {
		c.p.printUnknown(c.st)
		return
	}
	c.files = true
	c.again(shellword.Fields(p.Operands[operands:]))
}

func runEnv(c *cmd) {
	r := commands["env"]
	args := c.args
	for n := 0; n < len(args); n++ { // -S splits into arguments before anything else
		s, ok := args[n].Plain()
		if !ok || len(s) < 2 || s[0] != '-' {
			break
		}
		text, found := "", false
		switch {
		case s == "-S" || s == "--split-string":
			if n+1 < len(args) {
				text, found = args[n+1].Plain()
				if !found {
					c.opaque(shellplan.OpaqueDynamic, args[n+1].Span, "the text that env splits is not known")
					return
				}
				args = append(append(append([]shellword.Field{}, args[:n]...), splitString(text, args[n+1].Span)...), args[n+2:]...)
			}
		case strings.HasPrefix(s, "--split-string="):
			text, found = s[len("--split-string="):], true
			args = append(append(append([]shellword.Field{}, args[:n]...), splitString(text, args[n].Span)...), args[n+1:]...)
		case strings.HasPrefix(s, "-S") || strings.HasPrefix(s, "-vS"):
			text, found = s[strings.IndexByte(s, 'S')+1:], true
			args = append(append(append([]shellword.Field{}, args[:n]...), splitString(text, args[n].Span)...), args[n+1:]...)
		}
		if found {
			if strings.ContainsAny(text, `"'\$#`) {
				c.opaque(shellplan.OpaqueConstruct, c.span, "quotes and escapes in the text that env splits are not modelled")
				return
			}
			break
		}
	}
	c.args = args
	p := c.parse(r.options(), shellword.Style{Stop: true})
	if p.Exits || p.Failed {
		c.p.printUnknown(c.st)
		if p.Failed {
			c.effectAny()
		}
		return
	}
	env := map[string]shellword.Value{}
	for k, v := range c.env {
		env[k] = v
	}
	c.env = env
	for i := range p.Opts {
		switch u := &p.Opts[i]; u.Spec.Key {
		case "i":
			c.clear()
		case "u":
			if s, ok := u.Value.Plain(); ok {
				c.env[s] = shellword.Value{Kind: shellword.ValueUnset}
			} else {
				c.p.addReason(c.seg, *c.p.reason(u.Value.Dyn, u.Value.Span))
			}
		case "C":
			c.role('D', u.Value, true, &reading{}, u.Word)
		}
	}
	words := shellword.Fields(p.Operands)
	for len(words) > 0 {
		f := words[0]
		if f.Set == nil && !f.Pattern && string(f.Raw) == "-" && f.Dyn == nil && !c.clean {
			c.clear()
			words = words[1:]
			continue
		}
		i := bytes.IndexByte(f.Raw, '=')
		if i < 0 || f.Set != nil || f.Pattern && bytes.IndexByte(f.Raw, '/') >= 0 && bytes.IndexByte(f.Raw, '/') < i {
			if f.Dyn != nil || f.Set != nil || f.Pattern {
				c.listed(f, true)
			}
			break
		}
		v := shellword.TextValue(f.Raw[i+1:])
		if f.Dyn != nil {
			v = shellword.Unknown(f.Dyn)
		}
		if f.Many || f.Pattern {
			c.opaque(shellplan.OpaqueRole, f.Span, "the number of words it becomes decides which command runs")
			return
		}
		if bytes.HasPrefix(f.Raw, []byte("BASH_FUNC_")) {
			c.opaque(shellplan.OpaqueEnvironment, f.Span, "a function is handed to the shells that are started")
		}
		c.env[string(f.Raw[:i])] = v
		words = words[1:]
	}
	if len(words) == 0 {
		c.p.printUnknown(c.st) // prints the environment
		return
	}
	c.files = true
	c.again(words)
}

// clear is env -i: the command starts with nothing but what env gives it.
func (c *cmd) clear() {
	c.clean = true
	c.env = map[string]shellword.Value{}
}

// splitString is env -S for text without quotes and escapes.
func splitString(text string, span shellplan.Span) []shellword.Field {
	var out []shellword.Field
	for w := range strings.FieldsSeq(text) {
		out = append(out, shellword.Literal([]byte(w), span))
	}
	return out
}
