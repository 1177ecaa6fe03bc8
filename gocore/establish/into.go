package establish

import (
	"strings"
)

// into applies the rule of cp, mv, ln and install: a destination that leads to
// a directory, links followed, means the directory joined with the last
// component of each source. What the destination is, is known only now.
func (o *operand) into(dests []found) ([]found, error) {
	names, err := o.sourceNames()
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
		isDir, err := o.isDir(&dir)
		if err != nil {
			return nil, err
		}
		switch {
		case dir.state == Unestablishable:
			out = append(out, found{dir, d.spelled, d.matched})
			continue
		case dir.state == Canonical && !isDir:
			// No directory: the word itself is the destination.
			if d, err = o.itself(d); err != nil {
				return nil, err
			}
			out = append(out, d)
			continue
		case !isDir:
			// It does not exist now. It may be made a directory by an
			// earlier segment, so both readings hold.
			if d, err = o.itself(d); err != nil {
				return nil, err
			}
			out = append(out, d)
		}
		if dir.path == "" {
			continue
		}
		below := dir.asSpot("")
		for _, n := range names {
			p, err := o.resolve(&below, n, o.how(o.follows()))
			if err != nil {
				return nil, err
			}
			p.passed.entries = append(p.passed.entries, dir.passed.entries...)
			p.passed.links = append(p.passed.links, dir.passed.links...)
			out = append(out, found{p, d.spelled + "/" + n, false})
		}
	}
	return out, nil
}

// itself is the destination as a word at the candidate's seat.
func (o *operand) itself(d found) (found, error) {
	p, err := o.resolve(&o.from, d.spelled, o.how(o.follows()))
	return found{p, d.spelled, d.matched}, err
}

// sourceNames are the last components of all sources, as the command sees them.
func (o *operand) sourceNames() ([]string, error) {
	var names []string
	for _, n := range o.c.Into.Names {
		names = append(names, lastName(string(n)))
	}
	for _, i := range o.c.Into.From {
		src := &o.seg.plan.Candidates[i]
		if !src.Pattern {
			names = append(names, lastName(string(src.Raw)))
			continue
		}
		b := budget{bounds: o.bounds}
		ex, f, err := o.expand(&o.from, &src.Word, o.seg.shell, how{record: o.record, fds: o.how(false).fds}, &b, o.seg.past)
		if err != nil {
			return nil, err
		}
		if f != nil {
			o.fail(f)
			return nil, nil
		}
		for _, m := range ex.found {
			names = append(names, lastName(m.spelled))
		}
		if ex.literal {
			names = append(names, lastName(string(src.Raw)))
		}
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
