package command

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Commands that run another command given in their words.

var envRow = &row{
	names: "env",
	opts:  "i,ignore-environment 0,null u,unset=V C,chdir=D S,split-string=V v,debug block-signal?V default-signal?V ignore-signal?V list-signal-handling a,argv0=V" + gnu,
	run:   runEnv,
}

var (
	niceRow    = wrap("nice", "n,adjustment=V"+gnu, 0, shellword.Style{Count: true})
	timeoutRow = wrap("timeout", "k,kill-after=V s,signal=V foreground preserve-status v,verbose"+gnu, 1, shellword.Style{})
	stdbufRow  = wrap("stdbuf", "i,input=V o,output=V e,error=V"+gnu, 0, shellword.Style{})
	setsidRow  = wrap("setsid", "c,ctty f,fork w,wait h,help! V,version!", 0, shellword.Style{})
	ioniceRow  = wrap("ionice", "c,class=V n,classdata=V t,ignore p,pid=V P,pgid=V u,uid=V h,help! V,version!", 0, shellword.Style{})
	timeRow    = wrap("time", "a,append f,format=V o,output=W p,portability q,quiet v,verbose h,help! V,version!", 0, shellword.Style{})
)

var nohupRow = &row{
	names: "nohup", opts: "help! version!", style: shellword.Style{Stop: true}, run: runNohup,
	note: "On a terminal the output goes to nohup.out.",
}

// wrap is a row of a command that runs another one behind its own options and a
// number of operands.
func wrap(names, opts string, operands int, st shellword.Style) *row {
	st.Stop = true
	return &row{names: names, opts: opts, style: st, run: func(c *Call, r *row) { c.wrapper(r, operands) }}
}

func runNohup(c *Call, r *row) {
	if c.Descriptor(1) == DescriptorOwn { // a terminal, perhaps
		f := shellword.Field{Raw: []byte("nohup.out"), Span: c.Word.Span}
		c.Add(f, shellplan.AccessWrite, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: true})
	}
	c.wrapper(r, 0)
}

// wrapper reads the options and operands of the wrapper and then the command
// behind them.
func (c *Call) wrapper(r *row, operands int) {
	p := c.Parse(r.options(), r.style)
	if p.Exits {
		c.PrintUnknown()
		return
	}
	for i := range p.Opts {
		if u := &p.Opts[i]; u.Has {
			c.role(u.Spec.Role, u.Value, true, &reading{}, u.Word)
		}
	}
	if p.Failed {
		c.PrintUnknown()
		c.EffectAny()
	}
	for i := range min(operands, len(p.Operands)) {
		if c.several(p.Operands[i].Field) {
			c.Opaque(shellplan.OpaqueRole, p.Operands[i].Span, "the number of words it becomes decides which command runs")
		}
	}
	if len(p.Operands) <= operands {
		c.PrintUnknown()
		return
	}
	c.Again(shellword.Fields(p.Operands[operands:]))
}

// runEnv reads env.
//
// Coreutils manual, "env invocation": -S splits its text before anything else
// is read, then options, then NAME=VALUE words, then the command. Long because
// these four parts come in this order.
func runEnv(c *Call, r *row) {
	args := c.Args
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
					c.Opaque(shellplan.OpaqueDynamic, args[n+1].Span, "the text that env splits is not known")
					return
				}
				args = append(append(append([]shellword.Field{}, args[:n]...), splitString(text, args[n+1].Span)...), args[n+2:]...)
			}
		case strings.HasPrefix(s, "--split-string="):
			text, found = s[len("--split-string="):], true
			args = append(append(append([]shellword.Field{}, args[:n]...), splitString(text, args[n].Span)...), args[n+1:]...)
		case splitsBehind(s) > 0:
			text, found = s[splitsBehind(s):], true
			args = append(append(append([]shellword.Field{}, args[:n]...), splitString(text, args[n].Span)...), args[n+1:]...)
		}
		if found {
			if strings.ContainsAny(text, `"'\$#`) || s != "-S" && splitsBehind(s) > len("-S") {
				c.Opaque(shellplan.OpaqueConstruct, c.Span, "quotes and escapes in the text that env splits are not modelled")
				return
			}
			break
		}
	}
	c.Args = args
	p := c.Parse(r.options(), shellword.Style{Stop: true})
	if p.Exits || p.Failed {
		c.PrintUnknown()
		if p.Failed {
			c.EffectAny()
		}
		return
	}
	env := map[string]shellword.Value{}
	for k, v := range c.Env {
		env[k] = v
	}
	c.Env = env
	for i := range p.Opts {
		switch u := &p.Opts[i]; u.Spec.Key {
		case "i":
			c.clear()
		case "u":
			if s, ok := u.Value.Plain(); ok {
				c.Env[s] = shellword.Value{Kind: shellword.ValueUnset}
			} else {
				c.AddReason(*c.Reason(u.Value.Dyn, u.Value.Span))
			}
		case "C":
			c.role('D', u.Value, true, &reading{}, u.Word)
		}
	}
	words := shellword.Fields(p.Operands)
	for len(words) > 0 {
		f := words[0]
		if f.Set == nil && !f.Pattern && string(f.Raw) == "-" && f.Dyn == nil && !c.Clean {
			c.clear()
			words = words[1:]
			continue
		}
		i := bytes.IndexByte(f.Raw, '=')
		if i < 0 || f.Set != nil || f.Pattern && bytes.IndexByte(f.Raw, '/') >= 0 && bytes.IndexByte(f.Raw, '/') < i {
			if f.Dyn != nil || f.Set != nil || f.Pattern {
				c.Listed(f, true)
			}
			break
		}
		v := shellword.TextValue(f.Raw[i+1:])
		if f.Dyn != nil {
			v = shellword.Unknown(f.Dyn)
		}
		if f.Many || f.Pattern {
			c.Opaque(shellplan.OpaqueRole, f.Span, "the number of words it becomes decides which command runs")
			return
		}
		if bytes.HasPrefix(f.Raw, []byte("BASH_FUNC_")) {
			c.Opaque(shellplan.OpaqueEnvironment, f.Span, "a function is handed to the shells that are started")
		}
		c.Env[string(f.Raw[:i])] = v
		words = words[1:]
	}
	if len(words) == 0 {
		c.PrintUnknown() // prints the environment
		return
	}
	c.Again(words)
}

// clear is env -i: the command starts with nothing but what env gives it.
func (c *Call) clear() {
	c.Clean = true
	c.Env = map[string]shellword.Value{}
}

// splitsBehind is where the text begins that an option word of env holds behind
// an S among its letters; 0 when it holds none. An option with a value before
// the S takes the letters behind it.
func splitsBehind(s string) int {
	at := strings.IndexByte(s, 'S')
	if at < 1 || strings.HasPrefix(s, "--") || strings.ContainsAny(s[:at], "uCa") {
		return 0
	}
	return at + 1
}

// splitString is env -S for text without quotes and escapes: it splits at the
// blanks of ASCII, whatever the locale.
func splitString(text string, span shellplan.Span) []shellword.Field {
	var out []shellword.Field
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) }) {
		out = append(out, shellword.Literal([]byte(w), span))
	}
	return out
}
