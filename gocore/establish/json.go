package establish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// The JSON form. A path that is not UTF-8 is escaped for reading and travels
// whole in a sibling field named ...Bytes, in base64, which wins. Arrays stand
// in the order of the plan's; nested establishments carry no plan and no
// boundary of their own.

type establishedJSON struct {
	Plan            *shellplan.Plan    `json:"plan,omitempty"`
	Boundary        *Boundary          `json:"boundary,omitempty"`
	LexicalOnly     bool               `json:"lexicalOnly,omitempty"`
	CaseInsensitive bool               `json:"caseInsensitive,omitempty"`
	ReadRoots       []rootJSON         `json:"readRoots,omitempty"`
	WriteRoots      []rootJSON         `json:"writeRoots,omitempty"`
	DenySeats       []rootJSON         `json:"denySeats,omitempty"`
	Homes           []rootJSON         `json:"homes,omitempty"`
	Segments        []segmentJSON      `json:"segments"`
	Nested          []*establishedJSON `json:"nested,omitempty"`
}

type rootJSON struct {
	Spelling      string `json:"spelling"`
	SpellingBytes []byte `json:"spellingBytes,omitempty"`
	Path          string `json:"path"`
	PathBytes     []byte `json:"pathBytes,omitempty"`
	State         State  `json:"state"`
	Reason        Reason `json:"reason,omitzero"`
}

type segmentJSON struct {
	Reads  []readJSON  `json:"reads,omitempty"`
	Checks []checkJSON `json:"checks,omitempty"`
}

type readJSON struct {
	Candidate   int           `json:"candidate"`
	Cwd         int           `json:"cwd"`
	State       State         `json:"state"`
	Reason      Reason        `json:"reason,omitzero"`
	Detail      string        `json:"detail,omitempty"`
	DetailBytes []byte        `json:"detailBytes,omitempty"`
	Landings    []landingJSON `json:"landings,omitempty"`
	Subtrees    []subtreeJSON `json:"subtrees,omitempty"`
	AfterOpaque bool          `json:"afterOpaque,omitempty"`
}

type landingJSON struct {
	Path         string         `json:"path"`
	PathBytes    []byte         `json:"pathBytes,omitempty"`
	Tail         string         `json:"tail,omitempty"`
	TailBytes    []byte         `json:"tailBytes,omitempty"`
	Seat         shellplan.Seat `json:"seat"`
	Kind         kindJSON       `json:"kind,omitzero"`
	DotDotInTail bool           `json:"dotDotInTail,omitempty"`
	Member       bool           `json:"member,omitempty"`
	Listed       bool           `json:"listed,omitempty"`
	Stream       bool           `json:"stream,omitempty"`
	Name         string         `json:"name,omitempty"`
	NameBytes    []byte         `json:"nameBytes,omitempty"`
	Hops         int            `json:"hops,omitempty"`
}

type subtreeJSON struct {
	Root         string         `json:"root"`
	RootBytes    []byte         `json:"rootBytes,omitempty"`
	Seat         shellplan.Seat `json:"seat"`
	FollowsLinks bool           `json:"followsLinks,omitempty"`
	Enumerated   bool           `json:"enumerated,omitempty"`
}

type checkJSON struct {
	Check      int        `json:"check"`
	State      CheckState `json:"state"`
	Detail     string     `json:"detail,omitempty"`
	Files      []string   `json:"files,omitempty"`
	FilesBytes [][]byte   `json:"filesBytes,omitempty"`
}

// kindJSON is an execenv.Kind by name.
type kindJSON execenv.Kind

var kindNames = []string{"", "file", "dir", "link", "other"}

func (k kindJSON) MarshalText() ([]byte, error) { return []byte(nameOf(kindNames, k)), nil }

func (k *kindJSON) UnmarshalText(t []byte) error { return parseName("kind", kindNames, t, k) }

func esc(s string) (string, []byte) { return shellplan.EscapeText([]byte(s)) }

func unesc(text string, raw []byte) string {
	if raw != nil {
		return string(raw)
	}
	return text
}

func escList(list []string) (text []string, raw [][]byte) {
	exact := true
	for _, s := range list {
		t, b := esc(s)
		text, raw = append(text, t), append(raw, []byte(s))
		exact = exact && b == nil
	}
	if exact {
		raw = nil
	}
	return text, raw
}

func unescList(text []string, raw [][]byte) []string {
	if raw == nil {
		return text
	}
	var out []string
	for _, b := range raw {
		out = append(out, string(b))
	}
	return out
}

// MarshalJSON writes the JSON form.
func (e *Established) MarshalJSON() ([]byte, error) { return json.Marshal(e.wire(true)) }

// MarshalJSON writes the JSON form of one read.
func (r Read) MarshalJSON() ([]byte, error) { return json.Marshal(r.wire()) }

func (e *Established) wire(top bool) *establishedJSON {
	w := &establishedJSON{LexicalOnly: e.LexicalOnly, CaseInsensitive: e.CaseInsensitive, Segments: []segmentJSON{}}
	if top {
		w.Plan, w.Boundary = e.Plan, &e.Boundary
	}
	w.ReadRoots, w.WriteRoots = rootsWire(e.ReadRoots), rootsWire(e.WriteRoots)
	w.DenySeats, w.Homes = rootsWire(e.DenySeats), rootsWire(e.Homes)
	for i := range e.Segments {
		var s segmentJSON
		for j := range e.Segments[i].Reads {
			s.Reads = append(s.Reads, e.Segments[i].Reads[j].wire())
		}
		for _, c := range e.Segments[i].Checks {
			s.Checks = append(s.Checks, c.wire())
		}
		w.Segments = append(w.Segments, s)
	}
	for _, n := range e.Nested {
		w.Nested = append(w.Nested, n.wire(false))
	}
	return w
}

func (c Check) wire() checkJSON {
	w := checkJSON{Check: c.Check, State: c.State, Detail: c.Detail}
	w.Files, w.FilesBytes = escList(c.Files)
	return w
}

func rootsWire(list []Root) (out []rootJSON) {
	for _, r := range list {
		w := rootJSON{State: r.State, Reason: r.Reason}
		w.Spelling, w.SpellingBytes = esc(r.Spelling)
		w.Path, w.PathBytes = esc(r.Path)
		out = append(out, w)
	}
	return out
}

func (r *Read) wire() readJSON {
	w := readJSON{Candidate: r.Candidate, Cwd: r.Cwd, State: r.State, Reason: r.Reason, AfterOpaque: r.AfterOpaque}
	w.Detail, w.DetailBytes = esc(r.Detail)
	for i := range r.Landings {
		l := &r.Landings[i]
		j := landingJSON{
			Seat: l.Seat, Kind: kindJSON(l.Kind), DotDotInTail: l.DotDotInTail,
			Member: l.Member, Listed: l.Listed, Stream: l.Stream, Hops: l.Hops,
		}
		j.Path, j.PathBytes = esc(l.Path)
		j.Tail, j.TailBytes = esc(l.Tail)
		j.Name, j.NameBytes = esc(l.Name)
		w.Landings = append(w.Landings, j)
	}
	for _, t := range r.Subtrees {
		j := subtreeJSON{Seat: t.Seat, FollowsLinks: t.FollowsLinks, Enumerated: t.Enumerated}
		j.Root, j.RootBytes = esc(t.Root)
		w.Subtrees = append(w.Subtrees, j)
	}
	return w
}

// UnmarshalJSON reads the JSON form back, as a caller hands it to Reestablish.
// The plan is validated; the shape must be the plan's.
func (e *Established) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var w establishedJSON
	if err := dec.Decode(&w); err != nil {
		var plan *shellplan.Error
		var own *Error
		switch {
		case errors.As(err, &plan):
			return badPlan(plan)
		case errors.As(err, &own):
			return own
		}
		return &Error{Code: CodeBadEstablished, Message: fmt.Sprintf("not the JSON form of an establishment: %v", err), Err: err}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return &Error{Code: CodeBadEstablished, Message: "more text after the establishment"}
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

func (w *establishedJSON) value(plan *shellplan.Plan) (*Established, error) {
	e := &Established{Plan: plan, LexicalOnly: w.LexicalOnly, CaseInsensitive: w.CaseInsensitive}
	e.ReadRoots, e.WriteRoots = rootsValue(w.ReadRoots), rootsValue(w.WriteRoots)
	e.DenySeats, e.Homes = rootsValue(w.DenySeats), rootsValue(w.Homes)
	for i := range w.Segments {
		var s Segment
		for j := range w.Segments[i].Reads {
			s.Reads = append(s.Reads, w.Segments[i].Reads[j].value())
		}
		for _, c := range w.Segments[i].Checks {
			s.Checks = append(s.Checks, Check{c.Check, c.State, c.Detail, unescList(c.Files, c.FilesBytes)})
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

func (w *readJSON) value() Read {
	r := Read{Candidate: w.Candidate, Cwd: w.Cwd, State: w.State, Reason: w.Reason, AfterOpaque: w.AfterOpaque}
	r.Detail = unesc(w.Detail, w.DetailBytes)
	for i := range w.Landings {
		l := &w.Landings[i]
		r.Landings = append(r.Landings, Landing{
			Path: unesc(l.Path, l.PathBytes), Tail: unesc(l.Tail, l.TailBytes), Seat: l.Seat,
			Kind: execenv.Kind(l.Kind), DotDotInTail: l.DotDotInTail, Member: l.Member, Listed: l.Listed,
			Stream: l.Stream, Name: unesc(l.Name, l.NameBytes), Hops: l.Hops,
		})
	}
	for _, t := range w.Subtrees {
		r.Subtrees = append(r.Subtrees, Subtree{unesc(t.Root, t.RootBytes), t.Seat, t.FollowsLinks, t.Enumerated})
	}
	return r
}

type changeJSON struct {
	Changed       []movedJSON      `json:"changed"`
	ChangedRoots  []movedRootJSON  `json:"changedRoots"`
	ChangedChecks []movedCheckJSON `json:"changedChecks,omitempty"`
}

type movedJSON struct {
	Nested  []int    `json:"nested,omitempty"`
	Segment int      `json:"segment"`
	Before  readJSON `json:"before"`
	Now     readJSON `json:"now"`
}

type movedRootJSON struct {
	List   string   `json:"list"`
	Index  int      `json:"index"`
	Before rootJSON `json:"before"`
	Now    rootJSON `json:"now"`
}

type movedCheckJSON struct {
	Nested  []int     `json:"nested,omitempty"`
	Segment int       `json:"segment"`
	Now     checkJSON `json:"now"`
}

// MarshalJSON writes what moved; Now is a value of its own and left out.
func (c *Change) MarshalJSON() ([]byte, error) {
	w := changeJSON{Changed: []movedJSON{}, ChangedRoots: []movedRootJSON{}}
	for i := range c.Changed {
		m := &c.Changed[i]
		w.Changed = append(w.Changed, movedJSON{m.Nested, m.Segment, m.Before.wire(), m.Now.wire()})
	}
	for _, m := range c.ChangedRoots {
		both := rootsWire([]Root{m.Before, m.Now})
		w.ChangedRoots = append(w.ChangedRoots, movedRootJSON{m.List, m.Index, both[0], both[1]})
	}
	for _, m := range c.ChangedChecks {
		w.ChangedChecks = append(w.ChangedChecks, movedCheckJSON{m.Nested, m.Segment, m.Now.wire()})
	}
	return json.Marshal(w)
}
