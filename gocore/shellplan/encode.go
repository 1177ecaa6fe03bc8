package shellplan

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MarshalJSON writes the JSON form. It fails only on an enumeration value that
// has no name, which Validate refuses too.
func (p Plan) MarshalJSON() ([]byte, error) {
	form, err := p.JSONForm()
	if err != nil {
		return nil, err
	}
	return json.Marshal(form)
}

// JSONForm gives the value whose fields MarshalJSON writes, for whoever writes a
// plan as part of something larger.
func (p *Plan) JSONForm() (any, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p.wire(), nil
}

// EscapeText makes bytes readable: valid UTF-8 stays as it is, in anything else
// each byte that is no part of a character becomes `\xNN`. The second result is
// the bytes themselves when the text could not carry them.
func EscapeText(b []byte) (string, []byte) {
	if utf8.Valid(b) {
		return string(b), nil
	}
	var out strings.Builder
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&out, `\x%02x`, b[i])
		} else {
			out.Write(b[i : i+n])
		}
		i += n
	}
	return out.String(), b
}

// Shown is text for people: bytes that are no characters escaped.
func Shown(s string) string {
	text, _ := EscapeText([]byte(s))
	return text
}

// escapeAll is EscapeText for a list: the second result is nil, or as long as
// the first.
func escapeAll(list [][]byte) (text []string, raw [][]byte) {
	exact := true
	for _, b := range list {
		s, whole := EscapeText(b)
		text = append(text, s)
		exact = exact && whole == nil
	}
	if exact {
		return text, nil
	}
	return text, list
}

func (p *Plan) wire() planJSON {
	w := planJSON{Shell: p.Shell.wire(), Segments: []segmentJSON{}, Opaque: opaqueWire(p.Opaque)}
	w.Source, w.SourceBytes = EscapeText(p.Source)
	w.Start, w.StartBytes = EscapeText(p.Start)
	for i := range p.Segments {
		w.Segments = append(w.Segments, p.Segments[i].wire())
	}
	for i := range p.Nested {
		n := &p.Nested[i]
		w.Nested = append(w.Nested, nestedJSON{Segment: n.Segment, How: n.How, Plan: n.Plan.wire()})
	}
	return w
}

func (s Shell) wire() shellJSON {
	return shellJSON{
		Dialect: s.Dialect.String(), Version: s.Version,
		Locale: s.Locale.String(), Glob: s.Glob.Strings(),
	}
}

func (s *Segment) wire() segmentJSON {
	w := segmentJSON{
		Command: s.Command, OwnEnv: s.OwnEnv, Moved: s.Moved, Span: s.Span, CwdUnknown: s.CwdUnknown,
		Reach: s.Reach.String(), Opaque: opaqueWire(s.Opaque),
	}
	for i := range s.Argv {
		var word argumentJSON
		if s.Argv[i].Known {
			word.Text = &s.Argv[i].Text
		}
		w.Argv = append(w.Argv, word)
	}
	for i := range s.Candidates {
		w.Candidates = append(w.Candidates, s.Candidates[i].wire())
	}
	for _, c := range s.Cwds {
		j := cwdJSON{Steps: stepsWire(c.Steps)}
		for _, f := range c.Failed {
			j.Failed = append(j.Failed, stepsWire(f))
		}
		w.Cwds = append(w.Cwds, j)
	}
	for i := range s.Effects {
		w.Effects = append(w.Effects, s.Effects[i].wire())
	}
	for i := range s.Checks {
		w.Checks = append(w.Checks, s.Checks[i].wire())
	}
	return w
}

func (w *Word) wire() wordJSON {
	j := wordJSON{Pattern: w.Pattern, Glob: w.Glob.Strings()}
	j.Raw, j.RawBytes = EscapeText(w.Raw)
	active := false
	mask := make([]byte, len(w.Mask))
	for i, m := range w.Mask {
		mask[i] = 'q'
		if m == MaskActive {
			mask[i], active = 'a', true
		}
	}
	if active {
		j.Mask = string(mask)
	}
	return j
}

func (c *Candidate) wire() candidateJSON {
	w := candidateJSON{
		wordJSON: c.Word.wire(), Kind: c.Kind.String(), Access: c.Access.String(),
		NoFollow: c.NoFollow, DirOnly: c.DirOnly, Parents: c.Parents, Chdir: stepsWire(c.Chdir),
		OptionSafe: c.OptionSafe, Resplit: c.Resplit, Script: c.Script, Span: c.Span,
	}
	if c.Implicit != Explicit {
		w.Implicit = c.Implicit.String()
	}
	w.Names, w.NamesBytes = escapeAll(c.Names)
	w.Text, w.TextBytes = EscapeText(c.Text)
	if t := c.Traversal; t != nil {
		w.Traversal = &traversalJSON{t.FollowRoot, t.Links.String(), t.MaxDepth, t.Hidden, t.DirsOnly, nil, nil}
		if t.Match != nil {
			m := t.Match.wire()
			w.Traversal.Match = &m
		}
		for i := range t.Skips {
			w.Traversal.Skips = append(w.Traversal.Skips, skipJSON{t.Skips[i].Word.wire(), t.Skips[i].What.String()})
		}
	}
	if t := c.Into; t != nil {
		w.Into = &intoJSON{Always: t.Always, From: t.From}
		w.Into.Names, w.Into.NamesBytes = escapeAll(t.Names)
	}
	if r := c.Redirect; r != nil {
		w.Redirect = &redirectJSON{r.Op, r.Fd, r.OneMatch}
	}
	return w
}

func stepsWire(steps []CwdStep) []cwdStepJSON {
	var out []cwdStepJSON
	for i := range steps {
		s := &steps[i]
		w := cwdStepJSON{wordJSON: s.Word.wire(), Mode: s.Mode.String(), Span: s.Span}
		w.CDPath, w.CDPathBytes = escapeAll(s.CDPath)
		out = append(out, w)
	}
	return out
}

func (e *Effect) wire() effectJSON {
	w := effectJSON{Kind: e.Kind.String(), Candidate: e.Candidate, From: e.From, VisibleFrom: e.VisibleFrom}
	if e.Target != nil {
		s, raw := EscapeText(e.Target)
		w.Target, w.TargetBytes = &s, raw
	}
	return w
}

func (c *Check) wire() checkJSON {
	w := checkJSON{
		Kind: c.Kind.String(), Chdir: stepsWire(c.Chdir), Hooks: c.Hooks,
		Keys: c.Keys, Attributes: c.Attributes, Span: c.Span,
	}
	w.Files, w.FilesBytes = escapeAll(c.Files)
	return w
}

func opaqueWire(list []Opaque) []opaqueJSON {
	var out []opaqueJSON
	for _, o := range list {
		w := opaqueJSON{Code: o.Code.String(), Detail: o.Detail, Needs: o.Needs.String(), Span: o.Span}
		w.Word, w.WordBytes = EscapeText(o.Word)
		out = append(out, w)
	}
	return out
}
