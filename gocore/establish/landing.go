package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// land reports one path, and the walk below it when there is one.
func (o *operand) land(p *found) error {
	l := Landing{Access: o.c.Access}
	if p.matched {
		l.Name = p.spelled
	}
	if o.c.DirOnly && p.place.State == Canonical && !o.seg.earlier.loses() {
		isDir, err := o.isDir(&p.place)
		if err != nil {
			return err
		}
		if !isDir {
			l.Access = shellplan.AccessStat
		}
	}
	t := o.c.Traversal
	if t != nil {
		// What a walk starts from is asked for anyway; say it in the landing.
		if _, err := o.isDir(&p.place); err != nil {
			return err
		}
	}
	if t != nil && !o.takes(t, lastName(p.spelled)) {
		return o.besideRoot(p, t)
	}
	if o.add(p.place, l); o.failed() {
		return nil
	}
	if o.c.Access == shellplan.AccessTree {
		if err := o.replaced(p); err != nil || o.failed() {
			return err
		}
	}
	if t != nil {
		return o.walkBelow(p, t)
	}
	if o.c.Access == shellplan.AccessTree {
		// Without a walk of its own an extraction still writes below and
		// through the links that lie there.
		return o.walkBelow(p, &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksOpen, Hidden: true})
	}
	return nil
}

// replaced reports a link that stands at a path of AccessTree: what is copied or
// extracted there may be written through it or be put in its stead.
func (o *operand) replaced(p *found) error {
	if p.place.State == AbsentTail && p.place.Hops == 0 {
		return nil // nothing is there, and no link led there
	}
	e, err := o.resolve(&o.from, p.spelled, o.how(false))
	if err != nil {
		return err
	}
	if e.Kind == execenv.Link || e.State == Unestablishable {
		o.add(e, Landing{Access: shellplan.AccessEntry, Member: p.mirrored})
	}
	return nil
}

// besideRoot walks below a root that the filter of the walk does not take: it is
// listed, and nothing else happens to it. A place without an answer ends the
// operand all the same.
func (o *operand) besideRoot(p *found, t *shellplan.Traversal) error {
	n := len(o.out.Landings)
	if o.add(p.place, Landing{Access: shellplan.AccessStat}); o.failed() {
		return nil
	}
	isDir, err := o.isDir(&p.place)
	if err != nil {
		return err
	}
	if isDir && o.c.Access == shellplan.AccessRead {
		o.out.Landings = o.out.Landings[:n]
		o.listed(p.place.Path)
	}
	return o.walkBelow(p, t)
}

// add reports a place as a landing. A place without an answer ends the operand.
func (o *operand) add(p resolve.Place, l Landing) {
	// Only what is done to an entry itself, and no walk below it, is the same
	// when another one is put in its stead.
	p.Entry = p.Entry && (o.c.Access == shellplan.AccessEntry || o.c.Access == shellplan.AccessStat) && o.c.Traversal == nil
	o.compare((1 + len(p.Passed.Entries) + len(p.Passed.Links)) * o.seg.earlier.size())
	if p.State != Unestablishable && o.seg.earlier.touches(p, &o.from) {
		p = resolve.Place{Reason: MutatedEarlier, Detail: p.Path}
	}
	if p.State == AbsentTail && p.Reason == PathTooLong && (o.c.Access == shellplan.AccessEntry || o.c.Access == shellplan.AccessTree) {
		// mkdir -p makes a long path piece by piece.
		p = resolve.Place{Reason: PathTooLong}
	}
	if p.State == Unestablishable {
		f := failure{p.Reason, p.Detail}
		if f.reason == NoReason {
			f.reason = NoAuthoritativeAnswer
		}
		o.fail(&f)
		return
	}
	l.Path, l.Tail, l.DotDotInTail, l.Stream, l.Hops = p.Path, p.Tail, p.DotDot, p.Stream, p.Hops
	if p.Kind <= execenv.Other {
		l.Kind = p.Kind
	}
	o.out.Landings = append(o.out.Landings, l)
	if o.c.Parents {
		for _, dir := range p.Made {
			if dir != p.Path {
				o.out.Landings = append(o.out.Landings, Landing{
					Path: dir, Tail: dir[strings.LastIndexByte(dir, '/')+1:], Access: l.Access, Member: true,
				})
			}
		}
	}
	if p.State < o.out.State {
		o.out.State, o.out.Reason, o.out.Detail = p.State, p.Reason, p.Detail
	}
}

// isDir asks what is at a place, when nobody did yet.
func (r *run) isDir(p *resolve.Place) (bool, error) {
	if p.State != Canonical || p.Path == "" || p.Stream {
		return false, nil
	}
	if p.Kind == execenv.Unknown {
		k, err := r.env.Lstat(r.ctx, p.Path)
		if err != nil {
			return false, r.gone(err)
		}
		p.Kind = k
	}
	return p.Kind == execenv.Dir, nil
}
