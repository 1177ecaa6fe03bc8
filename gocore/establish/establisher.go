package establish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Establisher establishes plans in one environment against one boundary. It is
// safe for concurrent use. The boundary's paths are resolved once per instance;
// nothing else is kept between calls.
type Establisher struct {
	env      execenv.Env
	boundary Boundary
	bounds   bounds
	work     int // tests set another budget than maxWork

	mu    sync.Mutex
	roots *roots
}

// roots are the boundary's paths where they lead.
type roots struct{ read, write, deny, homes []Root }

// New checks the boundary; it asks the environment nothing. The error is an
// *Error with CodeBadBoundary.
func New(env execenv.Env, b Boundary) (*Establisher, error) {
	if env == nil {
		return nil, &Error{Code: CodeBadBoundary, Message: "an establisher needs an environment; use Lexically without one"}
	}
	if err := b.Validate(); err != nil {
		return nil, err
	}
	return &Establisher{env: env, boundary: b, bounds: defaultBounds}, nil
}

// LexicalOnly reports whether the environment is isolated, so that paths are
// judged by their spelling and it is asked nothing.
func (e *Establisher) LexicalOnly() bool { return e.env.Capabilities().Isolated }

// Establish says where every candidate of the plan and of its nested plans
// lands now. The error is an *Error: CodeBadPlan for a malformed plan,
// CodeAborted when the context ended; there is no partial answer.
func (e *Establisher) Establish(ctx context.Context, plan *shellplan.Plan) (*Established, error) {
	if err := checkPlan(plan, &e.boundary); err != nil {
		return nil, err
	}
	if e.LexicalOnly() {
		out := lexically(plan, &e.boundary)
		out.CaseInsensitive = e.env.Capabilities().CaseInsensitive
		return out, nil
	}
	e.mu.Lock()
	resolved := e.roots
	e.mu.Unlock()
	if resolved == nil {
		var err error
		if resolved, err = e.resolveRoots(ctx); err != nil {
			return nil, err
		}
		e.mu.Lock()
		e.roots = resolved
		e.mu.Unlock()
	}
	return e.establish(ctx, plan, resolved)
}

func (e *Establisher) establish(ctx context.Context, plan *shellplan.Plan, at *roots) (*Established, error) {
	b := e.boundary
	if b.Cwd == "" {
		b.Cwd = string(plan.Start)
	}
	r := newRun(ctx, e.env, &b, e.bounds)
	defer r.giveUp()
	r.left = cmp.Or(e.work, maxWork)
	r.paths.Streams = streamsOf(plan)
	r.outermost = plan
	r.alone = len(plan.Segments) == 1 && len(plan.Nested) == 0
	out, err := r.plan(plan)
	if err != nil {
		return nil, err
	}
	made := madeIn(plan, out)
	if effects(plan) > maxEarlier || len(made) > maxEarlier && hasNames(plan) {
		err = r.crowded(plan, out)
	} else {
		_, err = r.again(plan, out, &earlier{}, made)
	}
	if err != nil {
		return nil, err
	}
	if looks(plan) {
		r.distrust(plan, out, writtenBy(plan, out))
	}
	if err := ctx.Err(); err != nil {
		return nil, aborted(ctx, err)
	}
	out.Boundary = e.boundary
	out.CaseInsensitive = r.caps.CaseInsensitive
	out.ReadRoots, out.WriteRoots, out.DenyPaths, out.Homes = at.read, at.write, at.deny, at.homes
	return out, nil
}

// answer is segment, or no answer when the work is used up.
func (r *run) answer(p *shellplan.Plan, i int, before *earlier) (Segment, error) {
	if r.exhausted() {
		return withoutAnswer(&p.Segments[i]), nil
	}
	s, err := r.segment(p, i, before)
	if err != nil && r.exhausted() && r.caller.Err() == nil {
		return withoutAnswer(&p.Segments[i]), nil
	}
	return s, err
}

// plan establishes a plan and what is nested in it as the file system is.
func (r *run) plan(p *shellplan.Plan) (*Established, error) {
	out := &Established{Plan: p}
	for i := range p.Segments {
		s, err := r.answer(p, i, nil)
		if err != nil {
			return nil, err
		}
		out.Segments = append(out.Segments, s)
	}
	for i := range p.Nested {
		n, err := r.plan(&p.Nested[i].Plan)
		if err != nil {
			return nil, err
		}
		out.Nested = append(out.Nested, n)
	}
	return out, nil
}

// resolveRoots asks where the paths of the boundary lead.
func (e *Establisher) resolveRoots(ctx context.Context) (*roots, error) {
	r := newRun(ctx, e.env, &e.boundary, e.bounds)
	defer r.giveUp()
	below, err := newHomeCache(r)
	if err != nil {
		return nil, err
	}
	out := &roots{}
	for _, l := range []struct {
		from      []string
		to        *[]Root
		canonical bool
	}{
		{e.boundary.ReadRoots, &out.read, e.boundary.RootsCanonical},
		{e.boundary.WriteRoots, &out.write, e.boundary.RootsCanonical},
		{e.boundary.DenyPaths, &out.deny, false},
		{e.boundary.homes(), &out.homes, false},
	} {
		for _, s := range l.from {
			root := Root{Spelling: s, Path: trimSlash(s), State: Canonical}
			if !l.canonical {
				p, err := below.resolve(s)
				if err != nil {
					return nil, err
				}
				root.Path, root.State, root.Reason = p.Path, p.State, p.Reason
				if p.Path == "" {
					root.Path, root.State = trimSlash(s), Unestablishable
				}
			}
			*l.to = append(*l.to, root)
		}
	}
	if err := r.alive(); err != nil {
		return nil, err
	}
	return out, nil
}

// trimSlash takes the slashes at the end of a path away.
func trimSlash(p string) string {
	for len(p) > 1 && p[len(p)-1] == '/' {
		p = p[:len(p)-1]
	}
	return p
}

func checkPlan(plan *shellplan.Plan, b *Boundary) error {
	if plan == nil {
		return badPlan(errors.New("there is no plan"))
	}
	if err := plan.Validate(); err != nil {
		return badPlan(err)
	}
	if s := string(plan.Start); s != "" && b.Cwd != "" && s != b.Cwd {
		return &Error{
			Code: CodeBadPlan, Field: "start",
			Message: fmt.Sprintf("the plan starts in %q and the boundary in %q; give one, or the same", s, b.Cwd),
		}
	}
	return nil
}
