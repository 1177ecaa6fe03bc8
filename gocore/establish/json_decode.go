package establish

import (
	"errors"
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

func unesc(text string, raw []byte) string {
	if raw != nil {
		return string(raw)
	}
	return text
}

func unescList(text []string, raw [][]byte) []string {
	if raw == nil {
		return text
	}
	out := make([]string, 0, len(raw))
	for _, b := range raw {
		out = append(out, string(b))
	}
	return out
}

// unreadable is the error of a text that is not the JSON form of a value: under
// the code of the value in it that is at fault, if that has one.
func unreadable(code Code, err error) error {
	e := &Error{Code: code, Message: err.Error(), Err: err}
	var plan *shellplan.Error
	var own *Error
	switch {
	case errors.As(err, &plan):
		e.Code = Code(plan.Code)
	case errors.As(err, &own):
		e.Code = own.Code
	}
	var wrong *strictjson.Error
	if errors.As(err, &wrong) {
		e.Field, e.Message = wrong.Path, wrong.Message
	}
	return e
}

// UnmarshalJSON reads the JSON form back, as a caller hands it to Reestablish.
// The plan is validated; the shape must be the plan's.
func (e *Established) UnmarshalJSON(data []byte) error {
	var w establishedJSON
	if err := strictjson.Unmarshal(data, &w); err != nil {
		return unreadable(CodeBadEstablished, err)
	}
	if w.Plan == nil || w.Boundary == nil {
		return &Error{Code: CodeBadEstablished, Field: "plan", Message: "an establishment needs its plan and its boundary"}
	}
	out, err := w.value(w.Plan)
	if err != nil {
		return err
	}
	out.Boundary = *w.Boundary
	if err := out.fits(w.Plan); err != nil {
		return err
	}
	*e = *out
	return nil
}

func (w *bodyJSON) value(plan *shellplan.Plan) (*Established, error) {
	e := &Established{Plan: plan, LexicalOnly: w.LexicalOnly, CaseInsensitive: w.CaseInsensitive}
	e.ReadRoots, e.WriteRoots = rootsValue(w.ReadRoots), rootsValue(w.WriteRoots)
	e.DenyPaths, e.Homes = rootsValue(w.DenyPaths), rootsValue(w.Homes)
	for i := range w.Segments {
		var s Segment
		for j := range w.Segments[i].Resolutions {
			s.Resolutions = append(s.Resolutions, w.Segments[i].Resolutions[j].value())
		}
		for _, c := range w.Segments[i].Checks {
			s.Checks = append(s.Checks, Check{
				Check: c.Check, State: c.State, Detail: c.Detail,
				Files: unescList(c.Files, c.FilesBytes), Found: unescList(c.Found, c.FoundBytes),
			})
		}
		e.Segments = append(e.Segments, s)
	}
	if len(w.Nested) != len(plan.Nested) {
		return nil, &Error{Code: CodeBadEstablished, Field: "nested", Message: fmt.Sprintf("has %d entries for a plan of %d", len(w.Nested), len(plan.Nested))}
	}
	for i, n := range w.Nested {
		if n == nil {
			return nil, &Error{Code: CodeBadEstablished, Field: fmt.Sprintf("nested[%d]", i), Message: "is null"}
		}
		sub, err := n.value(&plan.Nested[i].Plan)
		if err != nil {
			return nil, err
		}
		e.Nested = append(e.Nested, sub)
	}
	return e, nil
}

func rootsValue(list []rootJSON) (out []Root) {
	for _, w := range list {
		out = append(out, Root{unesc(w.Spelling, w.SpellingBytes), unesc(w.Path, w.PathBytes), w.State, w.Reason})
	}
	return out
}

func (w *resolutionJSON) value() Resolution {
	r := Resolution{Candidate: w.Candidate, Cwd: w.Cwd, State: w.State, Reason: w.Reason, AfterOpaque: w.AfterOpaque}
	r.Detail = unesc(w.Detail, w.DetailBytes)
	for i := range w.Landings {
		l := &w.Landings[i]
		r.Landings = append(r.Landings, Landing{
			Path: unesc(l.Path, l.PathBytes), Tail: unesc(l.Tail, l.TailBytes), Access: l.Access,
			Kind: execenv.Kind(l.Kind), DotDotInTail: l.DotDotInTail, Member: l.Member, Listed: l.Listed,
			Stream: l.Stream, Name: unesc(l.Name, l.NameBytes), Hops: l.Hops,
		})
	}
	for _, t := range w.Subtrees {
		r.Subtrees = append(r.Subtrees, Subtree{unesc(t.Root, t.RootBytes), t.Access, t.FollowsLinks, t.Enumerated})
	}
	return r
}
