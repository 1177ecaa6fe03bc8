package establish

import (
	"errors"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/pattern"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// reading is one way a shell may read a pattern. A word has several where the
// plan does not say which shell or which locale; what any of them matches is
// reported.
type reading struct {
	pattern.Options
	// dots: a pattern that starts with a dot may match `.` and `..`;
	// surelyDots: it does.
	dots, surelyDots bool
	// literal: without a match the word itself is handed over.
	literal bool
	// globstar: `**` crosses directories.
	globstar bool
}

// bashCollatesBefore is the first bash whose ranges follow the code points by
// default (globasciiranges, 5.0), and bashSkipsDots the first whose patterns
// never match `.` and `..` (globskipdots, 5.2).
const (
	bashCollatesBefore = 500
	bashSkipsDots      = 502
	// bashGlobstarSkipsLinks is the first bash whose `**` does not go through
	// links to directories (4.3).
	bashGlobstarSkipsLinks = 403
)

func readingsOf(sh *shellplan.Shell, g shellplan.Glob) []reading {
	var out []reading
	if sh.Dialect == shellplan.DialectBash || sh.Dialect == shellplan.DialectPosix {
		r := reading{dots: !g.Has(shellplan.GlobSkipDots), literal: !g.Has(shellplan.GlobNull) && !g.Has(shellplan.GlobFail)}
		if !g.Has(shellplan.GlobKeepDots) && sh.Version >= bashSkipsDots {
			r.dots = false
		}
		r.surelyDots = r.dots && (g.Has(shellplan.GlobKeepDots) || sh.Version > 0)
		r.globstar = g.Has(shellplan.GlobStar)
		r.Dialect = pattern.Bash
		r.Dot, r.NoCase, r.Extended = g.Has(shellplan.GlobDot), g.Has(shellplan.GlobNoCase), g.Has(shellplan.GlobExt)
		if sh.Locale != shellplan.LocaleUTF8 {
			out = append(out, r)
		}
		if sh.Locale != shellplan.LocaleC {
			r.UTF8 = true
			r.Collate = g.Has(shellplan.GlobCollate) || sh.Version < bashCollatesBefore
			out = append(out, r)
		}
	}
	if sh.Dialect == shellplan.DialectDash || sh.Dialect == shellplan.DialectPosix {
		out = append(out, reading{Options: pattern.Options{Dialect: pattern.Dash}, dots: true, surelyDots: true, literal: true})
	}
	return out
}

// component is one part of a word, compiled under each reading.
type component struct {
	raw  string
	pats []*pattern.Pattern // nil: a literal under every reading
	deep bool               // `**` with globstar: any number of directories
}

// compile splits a word and compiles its parts. The failure is
// UnmodelledPattern.
func compile(w *shellplan.Word, sh *shellplan.Shell, readings []reading) ([]component, *failure) {
	var out []component
	for _, c := range pattern.Split(w.Raw, w.Mask) {
		comp := component{raw: string(c.Raw)}
		var pats []*pattern.Pattern
		meta := false
		for i, r := range readings {
			if r.globstar && string(c.Raw) == "**" && len(c.Mask) == 2 && c.Mask[0] != 0 && c.Mask[1] != 0 {
				if r.Dialect != pattern.Bash || sh.Version < bashGlobstarSkipsLinks || i > 0 && !comp.deep {
					return nil, &failure{UnmodelledPattern, "** with globstar in a shell of unknown version"}
				}
				comp.deep = true
			} else if comp.deep {
				return nil, &failure{UnmodelledPattern, "** with globstar in one reading only"}
			}
			p, err := pattern.Compile(c.Raw, c.Mask, r.Options)
			if err != nil {
				var e *pattern.Error
				detail := string(c.Raw)
				if errors.As(err, &e) {
					detail = e.Construct + " in " + detail
				}
				return nil, &failure{UnmodelledPattern, detail}
			}
			pats, meta = append(pats, p), meta || p.HasMeta() || r.Dialect == pattern.Bash && spellsExtended(c)
		}
		if meta {
			comp.pats = pats
		}
		if n := len(out); comp.deep && n > 0 && out[n-1].deep {
			continue // `**/**` is `**`
		}
		out = append(out, comp)
	}
	return out, nil
}

// spellsExtended reports whether a component looks like an extended pattern:
// bash lists the directory for one with extglob off, too.
func spellsExtended(c pattern.Component) bool {
	for i := 0; i+1 < len(c.Raw) && len(c.Mask) == len(c.Raw); i++ {
		if c.Raw[i+1] == '(' && strings.IndexByte("?*+@!", c.Raw[i]) >= 0 && c.Mask[i] != 0 && c.Mask[i+1] != 0 {
			return true
		}
	}
	return false
}

// marks says under which readings (one bit each) a name may match, and under
// which it surely does.
type marks struct{ may, sure uint8 }

func (m marks) and(n marks) marks { return marks{m.may & n.may, m.sure & n.sure} }

func (c *component) match(name string, readings []reading) marks {
	var m marks
	dots := name == "." || name == ".."
	for i, p := range c.pats {
		if dots && !(readings[i].dots && p.LeadsWithDot()) {
			continue
		}
		switch p.Match(name) {
		case pattern.Yes:
			m.may |= 1 << i
			if !dots || readings[i].surelyDots {
				m.sure |= 1 << i
			}
		case pattern.Maybe:
			m.may |= 1 << i
		}
	}
	return m
}
