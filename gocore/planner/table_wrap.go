package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Commands that run another command given in their words.
func init() {
	add(&row{
		opts: "i,ignore-environment 0,null u,unset=V C,chdir=D S,split-string=V v,debug block-signal?V default-signal?V ignore-signal?V list-signal-handling a,argv0=V" + gnu,
		run:  runEnv,
	}, "env")
	wrap := func(opts string, operands int, st style, names ...string) {
		st.stop = true
		r := &row{opts: opts, style: st}
		r.run = func(c *cmd) { c.wrapper(r, operands) }
		add(r, names...)
	}
	wrap("n,adjustment=V"+gnu, 0, style{count: true}, "nice")
	wrap("k,kill-after=V s,signal=V foreground preserve-status v,verbose"+gnu, 1, style{}, "timeout")
	wrap("i,input=V o,output=V e,error=V"+gnu, 0, style{}, "stdbuf")
	wrap("c,ctty f,fork w,wait h,help! V,version!", 0, style{}, "setsid")
	wrap("c,class=V n,classdata=V t,ignore p,pid=V P,pgid=V u,uid=V h,help! V,version!", 0, style{}, "ionice")
	wrap("a,append f,format=V o,output=W p,portability q,quiet v,verbose h,help! V,version!", 0, style{}, "time")
	nohup := &row{opts: "help! version!", style: style{stop: true}}
	nohup.run = func(c *cmd) {
		out, redirected := c.st.fds[1]
		if !redirected || out.kind == fdInherited { // a terminal, perhaps
			f := field{raw: []byte("nohup.out"), span: c.word.span}
			c.add(f, shellplan.SeatWrite, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: true})
		}
		c.wrapper(nohup, 0)
	}
	nohup.note = "On a terminal the output goes to nohup.out."
	add(nohup, "nohup")
	add(&row{opts: xargsOptions, run: runXargs, style: style{stop: true}}, "xargs")
}

// wrapper reads the options and operands of the wrapper and then the command
// behind them.
func (c *cmd) wrapper(r *row, operands int) {
	p := c.parse(r.options(), r.style)
	if p.exits {
		c.p.printUnknown(c.st)
		return
	}
	for i := range p.opts {
		if u := &p.opts[i]; u.has {
			c.role(u.spec.role, u.value, true, &reading{}, u.word)
		}
	}
	if p.failed {
		c.p.printUnknown(c.st)
		c.effectAny()
	}
	for i := range min(operands, len(p.operands)) {
		if c.several(p.operands[i].field) {
			c.opaque(shellplan.OpaqueRole, p.operands[i].span, "the number of words it becomes decides which command runs")
		}
	}
	if len(p.operands) <= operands {
		c.p.printUnknown(c.st)
		return
	}
	c.files = true
	c.again(fieldsOf(p.operands[operands:]))
}

func runEnv(c *cmd) {
	r := commands["env"]
	args := c.args
	for n := 0; n < len(args); n++ { // -S splits into arguments before anything else
		s, ok := args[n].str()
		if !ok || len(s) < 2 || s[0] != '-' {
			break
		}
		text, found := "", false
		switch {
		case s == "-S" || s == "--split-string":
			if n+1 < len(args) {
				text, found = args[n+1].str()
				if !found {
					c.opaque(shellplan.OpaqueDynamic, args[n+1].span, "the text that env splits is not known")
					return
				}
				args = append(append(append([]field{}, args[:n]...), splitString(text, args[n+1].span)...), args[n+2:]...)
			}
		case strings.HasPrefix(s, "--split-string="):
			text, found = s[len("--split-string="):], true
			args = append(append(append([]field{}, args[:n]...), splitString(text, args[n].span)...), args[n+1:]...)
		case strings.HasPrefix(s, "-S") || strings.HasPrefix(s, "-vS"):
			text, found = s[strings.IndexByte(s, 'S')+1:], true
			args = append(append(append([]field{}, args[:n]...), splitString(text, args[n].span)...), args[n+1:]...)
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
	p := c.parse(r.options(), style{stop: true})
	if p.exits || p.failed {
		c.p.printUnknown(c.st)
		if p.failed {
			c.effectAny()
		}
		return
	}
	env := map[string]value{}
	for k, v := range c.env {
		env[k] = v
	}
	c.env = env
	for i := range p.opts {
		switch u := &p.opts[i]; u.spec.key {
		case "i":
			c.clear()
		case "u":
			if s, ok := u.value.str(); ok {
				c.env[s] = value{kind: valUnset}
			} else {
				c.p.addReason(c.seg, *c.p.reason(u.value.dyn, u.value.span))
			}
		case "C":
			c.role('D', u.value, true, &reading{}, u.word)
		}
	}
	words := fieldsOf(p.operands)
	for len(words) > 0 {
		f := words[0]
		if f.set == nil && !f.pattern && string(f.raw) == "-" && f.dyn == nil && !c.clean {
			c.clear()
			words = words[1:]
			continue
		}
		i := bytes.IndexByte(f.raw, '=')
		if i < 0 || f.set != nil || f.pattern && bytes.IndexByte(f.raw, '/') >= 0 && bytes.IndexByte(f.raw, '/') < i {
			if f.dyn != nil || f.set != nil || f.pattern {
				c.listed(f, true)
			}
			break
		}
		v := textValue(f.raw[i+1:])
		if f.dyn != nil {
			v = unknown(f.dyn)
		}
		if f.many || f.pattern {
			c.opaque(shellplan.OpaqueRole, f.span, "the number of words it becomes decides which command runs")
			return
		}
		if bytes.HasPrefix(f.raw, []byte("BASH_FUNC_")) {
			c.opaque(shellplan.OpaqueEnvironment, f.span, "a function is handed to the shells that are started")
		}
		c.env[string(f.raw[:i])] = v
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
	c.env = map[string]value{}
}

// splitString is env -S for text without quotes and escapes.
func splitString(text string, span shellplan.Span) []field {
	var out []field
	for w := range strings.FieldsSeq(text) {
		out = append(out, lit([]byte(w), span))
	}
	return out
}
