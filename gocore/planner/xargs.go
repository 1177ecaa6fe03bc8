package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

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
		why := c.p.why(shellplan.OpaqueNames, c.word.span, "the words come from the standard input of xargs")
		items = []field{{dyn: why, many: true, span: c.word.span, text: c.word.text}}
	}
	replace, replacing := p.last("I")
	mark := "{}"
	if replacing {
		s, ok := replace.str()
		if !ok || s == "" {
			c.opaque(shellplan.OpaqueDynamic, c.word.span, "what xargs replaces is not known")
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
			c.opaque(shellplan.OpaqueNames, c.word.span, "how xargs -L groups its words is not modelled")
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
				why = c.p.why(shellplan.OpaqueDynamic, w.span, "the word joins text to names that only the file system knows")
			}
			out = append(out, field{dyn: why, raw: prefix, span: w.span, text: w.text})
		default:
			set := *item.set
			if len(prefix) > 0 {
				set.word.Raw = append(bytes.Clone(prefix), '*')
				set.word.Mask = append(make([]byte, len(prefix)), shellplan.MaskActive)
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
