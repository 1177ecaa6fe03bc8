package command

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

const xargsOptions = "0,null a,arg-file=N d,delimiter=V E=V e,eof?V:E I=V i,replace?V:I L,max-lines=V l?V:L n,max-args=V o,open-tty P,max-procs=V p,interactive " +
	"process-slot-var=V r,no-run-if-empty s,max-chars=V show-limits t,verbose x,exit" + gnu

// runXargs reads xargs.
//
// Findutils manual, "Invoking xargs": -I takes one item a command, -n and -L
// bound the items, and without -r a command runs for no item at all. Long
// because the options exclude one another in the order they are looked at.
func runXargs(c *Call, r *row) {
	p := c.Parse(r.options(), shellword.Style{Stop: true})
	c.Consumes()
	if p.Exits {
		c.PrintUnknown()
		return
	}
	words := shellword.Fields(p.Operands)
	if len(words) == 0 {
		words = []shellword.Field{shellword.Literal([]byte("echo"), c.Word.Span)}
	}
	in := c.Stdin
	if f, ok := p.Last("a"); ok {
		in = shellword.Input{}
		c.role('R', f, true, &reading{dash: true}, f)
	}
	if p.Has("process-slot-var") {
		c.Opaque(shellplan.OpaqueEnvironment, c.Word.Span, "xargs sets a variable for the commands that it runs")
	}
	for _, k := range []string{"E", "process-slot-var"} {
		if p.Has(k) {
			in = shellword.Input{}
		}
	}
	items, known := c.xargsItems(&p, in)
	if !known {
		why := c.Why(shellplan.OpaqueNames, c.Word.Span, "the words come from the standard input of xargs")
		items = []shellword.Field{{Dyn: why, Many: true, Span: c.Word.Span, Text: c.Word.Text}}
	}
	replace, replacing := p.Last("I")
	mark := "{}"
	if replacing {
		s, ok := replace.Plain()
		if !ok || s == "" {
			c.Opaque(shellplan.OpaqueDynamic, c.Word.Span, "what xargs replaces is not known")
			return
		}
		mark = s
	} else {
		replacing = p.Has("I")
	}
	batch := len(items)
	if f, ok := p.Last("n"); ok {
		batch = 0
		for _, d := range f.Raw {
			if d >= '0' && d <= '9' && batch < 1<<20 {
				batch = batch*10 + int(d-'0')
			}
		}
		if f.Dyn != nil || batch == 0 {
			batch = 1
		}
	}
	if p.Has("L") {
		batch = 1 // one line of words at least: single words cover the rest
		if known && len(items) > 1 {
			c.Opaque(shellplan.OpaqueNames, c.Word.Span, "how xargs -L groups its words is not modelled")
		}
	}
	if replacing {
		batch = 1
	}
	none := shellword.Input{Kind: shellword.InputText} // xargs took it all
	if len(items) == 0 {
		if p.Has("r") || replacing {
			c.PrintUnknown()
			return
		}
		batch = 1
		c.Aside(words, none)
	}
	for i := 0; i < len(items); i += batch {
		chunk := items[i:min(i+batch, len(items))]
		if replacing {
			c.Aside(replaced(c, words, mark, chunk[0]), none)
		} else {
			c.Aside(append(append([]shellword.Field{}, words...), chunk...), none)
		}
	}
	c.PrintUnknown()
}

// replaced puts one item in place of the mark in every word.
func replaced(c *Call, words []shellword.Field, mark string, item shellword.Field) []shellword.Field {
	var out []shellword.Field
	for _, w := range words {
		if w.Dyn != nil || w.Set != nil || !bytes.Contains(w.Raw, []byte(mark)) {
			out = append(out, w)
			continue
		}
		if s, ok := item.Plain(); ok {
			g := w
			g.Raw, g.Mask, g.Pattern = bytes.ReplaceAll(w.Raw, []byte(mark), []byte(s)), nil, false
			out = append(out, g)
			continue
		}
		prefix, suffix, _ := bytes.Cut(w.Raw, []byte(mark))
		if item.Set != nil && len(prefix) > 0 {
			if name, ok := item.Set.Literal(); ok {
				set := *item.Set
				set.Word.Raw = append(bytes.Clone(prefix), name...)
				out = append(out, shellword.Field{Set: &set, Raw: suffix, Span: w.Span, Text: w.Text})
				continue
			}
		}
		switch {
		case bytes.Contains(suffix, []byte(mark)) || item.Set == nil || len(prefix) > 0 && !item.Set.Bare:
			why := item.Dyn
			if why == nil {
				why = c.Why(shellplan.OpaqueDynamic, w.Span, "the word joins text to names that only the file system knows")
			}
			out = append(out, shellword.Field{Dyn: why, Raw: prefix, Span: w.Span, Text: w.Text})
		default:
			set := *item.Set
			if len(prefix) > 0 {
				set.Word.Raw = append(bytes.Clone(prefix), '*')
				set.Word.Mask = append(make([]byte, len(prefix)), shellplan.MaskActive)
				set.Prefixed = prefix[0] != '-'
			}
			out = append(out, shellword.Field{Set: &set, Raw: suffix, Span: w.Span, Text: w.Text})
		}
	}
	return out
}

// xargsItems are the words that xargs reads from a known input.
func (c *Call) xargsItems(p *shellword.Parsed, in shellword.Input) ([]shellword.Field, bool) {
	nul := p.Has("0")
	if f, ok := p.Last("d"); ok {
		if s, known := f.Plain(); known && s == `\0` {
			nul = true
		} else if !known || s != `\n` {
			return nil, false
		}
	}
	switch in.Kind {
	case shellword.InputNames:
		if in.Nul != nul {
			return nil, false
		}
		var out []shellword.Field
		for _, s := range in.Sets {
			set := *s
			set.Resplit = set.Resplit || !nul
			out = append(out, shellword.Field{Set: &set, Many: true, Text: set.Text, Span: c.Word.Span})
		}
		return out, true
	case shellword.InputText:
		var parts []string
		t := string(in.Text)
		switch {
		case nul:
			parts = strings.Split(strings.TrimSuffix(t, "\x00"), "\x00")
		case strings.ContainsAny(t, `"'\`) || strings.Contains(t, "\x00"):
			return nil, false
		case p.Has("I") || p.Has("d"):
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
		if len(parts) > shellword.MaxUnroll {
			return nil, false
		}
		var out []shellword.Field
		for _, s := range parts {
			out = append(out, shellword.Field{Raw: []byte(s), Text: []byte(s), Span: c.Word.Span})
		}
		return out, true
	}
	return nil, false
}

var xargsRow = &row{
	names: "xargs",
	opts:  xargsOptions, run: runXargs, style: shellword.Style{Stop: true},
}
