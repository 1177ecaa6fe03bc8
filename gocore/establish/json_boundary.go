package establish

import (
	"encoding/json"

	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

type boundaryJSON struct {
	ReadRoots       []string `json:"readRoots,omitempty"`
	ReadRootsBytes  [][]byte `json:"readRootsBytes,omitempty"`
	WriteRoots      []string `json:"writeRoots,omitempty"`
	WriteRootsBytes [][]byte `json:"writeRootsBytes,omitempty"`
	DenyPaths       []string `json:"denyPaths,omitempty"`
	DenyPathsBytes  [][]byte `json:"denyPathsBytes,omitempty"`
	Home            string   `json:"home,omitempty"`
	HomeBytes       []byte   `json:"homeBytes,omitempty"`
	HomeViews       []string `json:"homeViews,omitempty"`
	HomeViewsBytes  [][]byte `json:"homeViewsBytes,omitempty"`
	RootsCanonical  bool     `json:"rootsCanonical,omitempty"`
	Cwd             string   `json:"cwd,omitempty"`
	CwdBytes        []byte   `json:"cwdBytes,omitempty"`
}

// MarshalJSON writes the JSON form.
func (b Boundary) MarshalJSON() ([]byte, error) { return json.Marshal(b.wire()) }

func (b *Boundary) wire() boundaryJSON {
	w := boundaryJSON{RootsCanonical: b.RootsCanonical}
	w.ReadRoots, w.ReadRootsBytes = escList(b.ReadRoots)
	w.WriteRoots, w.WriteRootsBytes = escList(b.WriteRoots)
	w.DenyPaths, w.DenyPathsBytes = escList(b.DenyPaths)
	w.HomeViews, w.HomeViewsBytes = escList(b.HomeViews)
	w.Home, w.HomeBytes = esc(b.Home)
	w.Cwd, w.CwdBytes = esc(b.Cwd)
	return w
}

// UnmarshalJSON reads the JSON form and validates it. An unknown field is an
// error: a misspelt root would silently be none.
func (b *Boundary) UnmarshalJSON(data []byte) error {
	var w boundaryJSON
	if err := strictjson.Unmarshal(data, &w); err != nil {
		return unreadable(CodeBadBoundary, err)
	}
	out := Boundary{
		ReadRoots:      unescList(w.ReadRoots, w.ReadRootsBytes),
		WriteRoots:     unescList(w.WriteRoots, w.WriteRootsBytes),
		DenyPaths:      unescList(w.DenyPaths, w.DenyPathsBytes),
		HomeViews:      unescList(w.HomeViews, w.HomeViewsBytes),
		Home:           unesc(w.Home, w.HomeBytes),
		Cwd:            unesc(w.Cwd, w.CwdBytes),
		RootsCanonical: w.RootsCanonical,
	}
	if err := out.Validate(); err != nil {
		return err
	}
	*b = out
	return nil
}
