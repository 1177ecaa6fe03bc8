package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// destinations applies the rule of cp, mv, ln and install: a destination that leads to
// a directory, links followed, means the directory joined with the last
// component of each source. What the destination is, is known only now.
//
// Long because what the destination is (nobody knows, no directory, a directory, not
// there yet) and whether names may be gone by then decide together which paths hold.
func (o *operand) destinations(dests []found) ([]found, error) {
	sources, err := o.sources()
	if err != nil || o.failed() {
		return nil, err
	}
	var out []found
	for _, d := range dests {
		// With NoFollow (ln -n) a link is no directory.
		dir, err := o.resolve(&o.from, d.spelled, o.how(!o.c.NoFollow))
		if err != nil {
			return nil, err
		}
		// The program looks where the destination leads before it names it,
		// and an earlier segment may have made it lead to a directory.
		if dir.State != Unestablishable && o.seg.earlier.touches(dir, &o.from) {
			o.fail(&failure{MutatedEarlier, dir.Path})
			return nil, nil
		}
		isDir, err := o.isDir(&dir)
		if err != nil {
			return nil, err
		}
		// Where names may be gone, what is no directory may be one by then,
		// and the other way round.
		loses := o.seg.earlier.loses()
		switch {
		case dir.State == Unestablishable:
			out = append(out, found{place: dir, spelled: d.spelled, matched: d.matched})
			continue
		case dir.State == Canonical && !isDir:
			// No directory: the word itself is the destination.
			if d, err = o.itself(d); err != nil {
				return nil, err
			}
			out = append(out, d)
			if !loses {
				continue
			}
		case isDir && loses && !o.c.Into.Always:
			self, err := o.itself(d)
			if err != nil {
				return nil, err
			}
			out = append(out, self)
		case !isDir:
			// It does not exist now: it is the destination itself, unless
			// an earlier segment makes a directory of it. Both hold then.
			if d, err = o.itself(d); err != nil {
				return nil, err
			}
			out = append(out, d)
			for _, s := range sources {
				if err := o.mirror(&out, d, d.spelled, s.below); err != nil {
					return nil, err
				}
			}
			if o.alone && !o.c.Parents {
				continue
			}
		}
		if dir.Path == "" {
			continue
		}
		below := dir.Dir("")
		if dir.State == Canonical && !isDir {
			at := strings.LastIndexByte(dir.Path, '/')
			below = resolve.Dir{Base: resolve.Parent(dir.Path), Missing: []string{dir.Path[at+1:]}, State: AbsentTail}
		}
		for _, s := range sources {
			p, err := o.resolve(&below, s.name, o.how(o.follows()))
			if err != nil {
				return nil, err
			}
			p.Passed.Entries = append(p.Passed.Entries, dir.Passed.Entries...)
			p.Passed.Links = append(p.Passed.Links, dir.Passed.Links...)
			at := found{place: p, spelled: d.spelled + "/" + s.name}
			out = append(out, at)
			if err := o.mirror(&out, at, at.spelled, s.below); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// mirror adds what a copied tree makes below its destination: each member of the
// source at the same place.
func (o *operand) mirror(out *[]found, at found, spelled string, below []string) error {
	if len(below) == 0 || at.place.Path == "" || at.place.State == Unestablishable {
		return nil
	}
	from := at.place.Dir("")
	for _, rel := range below {
		p, err := o.resolve(&from, rel, o.how(true))
		if err != nil {
			return err
		}
		p.Passed.Entries = append(p.Passed.Entries, at.place.Passed.Entries...)
		p.Passed.Links = append(p.Passed.Links, at.place.Passed.Links...)
		*out = append(*out, found{place: p, spelled: spelled + "/" + rel, mirrored: true})
	}
	return nil
}

// itself is the destination as a word with the candidate's access.
func (o *operand) itself(d found) (found, error) {
	p, err := o.resolve(&o.from, d.spelled, o.how(o.follows()))
	return found{place: p, spelled: d.spelled, matched: d.matched}, err
}

// source is one thing that is copied or moved.
type source struct {
	// name is its last component, as the command sees it.
	name string
	// below are the members of its tree, from it on, when the destination
	// mirrors them.
	below []string
}

// sources are the sources of the destination.
func (o *operand) sources() ([]source, error) {
	var out []source
	for _, n := range o.c.Into.Names {
		out = append(out, source{name: lastName(string(n))})
	}
	for _, i := range o.c.Into.From {
		// The source is established on its own as well; here it only says
		// its names, against a budget of its own.
		src := &operand{run: o.run, seg: o.seg, c: &o.seg.plan.Candidates[i], from: o.from, shell: o.shell, record: o.record}
		src.budget = budget{bounds: o.bounds}
		src.out.State = Canonical
		paths, err := src.paths(&src.c.Word, src.follows())
		if err != nil {
			return nil, err
		}
		if src.failed() {
			o.fail(&failure{src.out.Reason, src.out.Detail})
			return nil, nil
		}
		for _, p := range paths {
			if src.c.Traversal != nil && o.c.Access != shellplan.AccessTree {
				// Every name that the walk meets is a source of its own.
				names, err := src.walkNames(&p)
				if err != nil {
					return nil, err
				}
				if src.failed() {
					o.fail(&failure{src.out.Reason, src.out.Detail})
					return nil, nil
				}
				for _, n := range names[1:] {
					out = append(out, source{name: lastName(n)})
				}
			}
			s := source{name: lastName(p.spelled)}
			if o.c.Access == shellplan.AccessTree && src.c.Traversal != nil {
				if s.below, err = src.members(&p); err != nil {
					return nil, err
				}
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// members are the names below a source. Where they cannot be enumerated there
// are none: the destination is then known by its root alone.
func (o *operand) members(p *found) ([]string, error) {
	isDir, err := o.isDir(&p.place)
	if err != nil || !isDir {
		return nil, err
	}
	var names []string
	if f, err := o.enumerate(p, o.c.Traversal, &names); f != nil || err != nil {
		return nil, err
	}
	root := strings.TrimSuffix(p.spelled, "/") + "/"
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], root)
	}
	return names, nil
}

// lastName is the last component of a source, slashes at its end removed. A
// source that ends in `.` or `..` means the directory itself.
func lastName(word string) string {
	word = strings.TrimRight(word, "/")
	name := word[strings.LastIndexByte(word, '/')+1:]
	if name == "" {
		return "."
	}
	return name
}
