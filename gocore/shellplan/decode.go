package shellplan

import (
	"errors"
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// UnmarshalJSON reads the JSON form and validates it. Every error is an *Error
// with CodeBadPlan that names the field; an unknown field is an error, because
// a misspelt one would silently drop a candidate or a reason.
func (p *Plan) UnmarshalJSON(data []byte) error {
	var w planJSON
	if err := strictjson.Unmarshal(data, &w); err != nil {
		e := badPlan("", "%v", err)
		var wrong *strictjson.Error
		if errors.As(err, &wrong) {
			e.Field, e.Message = wrong.Path, wrong.Message
		}
		e.Err = err
		return e
	}
	d := decoder{}
	out := d.plan("", &w, 0)
	if d.err != nil {
		return d.err
	}
	if err := out.Validate(); err != nil {
		return err
	}
	*p = out
	return nil
}

// decoder keeps the first error; the conversions go on with zero values.
type decoder struct{ err error }

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// decodeEnum looks up a name; empty takes the default, if there is one.
func decodeEnum[T ~uint8](d *decoder, field, text string, names map[T]string, def *T) T {
	var v T
	if text == "" && def != nil {
		return *def
	}
	if err := unmarshalEnum(field, names, []byte(text), &v); err != nil {
		d.fail(err)
	}
	return v
}

func bytesOf(text string, raw []byte) []byte {
	if raw != nil {
		return raw
	}
	if text == "" {
		return nil
	}
	return []byte(text)
}

func (d *decoder) list(field string, text []string, raw [][]byte) [][]byte {
	if raw != nil {
		if len(text) > 0 && len(text) != len(raw) {
			d.fail(badPlan(field+"Bytes", "has %d entries where %s has %d", len(raw), field, len(text)))
		}
		return raw
	}
	var out [][]byte
	for _, s := range text {
		out = append(out, []byte(s))
	}
	return out
}

func (d *decoder) plan(path string, w *planJSON, depth int) Plan {
	if depth > MaxNesting {
		d.fail(badPlan(path, "nested deeper than %d plans", MaxNesting))
		return Plan{}
	}
	p := Plan{
		Source: bytesOf(w.Source, w.SourceBytes),
		Shell:  d.shell(fieldPath(path, "shell"), &w.Shell),
		Start:  bytesOf(w.Start, w.StartBytes),
		Opaque: d.opaque(fieldPath(path, "opaque"), w.Opaque),
	}
	for i := range w.Segments {
		p.Segments = append(p.Segments, d.segment(fmt.Sprintf("%s[%d]", fieldPath(path, "segments"), i), &w.Segments[i]))
	}
	for i := range w.Nested {
		n := &w.Nested[i]
		sub := d.plan(fmt.Sprintf("%s[%d].plan", fieldPath(path, "nested"), i), &n.Plan, depth+1)
		p.Nested = append(p.Nested, Nested{Segment: n.Segment, How: n.How, Plan: sub})
	}
	return p
}

func (d *decoder) shell(path string, w *shellJSON) Shell {
	unknown := LocaleUnknown
	return Shell{
		Dialect: decodeEnum(d, path+".dialect", w.Dialect, dialectNames, nil),
		Version: w.Version,
		Locale:  decodeEnum(d, path+".locale", w.Locale, localeNames, &unknown),
		Glob:    d.glob(path+".glob", w.Glob),
	}
}

func (d *decoder) glob(path string, names []string) Glob {
	var g Glob
next:
	for i, s := range names {
		for _, n := range globNames {
			if n.name == s {
				g |= n.bit
				continue next
			}
		}
		d.fail(badPlan(fmt.Sprintf("%s[%d]", path, i), "%q is no option of pathname expansion", s))
	}
	return g
}

func (d *decoder) segment(path string, w *segmentJSON) Segment {
	maybe := ReachMaybe
	s := Segment{
		Command: w.Command, OwnEnv: w.OwnEnv, Moved: w.Moved, Span: w.Span, CwdUnknown: w.CwdUnknown,
		Reach:  decodeEnum(d, path+".reach", w.Reach, reachNames, &maybe),
		Opaque: d.opaque(path+".opaque", w.Opaque),
	}
	for _, word := range w.Argv {
		var known Argument
		if word.Text != nil {
			known = Argument{Text: *word.Text, Known: true}
		}
		s.Argv = append(s.Argv, known)
	}
	for i := range w.Candidates {
		s.Candidates = append(s.Candidates, d.candidate(fmt.Sprintf("%s.candidates[%d]", path, i), &w.Candidates[i]))
	}
	for i := range w.Cwds {
		c := Cwd{Steps: d.steps(fmt.Sprintf("%s.cwds[%d].steps", path, i), w.Cwds[i].Steps)}
		for j, f := range w.Cwds[i].Failed {
			c.Failed = append(c.Failed, d.steps(fmt.Sprintf("%s.cwds[%d].failed[%d]", path, i, j), f))
		}
		s.Cwds = append(s.Cwds, c)
	}
	for i := range w.Effects {
		s.Effects = append(s.Effects, d.effect(fmt.Sprintf("%s.effects[%d]", path, i), &w.Effects[i]))
	}
	for i := range w.Checks {
		s.Checks = append(s.Checks, d.check(fmt.Sprintf("%s.checks[%d]", path, i), &w.Checks[i]))
	}
	return s
}

func (d *decoder) word(path string, w *wordJSON) Word {
	out := Word{Raw: bytesOf(w.Raw, w.RawBytes), Pattern: w.Pattern, Glob: d.glob(path+".glob", w.Glob)}
	for i := range len(w.Mask) {
		switch w.Mask[i] {
		case 'q':
			out.Mask = append(out.Mask, MaskQuoted)
		case 'a':
			out.Mask = append(out.Mask, MaskActive)
		default:
			d.fail(badPlan(path+".mask", "the letter %q at %d is neither q (quoted) nor a (active)", w.Mask[i], i))
			return out
		}
	}
	return out
}

func (d *decoder) candidate(path string, w *candidateJSON) Candidate {
	explicit, follow := Explicit, LinksFollow
	c := Candidate{
		Word:       d.word(path, &w.wordJSON),
		Kind:       decodeEnum(d, path+".kind", w.Kind, kindNames, nil),
		Access:     decodeEnum(d, path+".access", w.Access, accessNames, nil),
		NoFollow:   w.NoFollow,
		DirOnly:    w.DirOnly,
		Parents:    w.Parents,
		Chdir:      d.steps(path+".chdir", w.Chdir),
		OptionSafe: w.OptionSafe,
		Resplit:    w.Resplit,
		Script:     w.Script,
		Implicit:   decodeEnum(d, path+".implicit", w.Implicit, implicitNames, &explicit),
		Names:      d.list(path+".names", w.Names, w.NamesBytes),
		Text:       bytesOf(w.Text, w.TextBytes),
		Span:       w.Span,
	}
	if t := w.Traversal; t != nil {
		links := decodeEnum(d, path+".traversal.links", t.Links, linksNames, &follow)
		c.Traversal = &Traversal{
			FollowRoot: t.FollowRoot, Links: links, MaxDepth: t.MaxDepth,
			Hidden: t.Hidden, DirsOnly: t.DirsOnly,
		}
		if t.Match != nil {
			m := d.word(path+".traversal.match", t.Match)
			c.Traversal.Match = &m
		}
		for i := range t.Skips {
			at := fmt.Sprintf("%s.traversal.skips[%d]", path, i)
			what := decodeEnum(d, at+".what", t.Skips[i].What, skipNames, nil)
			c.Traversal.Skips = append(c.Traversal.Skips, Skip{d.word(at, &t.Skips[i].wordJSON), what})
		}
	}
	if t := w.Into; t != nil {
		c.Into = &Into{Always: t.Always, From: t.From, Names: d.list(path+".into.names", t.Names, t.NamesBytes)}
	}
	if r := w.Redirect; r != nil {
		c.Redirect = &Redirect{r.Op, r.Fd, r.OneMatch}
	}
	return c
}

func (d *decoder) steps(path string, list []cwdStepJSON) []CwdStep {
	var out []CwdStep
	logical := CwdLogical
	for i := range list {
		w, at := &list[i], fmt.Sprintf("%s[%d]", path, i)
		out = append(out, CwdStep{
			Word:   d.word(at, &w.wordJSON),
			Mode:   decodeEnum(d, at+".mode", w.Mode, cwdModeNames, &logical),
			CDPath: d.list(at+".cdPath", w.CDPath, w.CDPathBytes),
			Span:   w.Span,
		})
	}
	return out
}

func (d *decoder) effect(path string, w *effectJSON) Effect {
	e := Effect{
		Kind:      decodeEnum(d, path+".kind", w.Kind, effectNames, nil),
		Candidate: w.Candidate, From: w.From, VisibleFrom: w.VisibleFrom,
	}
	if w.TargetBytes != nil {
		e.Target = w.TargetBytes
	} else if w.Target != nil {
		e.Target = []byte(*w.Target)
	}
	return e
}

func (d *decoder) check(path string, w *checkJSON) Check {
	return Check{
		Kind:  decodeEnum(d, path+".kind", w.Kind, checkNames, nil),
		Chdir: d.steps(path+".chdir", w.Chdir),
		Hooks: w.Hooks, Keys: w.Keys, Attributes: w.Attributes, Span: w.Span,
		Files: d.list(path+".files", w.Files, w.FilesBytes),
	}
}

func (d *decoder) opaque(path string, list []opaqueJSON) []Opaque {
	var out []Opaque
	unstated, nothing := OpaqueUnstated, NeedNothing
	for i := range list {
		w := &list[i]
		out = append(out, Opaque{
			Code: decodeEnum(d, fmt.Sprintf("%s[%d].code", path, i), w.Code, opaqueNames, &unstated),
			Word: bytesOf(w.Word, w.WordBytes), Detail: w.Detail, Span: w.Span,
			Needs: decodeEnum(d, fmt.Sprintf("%s[%d].needs", path, i), w.Needs, needNames, &nothing),
		})
	}
	return out
}
