package shellplan

import (
	"bytes"
	"strings"
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
			c.add(f, SeatWrite, Candidate{Implicit: ImplicitJudged, OptionSafe: true})
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
			c.opaque(OpaqueRole, p.operands[i].span, "the number of words it becomes decides which command runs")
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
					c.opaque(OpaqueDynamic, args[n+1].span, "the text that env splits is not known")
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
				c.opaque(OpaqueConstruct, c.span, "quotes and escapes in the text that env splits are not modelled")
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
			c.opaque(OpaqueRole, f.span, "the number of words it becomes decides which command runs")
			return
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
func splitString(text string, span Span) []field {
	var out []field
	for w := range strings.FieldsSeq(text) {
		out = append(out, lit([]byte(w), span))
	}
	return out
}

const xargsOptions = "0,null a,arg-file=N d,delimiter=V E=V e,eof?V:E I=V i,replace?V:I L,max-lines=V l?V:L n,max-args=V o,open-tty P,max-procs=V p,interactive " +
	"process-slot-var=V r,no-run-if-empty s,max-chars=V show-limits t,verbose x,exit" + gnu

func runXargs(c *cmd) {
	p := c.parse(commands["xargs"].options(), style{stop: true})
	c.consumes()
	if p.exits {
		c.p.printUnknown(c.st)
		return
	}
	words := fieldsOf(p.operands)
	if len(words) == 0 {
		words = []field{lit([]byte("echo"), c.word.span)}
	}
	in := c.stdin
	if f, ok := p.last("a"); ok {
		in = input{}
		c.role('R', f, true, &reading{dash: true}, f)
	}
	for _, k := range []string{"E", "process-slot-var"} {
		if p.has(k) {
			in = input{}
		}
	}
	items, known := c.xargsItems(&p, in)
	if !known {
		why := c.p.why(OpaqueNames, c.word.span, "the words come from the standard input of xargs")
		items = []field{{dyn: why, many: true, span: c.word.span, text: c.word.text}}
	}
	replace, replacing := p.last("I")
	mark := "{}"
	if replacing {
		s, ok := replace.str()
		if !ok || s == "" {
			c.opaque(OpaqueDynamic, c.word.span, "what xargs replaces is not known")
			return
		}
		mark = s
	} else {
		replacing = p.has("I")
	}
	batch := len(items)
	if f, ok := p.last("n"); ok {
		batch = 0
		for _, d := range f.raw {
			if d >= '0' && d <= '9' && batch < 1<<20 {
				batch = batch*10 + int(d-'0')
			}
		}
		if f.dyn != nil || batch == 0 {
			batch = 1
		}
	}
	if p.has("L") {
		batch = 1 // one line of words at least: single words cover the rest
		if known && len(items) > 1 {
			c.opaque(OpaqueNames, c.word.span, "how xargs -L groups its words is not modelled")
		}
	}
	if replacing {
		batch = 1
	}
	base := *c
	if len(items) == 0 {
		if p.has("r") || replacing {
			c.p.printUnknown(c.st)
			return
		}
		batch = 1
		base.xargs(words)
	}
	for i := 0; i < len(items); i += batch {
		c.p.step()
		run := base
		chunk := items[i:min(i+batch, len(items))]
		if replacing {
			run.xargs(replaced(c, words, mark, chunk[0]))
		} else {
			run.xargs(append(append([]field{}, words...), chunk...))
		}
	}
	c.p.printUnknown(c.st)
}

// xargs runs one command line.
func (c *cmd) xargs(words []field) {
	out := c.p.out
	c.files, c.printed, c.stdin = true, nil, input{kind: inputText}
	c.again(words)
	c.p.out = out
}

// replaced puts one item in place of the mark in every word.
func replaced(c *cmd, words []field, mark string, item field) []field {
	var out []field
	for _, w := range words {
		if w.dyn != nil || w.set != nil || !bytes.Contains(w.raw, []byte(mark)) {
			out = append(out, w)
			continue
		}
		if s, ok := item.str(); ok {
			g := w
			g.raw, g.mask, g.pattern = bytes.ReplaceAll(w.raw, []byte(mark), []byte(s)), nil, false
			out = append(out, g)
			continue
		}
		prefix, suffix, _ := bytes.Cut(w.raw, []byte(mark))
		if item.set != nil && len(prefix) > 0 {
			if name, ok := item.set.literal(); ok {
				set := *item.set
				set.word.Raw = append(bytes.Clone(prefix), name...)
				out = append(out, field{set: &set, raw: suffix, span: w.span, text: w.text})
				continue
			}
		}
		switch {
		case bytes.Contains(suffix, []byte(mark)) || item.set == nil || len(prefix) > 0 && !item.set.bare:
			why := item.dyn
			if why == nil {
				why = c.p.why(OpaqueDynamic, w.span, "the word joins text to names that only the file system knows")
			}
			out = append(out, field{dyn: why, raw: prefix, span: w.span, text: w.text})
		default:
			set := *item.set
			if len(prefix) > 0 {
				set.word.Raw = append(bytes.Clone(prefix), '*')
				set.word.Mask = append(make([]byte, len(prefix)), MaskActive)
				set.prefixed = prefix[0] != '-'
			}
			out = append(out, field{set: &set, raw: suffix, span: w.span, text: w.text})
		}
	}
	return out
}

// xargsItems are the words that xargs reads from a known input.
func (c *cmd) xargsItems(p *parsed, in input) ([]field, bool) {
	nul := p.has("0")
	if f, ok := p.last("d"); ok {
		if s, known := f.str(); known && s == `\0` {
			nul = true
		} else if !known || s != `\n` {
			return nil, false
		}
	}
	switch in.kind {
	case inputNames:
		if in.nul != nul {
			return nil, false
		}
		var out []field
		for _, s := range in.sets {
			set := *s
			set.resplit = set.resplit || !nul
			out = append(out, field{set: &set, many: true, text: set.text, span: c.word.span})
		}
		return out, true
	case inputText:
		var parts []string
		t := string(in.text)
		switch {
		case nul:
			parts = strings.Split(strings.TrimSuffix(t, "\x00"), "\x00")
		case strings.ContainsAny(t, `"'\`) || strings.Contains(t, "\x00"):
			return nil, false
		case p.has("I") || p.has("d"):
			for line := range strings.SplitSeq(t, "\n") {
				if line = strings.TrimLeft(line, " \t"); line != "" {
					parts = append(parts, line)
				}
			}
		default:
			parts = strings.Fields(t)
		}
		if len(t) == 0 {
			parts = nil
		}
		if len(parts) > maxUnroll {
			return nil, false
		}
		var out []field
		for _, s := range parts {
			out = append(out, field{raw: []byte(s), text: []byte(s), span: c.word.span})
		}
		return out, true
	}
	return nil, false
}
