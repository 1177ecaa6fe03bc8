package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/pattern"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// ancestors handles KindUpward: the files of given names in a directory and in each
// of its ancestors, as far as they exist.
func (o *operand) ancestors() error {
	dirs, err := o.paths(&o.c.Word, true)
	if err != nil || o.failed() {
		return err
	}
	for i := range dirs {
		d := &dirs[i].place
		if d.State == Unestablishable {
			o.add(*d, Landing{})
			return nil
		}
		if d.Path == "" {
			continue
		}
		isDir, err := o.isDir(d)
		if err != nil {
			return err
		}
		from := d.Dir("")
		if d.State == Canonical && !isDir {
			from.Base = resolve.Parent(from.Base)
		}
		from.Missing = nil // nothing is in a directory that is not there
		for dir := from.Base; ; dir = resolve.Parent(dir) {
			from.Base = dir
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
func (o *operand) ifThere(from *resolve.Dir, name string) error {
	h := o.how(false)
	p, err := o.resolve(from, name, h)
	if err != nil {
		return err
	}
	if p.State == AbsentTail && !o.seg.earlier.makes(p.Path) {
		return nil
	}
	if p.Kind == execenv.Link && o.follows() {
		h.Follow = true
		if p, err = o.resolve(from, name, h); err != nil {
			return err
		}
	}
	o.add(p, Landing{Access: o.c.Access, Name: name})
	return nil
}

// beside handles KindBeside: names that a program makes up in the directory of
// each path of the word. A `*` in them stays in the landing; where the program
// would write through a link of such a name, the links that are there are
// landings too.
func (o *operand) beside() error {
	paths, err := o.paths(&o.c.Word, false)
	if err != nil || o.failed() {
		return err
	}
	done := map[string]bool{}
	for i := range paths {
		word := strings.TrimRight(paths[i].spelled, "/")
		dir := word[:strings.LastIndexByte(word, '/')+1] + "."
		if done[dir] {
			continue
		}
		done[dir] = true
		p, err := o.resolve(&o.from, dir, o.how(true))
		if err != nil {
			return err
		}
		if p.State == Unestablishable {
			o.add(p, Landing{})
			return nil
		}
		if p.Path == "" {
			continue
		}
		for _, n := range o.c.Names {
			made := p
			made.Tail = strings.TrimPrefix(p.Tail+"/"+string(n), "/")
			made.Path, made.Kind = resolve.Join(p.Path, string(n)), execenv.Unknown
			if made.State == Canonical {
				made.State = AbsentTail
			}
			if o.add(made, Landing{Access: o.c.Access, Name: string(n)}); o.failed() {
				return nil
			}
		}
		if f := o.seg.earlier.meets(p.Path, o.fits); f != nil && o.follows() {
			o.fail(f)
			return nil
		}
		if o.c.Access == shellplan.AccessWrite && p.State == Canonical {
			if err := o.linksNamed(p.Path); err != nil || o.failed() {
				return err
			}
		}
	}
	return nil
}

// linksNamed reports where the links of a directory lead whose names fit.
func (o *operand) linksNamed(dir string) error {
	at, entries, err := o.lookThrough(dir)
	if err != nil || o.failed() {
		return err
	}
	for _, e := range entries {
		if e.Kind != execenv.Link && e.Kind != execenv.Unknown || !o.fits(e.Name) {
			continue
		}
		p, err := o.resolve(&at, e.Name, o.how(true))
		if err != nil {
			return err
		}
		if o.add(p, Landing{Access: o.c.Access, Name: e.Name}); o.failed() {
			return nil
		}
	}
	return nil
}

// fits reports whether a name is one of Names, in which only `*` is special.
func (o *operand) fits(name string) bool {
	for _, n := range o.c.Names {
		mask := make([]byte, len(n))
		for i, c := range n {
			if c == '*' {
				mask[i] = 1
			}
		}
		p, err := pattern.Compile(n, mask, pattern.Options{Dialect: pattern.Bash, Dot: true})
		if err != nil || p.Match(name) != pattern.No {
			return true
		}
	}
	return false
}
