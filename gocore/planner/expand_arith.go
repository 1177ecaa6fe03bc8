package planner

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// arith evaluates an arithmetic expression: an integer as text, or valInt. The
// shell evaluates the values of variables too, and a subscript in one runs what
// it holds, so a value that is not known is a reason of its own.
//
// Bash manual, "Shell Arithmetic": a name counts without a dollar, its value is
// evaluated as an expression in turn, and so is every subscript.
func (p *planner) arith(x syntax.ArithmExpr, st *state, span shellplan.Span) shellword.Value {
	n, ok := p.arithInt(x, st, span, 0)
	if !ok {
		return shellword.Value{Kind: shellword.ValueInt}
	}
	return shellword.StringValue(strconv.FormatInt(n, 10))
}

// arithCommand is ((...)) and let.
func (p *planner) arithCommand(list []syntax.ArithmExpr, n syntax.Node, st *state) {
	span := p.span(n)
	for _, x := range list {
		p.arith(x, st, span)
	}
	p.flush(span, st)
}

// maxArithDepth bounds how far names are followed through values.
const maxArithDepth = 32

func (p *planner) arithInt(x syntax.ArithmExpr, st *state, span shellplan.Span, depth int) (int64, bool) {
	p.step()
	if depth > maxArithDepth {
		p.note(shellplan.OpaqueConstruct, span, "the arithmetic is nested too deep")
		return 0, false
	}
	switch x := x.(type) {
	case *syntax.Word:
		return p.arithWord(x, st, span, depth)
	case *syntax.ParenArithm:
		return p.arithInt(x.X, st, span, depth)
	case *syntax.UnaryArithm:
		return p.arithUnary(x, st, span, depth)
	case *syntax.BinaryArithm:
		return p.arithBinary(x, st, span, depth)
	}
	p.note(shellplan.OpaqueConstruct, span, "this kind of arithmetic is not modelled")
	return 0, false
}

// arithWord is a number, a name or an expansion.
func (p *planner) arithWord(w *syntax.Word, st *state, span shellplan.Span, depth int) (int64, bool) {
	if l := w.Lit(); l != "" {
		return p.arithText(l, st, span, depth)
	}
	if len(w.Parts) == 1 {
		if x, ok := w.Parts[0].(*syntax.ParamExp); ok && !x.Dollar.IsValid() && x.Index != nil && x.Param != nil {
			e := p.subject(x.Param.Value, x.Index, st, true, span)
			return p.arithValue(e.vals, st, span, depth)
		}
	}
	return p.arithValue([]shellword.Value{p.oneWord(w, st)}, st, span, depth)
}

func (p *planner) arithValue(vals []shellword.Value, st *state, span shellplan.Span, depth int) (int64, bool) {
	if len(vals) != 1 {
		return 0, len(vals) == 0
	}
	switch v := vals[0]; v.Kind {
	case shellword.ValueUnset:
		return 0, true
	case shellword.ValueInt:
		return 0, false
	case shellword.ValueText:
		return p.arithText(string(v.Text), st, span, depth+1)
	case shellword.ValueList:
		return p.arithValue(v.List[:min(1, len(v.List))], st, span, depth)
	}
	p.note(shellplan.OpaqueDynamic, span, "arithmetic on a value that is not known runs what a subscript in it holds")
	return 0, false
}

// arithText evaluates text: a literal number or the name of a variable.
func (p *planner) arithText(t string, st *state, span shellplan.Span, depth int) (int64, bool) {
	t = strings.TrimSpace(t)
	if t == "" {
		return 0, true
	}
	if n, err := strconv.ParseInt(t, 0, 64); err == nil && !strings.ContainsAny(t, "_oObB") {
		return n, true
	}
	if syntax.ValidName(t) {
		if depth > maxArithDepth {
			p.note(shellplan.OpaqueDynamic, span, "the arithmetic reads variables through too many others")
			return 0, false
		}
		return p.arithValue([]shellword.Value{p.get(st, t)}, st, span, depth+1)
	}
	if strings.ContainsFunc(t, func(r rune) bool { return r == '[' || r == '$' || r == '`' || r == '_' || unicode.IsLetter(r) }) {
		// A subscript is evaluated, and so is what a variable named here holds.
		p.note(shellplan.OpaqueDynamic, span, "the value holds a subscript, a substitution or a name, which arithmetic evaluates")
	}
	return 0, false
}

func (p *planner) arithUnary(x *syntax.UnaryArithm, st *state, span shellplan.Span, depth int) (int64, bool) {
	n, ok := p.arithInt(x.X, st, span, depth)
	switch x.Op {
	case syntax.Inc, syntax.Dec:
		old := n
		if x.Op == syntax.Inc {
			n++
		} else {
			n--
		}
		p.arithAssign(x.X, n, ok, st, span)
		if x.Post {
			return old, ok
		}
	case syntax.Minus:
		n = -n
	case syntax.BitNegation:
		n = ^n
	case syntax.Not:
		n = truth(n == 0)
	}
	return n, ok
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (p *planner) arithAssign(x syntax.ArithmExpr, n int64, ok bool, st *state, span shellplan.Span) {
	v := shellword.Value{Kind: shellword.ValueInt}
	if ok {
		v = shellword.StringValue(strconv.FormatInt(n, 10))
	}
	w, isWord := x.(*syntax.Word)
	if !isWord {
		return
	}
	if name := w.Lit(); syntax.ValidName(name) {
		p.set(st, name, v)
		return
	}
	if len(w.Parts) == 1 {
		if e, ok := w.Parts[0].(*syntax.ParamExp); ok && e.Param != nil {
			p.set(st, e.Param.Value, shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "an element was assigned in arithmetic")))
		}
	}
}

func (p *planner) arithBinary(x *syntax.BinaryArithm, st *state, span shellplan.Span, depth int) (int64, bool) {
	switch x.Op {
	case syntax.Assgn:
		if w, isWord := x.X.(*syntax.Word); !isWord || !syntax.ValidName(w.Lit()) {
			p.arithInt(x.X, st, span, depth) // for the subscript
		}
		n, ok := p.arithInt(x.Y, st, span, depth)
		p.arithAssign(x.X, n, ok, st, span)
		return n, ok
	case syntax.AndArit, syntax.OrArit:
		a, ok := p.arithInt(x.X, st, span, depth)
		if ok && (a != 0) == (x.Op == syntax.OrArit) {
			return truth(x.Op == syntax.OrArit), true
		}
		b, okB := p.arithMaybe(ok, x.Y, st, span, depth)
		return truth(b != 0), ok && okB
	case syntax.TernQuest:
		arms, isArms := x.Y.(*syntax.BinaryArithm)
		if !isArms {
			p.note(shellplan.OpaqueConstruct, span, "this kind of arithmetic is not modelled")
			return 0, false
		}
		c, ok := p.arithInt(x.X, st, span, depth)
		if !ok {
			p.arithMaybe(false, arms.X, st, span, depth)
			p.arithMaybe(false, arms.Y, st, span, depth)
			return 0, false
		}
		if c != 0 {
			return p.arithInt(arms.X, st, span, depth)
		}
		return p.arithInt(arms.Y, st, span, depth)
	}
	a, okA := p.arithInt(x.X, st, span, depth)
	b, okB := p.arithInt(x.Y, st, span, depth)
	ok := okA && okB
	if op, assigns := assignOps[x.Op]; assigns {
		n, defined := apply(op, a, b)
		p.arithAssign(x.X, n, ok && defined, st, span)
		return n, ok && defined
	}
	n, defined := apply(x.Op, a, b)
	return n, ok && defined
}

// arithMaybe evaluates an operand that may be skipped.
func (p *planner) arithMaybe(sure bool, x syntax.ArithmExpr, st *state, span shellplan.Span, depth int) (int64, bool) {
	if sure {
		return p.arithInt(x, st, span, depth)
	}
	skipped := st.clone()
	n, ok := p.arithInt(x, st, span, depth)
	*st = *join(st, skipped)
	return n, ok
}

var assignOps = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub, syntax.MulAssgn: syntax.Mul,
	syntax.QuoAssgn: syntax.Quo, syntax.RemAssgn: syntax.Rem, syntax.AndAssgn: syntax.And,
	syntax.OrAssgn: syntax.Or, syntax.XorAssgn: syntax.Xor, syntax.ShlAssgn: syntax.Shl,
	syntax.ShrAssgn: syntax.Shr,
}

// apply computes one operator; false where the shell reports an error or the
// operator is none of these.
func apply(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo, syntax.Rem:
		if b == 0 || b == -1 {
			return 0, false
		}
		if op == syntax.Quo {
			return a / b, true
		}
		return a % b, true
	case syntax.Eql:
		return truth(a == b), true
	case syntax.Neq:
		return truth(a != b), true
	case syntax.Lss:
		return truth(a < b), true
	case syntax.Leq:
		return truth(a <= b), true
	case syntax.Gtr:
		return truth(a > b), true
	case syntax.Geq:
		return truth(a >= b), true
	case syntax.And:
		return a & b, true
	case syntax.Or:
		return a | b, true
	case syntax.Xor:
		return a ^ b, true
	case syntax.Comma:
		return b, true
	}
	return 0, false
}
