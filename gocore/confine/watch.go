package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// maxWatched bounds the files that are looked at before and after: a folder of an
// agent can hold a history.
const maxWatched = 2000

// State is how the guarded places were at one time: path and stamp.
type State map[string]string

// Look notes how the guarded places are. Contents are not read: the time of a
// change cannot be set by a program.
func (p *Plan) Look() State {
	state := State{}
	for _, place := range p.Watched {
		_ = filepath.WalkDir(place, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // it cannot be looked at, by the program neither
			}
			if len(state) >= maxWatched {
				return filepath.SkipAll
			}
			if info, err := os.Lstat(name); err == nil {
				state[name] = stamp(info)
			}
			return nil
		})
	}
	return state
}

// Changed names what is new or other than before, at most maxTold, and how many
// more there are.
func (s State) Changed(after State) (changed []string, more int) {
	const maxTold = 10 // a reader wants to know that, and where to look
	for name, now := range after {
		if s[name] != now {
			changed = append(changed, name)
		}
	}
	for name := range s {
		if _, there := after[name]; !there {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	if len(changed) > maxTold {
		return changed[:maxTold], len(changed) - maxTold
	}
	return changed, 0
}
