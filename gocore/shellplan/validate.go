package shellplan

import (
	"bytes"
	"fmt"
)

// Validate reports the first field that makes the plan one that cannot be
// established, as an *Error with CodeBadPlan whose Field is the path in the
// JSON form. A plan that Build returned is always valid.
func (p *Plan) Validate() error {
	v := validator{}
	v.plan("", p, 0)
	if v.err != nil {
		return v.err
	}
	return nil
}

type validator struct {
	err        *Error
	segments   int
	candidates int
}

func (v *validator) fail(field, format string, args ...any) {
	if v.err == nil {
		v.err = badPlan(field, format, args...)
	}
}

func (v *validator) plan(path string, p *Plan, depth int) {
	if depth > MaxNesting {
		v.fail(path, "nested deeper than %d plans", MaxNesting)
		return
	}
	if _, ok := dialectNames[p.Shell.Dialect]; !ok {
		v.fail(fieldPath(path, "shell.dialect"), "say which shell runs the text: bash, dash or posix")
	}
	if _, ok := localeNames[p.Shell.Locale]; !ok {
		v.fail(fieldPath(path, "shell.locale"), "is none of unknown, C, UTF-8")
	}
	if len(p.Start) > 0 && (p.Start[0] != '/' || bytes.IndexByte(p.Start, 0) >= 0) {
		v.fail(fieldPath(path, "start"), "is not an absolute path")
	}
	if len(p.Segments) == 0 && len(p.Opaque) == 0 {
		v.fail(fieldPath(path, "segments"), "is empty and no opaque reason says why")
	}
	if v.segments += len(p.Segments); v.segments > MaxSegments {
		v.fail(fieldPath(path, "segments"), "more than %d segments", MaxSegments)
		return
	}
	for i := range p.Segments {
		if v.err != nil {
			return
		}
		v.segment(p, i, path)
	}
	for i := range p.Opaque {
		v.opaque(fmt.Sprintf("%s[%d]", fieldPath(path, "opaque"), i), &p.Opaque[i], len(p.Source))
	}
	for i := range p.Nested {
		at := fmt.Sprintf("%s[%d]", fieldPath(path, "nested"), i)
		if n := p.Nested[i].Segment; n < 0 || n >= len(p.Segments) {
			v.fail(at+".segment", "there is no segment %d", n)
		}
		if v.err != nil {
			return
		}
		v.plan(at+".plan", &p.Nested[i].Plan, depth+1)
	}
}

func (v *validator) segment(p *Plan, i int, path string) {
	s := &p.Segments[i]
	at := fmt.Sprintf("%s[%d]", fieldPath(path, "segments"), i)
	v.span(at+".span", s.Span, len(p.Source))
	switch {
	case len(s.Cwds) == 0 && !s.CwdUnknown:
		v.fail(at+".cwds", "say where the segment runs: [{}] is the starting directory")
	case len(s.Cwds) > MaxCwds:
		v.fail(at+".cwds", "more than %d directories; set cwdUnknown", MaxCwds)
	}
	if _, ok := reachNames[s.Reach]; !ok {
		v.fail(at+".reach", "is neither always nor maybe")
	}
	for j := range s.Cwds {
		v.steps(fmt.Sprintf("%s.cwds[%d].steps", at, j), s.Cwds[j].Steps)
		for k, f := range s.Cwds[j].Failed {
			v.steps(fmt.Sprintf("%s.cwds[%d].failed[%d]", at, j, k), f)
		}
	}
	if v.candidates += len(s.Candidates); v.candidates > MaxCandidates {
		v.fail(at+".candidates", "more than %d candidates", MaxCandidates)
		return
	}
	for j := range s.Candidates {
		if v.err != nil {
			return
		}
		v.candidate(fmt.Sprintf("%s.candidates[%d]", at, j), &s.Candidates[j], len(s.Candidates), len(p.Source))
	}
	for j := range s.Effects {
		v.effect(fmt.Sprintf("%s.effects[%d]", at, j), &s.Effects[j], len(s.Candidates), len(p.Segments))
	}
	for j := range s.Checks {
		v.check(fmt.Sprintf("%s.checks[%d]", at, j), &s.Checks[j])
	}
	for j := range s.Opaque {
		v.opaque(fmt.Sprintf("%s.opaque[%d]", at, j), &s.Opaque[j], len(p.Source))
	}
}

func (v *validator) span(field string, s Span, n int) {
	if s.Start < 0 || s.End < s.Start || s.End > n {
		v.fail(field, "[%d, %d) is no range of a source of %d bytes", s.Start, s.End, n)
	}
}

func (v *validator) word(at string, w *Word) {
	if len(w.Mask) != 0 && len(w.Mask) != len(w.Raw) {
		v.fail(at+".mask", "has %d entries for %d bytes of raw", len(w.Mask), len(w.Raw))
	}
	if w.Pattern && len(w.Mask) == 0 {
		v.fail(at+".mask", "a pattern needs a mask: without one every byte is quoted")
	}
	if bytes.IndexByte(w.Raw, 0) >= 0 {
		v.fail(at+".raw", "holds a NUL byte, which no argument can carry")
	}
	if w.Glob.Has(GlobSkipDots | GlobKeepDots) {
		v.fail(at+".glob", "globskipdots cannot be both on and off")
	}
}

func (v *validator) candidate(at string, c *Candidate, candidates, source int) {
	v.word(at, &c.Word)
	v.span(at+".span", c.Span, source)
	if _, ok := kindNames[c.Kind]; !ok {
		v.fail(at+".kind", "say how the word becomes paths: word, upward, gitDir, workTree or beside")
	}
	if _, ok := accessNames[c.Access]; !ok {
		v.fail(at+".access", "say what happens to the path: read, write, entry, stat, tree or exec")
	}
	if _, ok := implicitNames[c.Implicit]; !ok {
		v.fail(at+".implicit", "is none of explicit, judged, disclosed")
	}
	v.names(at+".names", c.Names)
	if c.Script != "" && c.Script != ScriptSed && c.Script != ScriptJq && c.Script != ScriptAwk {
		v.fail(at+".script", "is none of %s, %s and %s", ScriptSed, ScriptJq, ScriptAwk)
	}
	if (c.Kind == KindUpward || c.Kind == KindBeside) && len(c.Names) == 0 {
		v.fail(at+".names", "an upward or beside candidate needs the names it is about")
	}
	if t := c.Traversal; t != nil {
		if _, ok := linksNames[t.Links]; !ok {
			v.fail(at+".traversal.links", "is none of follow, open, skip")
		}
		if t.Match != nil {
			v.word(at+".traversal.match", t.Match)
		}
		for i := range t.Skips {
			s := fmt.Sprintf("%s.traversal.skips[%d]", at, i)
			v.word(s, &t.Skips[i].Word)
			if _, ok := skipNames[t.Skips[i].What]; !ok {
				v.fail(s+".what", "is none of file, dir, below")
			}
		}
		if t.MaxDepth < 0 {
			v.fail(at+".traversal.maxDepth", "is negative; 0 is no bound")
		}
	}
	if t := c.Into; t != nil {
		v.indices(at+".into.from", t.From, candidates)
		v.names(at+".into.names", t.Names)
	}
	v.steps(at+".chdir", c.Chdir)
}

func (v *validator) names(at string, names [][]byte) {
	for i, n := range names {
		if len(n) == 0 || bytes.IndexByte(n, 0) >= 0 {
			v.fail(fmt.Sprintf("%s[%d]", at, i), "is empty or holds a NUL byte")
		}
	}
}

func (v *validator) indices(at string, list []int, n int) {
	for i, x := range list {
		if x < 0 || x >= n {
			v.fail(fmt.Sprintf("%s[%d]", at, i), "there is no candidate %d", x)
		}
	}
}

func (v *validator) steps(at string, steps []CwdStep) {
	for i := range steps {
		v.word(fmt.Sprintf("%s[%d]", at, i), &steps[i].Word)
		if _, ok := cwdModeNames[steps[i].Mode]; !ok {
			v.fail(fmt.Sprintf("%s[%d].mode", at, i), "is none of logical, physical, process")
		}
	}
}

func (v *validator) effect(at string, e *Effect, candidates, segments int) {
	if _, ok := effectNames[e.Kind]; !ok {
		v.fail(at+".kind", "has no name")
	}
	if e.Kind == EffectAny {
		if e.Candidate != -1 {
			v.fail(at+".candidate", "is -1 for an effect on any name")
		}
	} else if e.Candidate < 0 || e.Candidate >= candidates {
		v.fail(at+".candidate", "there is no candidate %d", e.Candidate)
	}
	v.indices(at+".from", e.From, candidates)
	if e.VisibleFrom < 0 || e.VisibleFrom > segments {
		v.fail(at+".visibleFrom", "there is no segment %d", e.VisibleFrom)
	}
}

func (v *validator) check(at string, c *Check) {
	if _, ok := checkNames[c.Kind]; !ok {
		v.fail(at+".kind", "is neither git nor absent")
	}
	v.steps(at+".chdir", c.Chdir)
	for i, f := range c.Files {
		if len(f) == 0 || f[0] != '/' {
			v.fail(fmt.Sprintf("%s.files[%d]", at, i), "is not an absolute path")
		}
	}
}

func (v *validator) opaque(at string, o *Opaque, source int) {
	v.span(at+".span", o.Span, source)
	if _, ok := opaqueNames[o.Code]; !ok {
		v.fail(at+".code", "has no name")
	}
}
