package establish

import (
	"bytes"
	"encoding/json"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// The JSON form. A path that is not UTF-8 is escaped for reading and travels
// whole in a sibling field named ...Bytes, in base64, which wins. Arrays stand
// in the order of the plan's; nested establishments carry no plan and no
// boundary of their own.

// establishedJSON is what is read; formJSON is the same as it is written.
type establishedJSON struct {
	Plan     *shellplan.Plan `json:"plan,omitempty"`
	Boundary *Boundary       `json:"boundary,omitempty"`
	bodyJSON
}

// formJSON holds plain values only: a value that writes itself would be read
// through once more at every level that it is nested in.
type formJSON struct {
	Plan     any           `json:"plan,omitempty"`
	Boundary *boundaryJSON `json:"boundary,omitempty"`
	bodyJSON
}

type bodyJSON struct {
	LexicalOnly     bool          `json:"lexicalOnly,omitempty"`
	CaseInsensitive bool          `json:"caseInsensitive,omitempty"`
	ReadRoots       []rootJSON    `json:"readRoots,omitempty"`
	WriteRoots      []rootJSON    `json:"writeRoots,omitempty"`
	DenyPaths       []rootJSON    `json:"denyPaths,omitempty"`
	Homes           []rootJSON    `json:"homes,omitempty"`
	Segments        []segmentJSON `json:"segments"`
	Nested          []*bodyJSON   `json:"nested,omitempty"`
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
	Resolutions []resolutionJSON `json:"resolutions,omitempty"`
	Checks      []checkJSON      `json:"checks,omitempty"`
}

type resolutionJSON struct {
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
	Path         string           `json:"path"`
	PathBytes    []byte           `json:"pathBytes,omitempty"`
	Tail         string           `json:"tail,omitempty"`
	TailBytes    []byte           `json:"tailBytes,omitempty"`
	Access       shellplan.Access `json:"access"`
	Kind         kindJSON         `json:"kind,omitzero"`
	DotDotInTail bool             `json:"dotDotInTail,omitempty"`
	Member       bool             `json:"member,omitempty"`
	Listed       bool             `json:"listed,omitempty"`
	Stream       bool             `json:"stream,omitempty"`
	Name         string           `json:"name,omitempty"`
	NameBytes    []byte           `json:"nameBytes,omitempty"`
	Hops         int              `json:"hops,omitempty"`
}

type subtreeJSON struct {
	Root         string           `json:"root"`
	RootBytes    []byte           `json:"rootBytes,omitempty"`
	Access       shellplan.Access `json:"access"`
	FollowsLinks bool             `json:"followsLinks,omitempty"`
	Enumerated   bool             `json:"enumerated,omitempty"`
}

type checkJSON struct {
	Check      int        `json:"check"`
	State      CheckState `json:"state"`
	Detail     string     `json:"detail,omitempty"`
	Files      []string   `json:"files,omitempty"`
	FilesBytes [][]byte   `json:"filesBytes,omitempty"`
	Found      []string   `json:"found,omitempty"`
	FoundBytes [][]byte   `json:"foundBytes,omitempty"`
}

// kindJSON is an execenv.Kind by name.
type kindJSON execenv.Kind

var kindNames = []string{"", "file", "dir", "link", "other"}

func (k kindJSON) MarshalText() ([]byte, error) {
	return []byte(strictjson.EnumName(kindNames, k)), nil
}

func (k *kindJSON) UnmarshalText(t []byte) error {
	return strictjson.ParseEnum("kind", kindNames, t, k)
}

func esc(s string) (string, []byte) { return shellplan.EscapeText([]byte(s)) }

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

// MarshalJSON writes the JSON form.
func (e *Established) MarshalJSON() ([]byte, error) { return e.JSON() }

// JSON writes the JSON form in one pass, without the escapes for HTML. It fails
// only on a plan that Validate refuses.
func (e *Established) JSON() (json.RawMessage, error) {
	w := formJSON{bodyJSON: *e.wire()}
	if e.Plan != nil {
		plan, err := e.Plan.JSONForm()
		if err != nil {
			return nil, err
		}
		w.Plan = plan
	}
	boundary := e.Boundary.wire()
	w.Boundary = &boundary
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(w); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// MarshalJSON writes the JSON form of one read.
func (r Resolution) MarshalJSON() ([]byte, error) { return json.Marshal(r.wire()) }

func (e *Established) wire() *bodyJSON {
	w := &bodyJSON{LexicalOnly: e.LexicalOnly, CaseInsensitive: e.CaseInsensitive, Segments: []segmentJSON{}}
	w.ReadRoots, w.WriteRoots = rootsWire(e.ReadRoots), rootsWire(e.WriteRoots)
	w.DenyPaths, w.Homes = rootsWire(e.DenyPaths), rootsWire(e.Homes)
	for i := range e.Segments {
		var s segmentJSON
		for j := range e.Segments[i].Resolutions {
			s.Resolutions = append(s.Resolutions, e.Segments[i].Resolutions[j].wire())
		}
		for _, c := range e.Segments[i].Checks {
			s.Checks = append(s.Checks, c.wire())
		}
		w.Segments = append(w.Segments, s)
	}
	for _, n := range e.Nested {
		w.Nested = append(w.Nested, n.wire())
	}
	return w
}

func (c Check) wire() checkJSON {
	w := checkJSON{Check: c.Check, State: c.State, Detail: c.Detail}
	w.Files, w.FilesBytes = escList(c.Files)
	w.Found, w.FoundBytes = escList(c.Found)
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

func (r *Resolution) wire() resolutionJSON {
	w := resolutionJSON{Candidate: r.Candidate, Cwd: r.Cwd, State: r.State, Reason: r.Reason, AfterOpaque: r.AfterOpaque}
	w.Detail, w.DetailBytes = esc(r.Detail)
	for i := range r.Landings {
		l := &r.Landings[i]
		j := landingJSON{
			Access: l.Access, Kind: kindJSON(l.Kind), DotDotInTail: l.DotDotInTail,
			Member: l.Member, Listed: l.Listed, Stream: l.Stream, Hops: l.Hops,
		}
		j.Path, j.PathBytes = esc(l.Path)
		j.Tail, j.TailBytes = esc(l.Tail)
		j.Name, j.NameBytes = esc(l.Name)
		w.Landings = append(w.Landings, j)
	}
	for _, t := range r.Subtrees {
		j := subtreeJSON{Access: t.Access, FollowsLinks: t.FollowsLinks, Enumerated: t.Enumerated}
		j.Root, j.RootBytes = esc(t.Root)
		w.Subtrees = append(w.Subtrees, j)
	}
	return w
}
