package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// fileTests are the unary operators of test that look at a file; true for those
// that do not follow a link.
var fileTests = map[string]bool{
	"-e": false, "-f": false, "-d": false, "-r": false, "-w": false, "-x": false, "-s": false,
	"-b": false, "-c": false, "-p": false, "-S": false, "-k": false, "-g": false, "-u": false,
	"-O": false, "-G": false, "-N": false, "-L": true, "-h": true,
}

// testBinary are its binary operators; true for those that look at two files.
var testBinary = map[string]bool{
	"=": false, "==": false, "!=": false, "<": false, ">": false, "-eq": false, "-ne": false,
	"-lt": false, "-le": false, "-gt": false, "-ge": false, "-nt": true, "-ot": true, "-ef": true,
}

// runTest is test and [. Every word that can be the operand of a file operator
// is looked at; a word whose number is not known could be one.
//
// POSIX, "test": the meaning depends on the number of words. Bash manual, "Bash
// Conditional Expressions", has the operators.
func runTest(c *cmd) {
	args := c.Args
	if c.Name == "[" && len(args) > 0 {
		args = args[:len(args)-1]
	}
	for i := 0; i < len(args); i++ {
		s, ok := args[i].Plain()
		if i+1 < len(args) {
			if op, known := args[i+1].Plain(); known && i+2 < len(args) {
				if files, binary := testBinary[op]; binary {
					if files {
						c.Add(args[i], shellplan.AccessStat, shellplan.Candidate{OptionSafe: true})
						c.Add(args[i+2], shellplan.AccessStat, shellplan.Candidate{OptionSafe: true})
					} else {
						c.testValue(args[i])
						c.testValue(args[i+2])
					}
					i += 2
					continue
				}
			}
			if nofollow, file := fileTests[s]; ok && file {
				c.Add(args[i+1], shellplan.AccessStat, shellplan.Candidate{OptionSafe: true, NoFollow: nofollow})
				i++
				continue
			}
			if ok && (s == "-v" || s == "-R") {
				c.testName(args[i+1])
				i++
				continue
			}
			if ok && (s == "-z" || s == "-n" || s == "-t" || s == "-o") && len(args) <= i+2 {
				c.testValue(args[i+1])
				i++
				continue
			}
		}
		c.testValue(args[i])
	}
}

// testValue is a word compared as text: only one whose number is not known can
// turn into operators.
func (c *cmd) testValue(f shellword.Field) {
	if f.Many && f.Dyn != nil {
		c.p.addReason(c.seg, *c.p.reason(f.Dyn, f.Span))
		return
	}
	c.Listed(f, true)
}

// testName is the operand of -v: a subscript in it is evaluated.
func (c *cmd) testName(f shellword.Field) {
	s, ok := f.Plain()
	if !ok || bytes.ContainsAny([]byte(s), "[$`") {
		c.opaque(shellplan.OpaqueDynamic, f.Span, "a subscript in the name is evaluated")
	}
}

// testClause is [[ ... ]].
//
// Bash manual, "Conditional Constructs": words between [[ and ]] are neither
// split nor expanded to names; -eq and its kin evaluate both sides as
// arithmetic.
func (p *planner) testClause(t *syntax.TestClause, st *state) flow {
	var files []shellword.Field
	var nofollow []bool
	p.testExpr(t.X, st, func(f shellword.Field, link bool) {
		files, nofollow = append(files, f), append(nofollow, link)
	}, 0)
	if len(files) > 0 || len(p.pending) > 0 {
		i := p.segmentOf("[[", p.span(t), st)
		for k, f := range files {
			p.candidate(i, st, f, shellplan.Candidate{Access: shellplan.AccessStat, OptionSafe: true, NoFollow: nofollow[k]})
		}
	}
	return flow{st, st}
}

func (p *planner) testExpr(x syntax.TestExpr, st *state, file func(shellword.Field, bool), depth int) {
	if p.step(); depth > shellplan.MaxNesting {
		panic(tooLarge{"a test nested too deep"})
	}
	whole := func(x syntax.TestExpr) shellword.Field {
		w, ok := x.(*syntax.Word)
		if !ok {
			return shellword.Field{}
		}
		span := p.span(w)
		return p.whole(p.tildes(p.atoms(w), st, false, span), st, span)
	}
	switch x := x.(type) {
	case *syntax.ParenTest:
		p.testExpr(x.X, st, file, depth+1)
	case *syntax.Word:
		whole(x)
	case *syntax.UnaryTest:
		switch x.Op {
		case syntax.TsNot, syntax.TsParen:
			p.testExpr(x.X, st, file, depth+1)
		case syntax.TsEmpStr, syntax.TsNempStr, syntax.TsOptSet, syntax.TsFdTerm:
			whole(x.X)
		case syntax.TsVarSet, syntax.TsRefVar:
			f := whole(x.X)
			if s, ok := f.Plain(); !ok || bytes.ContainsAny([]byte(s), "[$`") {
				p.note(shellplan.OpaqueDynamic, p.span(x), "a subscript in the name that -v looks at is evaluated")
			}
		default:
			file(whole(x.X), x.Op == syntax.TsSmbLink)
		}
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest, syntax.OrTest:
			p.testExpr(x.X, st, file, depth+1)
			p.maybe(func() { p.testExpr(x.Y, st, file, depth+1) })
		case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
			file(whole(x.X), false)
			file(whole(x.Y), false)
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				p.arithValue([]shellword.Value{fieldValue(whole(side))}, st, p.span(x), 0)
			}
		default:
			whole(x.X)
			if w, ok := x.Y.(*syntax.Word); ok {
				for _, part := range w.Parts {
					if _, ext := part.(*syntax.ExtGlob); !ext {
						b := builder{p: p, st: st, span: p.span(w)}
						b.run(p.atomsOf(nil, part))
					}
				}
			}
		}
	}
}
