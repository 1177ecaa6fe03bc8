package establish

import "encoding/json"

type changeJSON struct {
	Changed       []movedJSON      `json:"changed"`
	ChangedRoots  []movedRootJSON  `json:"changedRoots"`
	ChangedChecks []movedCheckJSON `json:"changedChecks,omitempty"`
}

type movedJSON struct {
	Nested  []int          `json:"nested,omitempty"`
	Segment int            `json:"segment"`
	Before  resolutionJSON `json:"before"`
	Now     resolutionJSON `json:"now"`
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
