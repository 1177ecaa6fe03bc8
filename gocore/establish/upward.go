package establish

import (
	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// upward handles KindUpward: the files of given names in a directory and in each
// of its ancestors, as far as they exist.
func (o *operand) upward() error {
	dirs, err := o.paths(&o.c.Word, true)
	if err != nil || o.failed() {
		return err
	}
	for i := range dirs {
		d := &dirs[i].place
		if d.state == Unestablishable {
			o.add(*d, Landing{})
			return nil
		}
		if d.path == "" {
			continue
		}
		from := d.asSpot("")
		from.missing = nil // nothing is in a directory that is not there
		for dir := from.dir; ; dir = parent(dir) {
			from.dir = dir
			for _, n := range o.c.Names {
				if err := o.ifThere(&from, string(n)); err != nil || o.failed() {
					return err
				}
			}
			if dir == "/" {
				break
			}
		}
	}
	return nil
}

// ifThere reports a name below a directory when it exists.
func (o *operand) ifThere(from *spot, name string) error {
	h := o.how(false)
	p, err := o.resolve(from, name, h)
	if err != nil {
		return err
	}
	if p.state == AbsentTail {
		return nil
	}
	if p.kind == execenv.Link && o.follows() {
		h.follow = true
		if p, err = o.resolve(from, name, h); err != nil {
			return err
		}
	}
	o.add(p, Landing{Seat: o.c.Seat, Name: name})
	return nil
}
