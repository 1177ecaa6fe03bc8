package planner

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// tildes replaces the tilde prefixes of a word. assign says that the word reads
// like an assignment as a whole (NAME=~/x): a tilde then also counts after the
// first `=` and after each `:`.
//
// Bash manual, "Tilde Expansion": the prefix ends at the first unquoted slash,
// and a quoted character in it turns it off.
func (p *planner) tildes(a []atom, st *state, assign bool, span shellplan.Span) []atom {
	return p.tildesAt(a, st, assign, false, span)
}

// assignTildes is tildes for the value of an assignment: a tilde counts at the
// start and after each `:`.
func (p *planner) assignTildes(a []atom, st *state, span shellplan.Span) []atom {
	return p.tildesAt(a, st, false, true, span)
}

func (p *planner) tildesAt(a []atom, st *state, assign, value bool, span shellplan.Span) []atom {
	seen := false
	for _, x := range a {
		if x.kind == atomPlain && x.c == '~' {
			seen = true
			break
		}
	}
	if !seen {
		return a
	}
	var out []atom
	at := true // a tilde counts here
	afterEquals := value
	for i := 0; i < len(a); i++ {
		x := a[i]
		if at && x.kind == atomPlain && x.c == '~' {
			end, ok := tildePrefix(a, i, assign || value)
			if ok {
				if with := p.tilde(a[i+1:end], st, span); with != nil {
					out = append(out, with...)
					i, at = end-1, false
					continue
				}
			}
		}
		at = false
		if x.kind == atomPlain {
			switch {
			case x.c == '=' && assign && !afterEquals:
				afterEquals, at = true, true
			case x.c == ':' && afterEquals:
				at = true
			}
		}
		out = append(out, x)
	}
	return out
}

// tildePrefix is the end of the prefix that starts at i: up to an unquoted
// slash (or colon). A quote or an expansion inside it turns it off.
func tildePrefix(a []atom, i int, colon bool) (int, bool) {
	for j := i + 1; j < len(a); j++ {
		if a[j].kind != atomPlain {
			return 0, false
		}
		if a[j].c == '/' || colon && a[j].c == ':' {
			return j, true
		}
	}
	return len(a), true
}

// tilde is what a prefix stands for; nil leaves it as it is.
func (p *planner) tilde(name []atom, st *state, span shellplan.Span) []atom {
	login := make([]byte, len(name))
	for i, x := range name {
		login[i] = x.c
	}
	var variable string
	switch string(login) {
	case "":
		variable = "HOME"
	case "+":
		variable = "PWD"
	case "-":
		variable = "OLDPWD"
	}
	if p.plan.Shell.Dialect == shellplan.DialectDash && len(login) > 0 && variable != "" {
		return nil
	}
	if variable == "" || len(login) > 0 && p.plan.Shell.Dialect == shellplan.DialectPosix {
		return []atom{{kind: atomPart, why: p.why(shellplan.OpaqueDynamic, span, "the home of another user is not known")}}
	}
	v := p.get(st, variable)
	switch {
	case v.Kind == shellword.ValueUnset && variable == "OLDPWD":
		return nil
	case v.Kind != shellword.ValueText:
		why := p.reason(v.Why, span)
		why.Detail = "$" + variable + " is not known, so neither is what the tilde stands for"
		return []atom{{kind: atomPart, why: why}}
	}
	out := []atom{{kind: atomEmpty}}
	for _, c := range v.Text {
		out = append(out, atom{c: c, kind: atomQuoted})
	}
	return out
}
