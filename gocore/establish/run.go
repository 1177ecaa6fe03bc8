package establish

import (
	"context"
	"math"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// run is one call of Establish. It ends with the call: nothing in it outlives
// the answer.
type run struct {
	ctx      context.Context
	env      execenv.Env
	caps     execenv.Capabilities
	boundary *Boundary
	// alone: the text is a single command, so nothing is made before it.
	alone bool
	// outermost is the plan that holds all others.
	outermost *shellplan.Plan
	paths     *resolve.Resolver
	asked     []rest
	readings  int
	landings  int
	bounds    bounds

	// files is nil where files cannot be read; runs where nobody can tell whether
	// one is executable.
	files execenv.FileReader
	runs  execenv.Executability
	// left is the work that is left; past it giveUp ends the call's questions.
	left, compared int
	giveUp         context.CancelFunc
	// caller is the context of the call; ctx ends with the work, too.
	caller context.Context
}

// rest is one path that the answer of a check rests on.
type rest struct {
	check *shellplan.Check
	path  string
	// below: what is made below the path counts as well.
	below bool
}

// bounds are the exported bounds; tests of what happens past them set small
// ones.
type bounds struct{ dirs, matches, scan int }

var defaultBounds = bounds{MaxGlobDirs, MaxGlobMatches, MaxScan}

// budget counts what one operand spends.
type budget struct {
	bounds
	dirsUsed, scanned int
	members           int
}

// resolve finds where a word leads from a directory.
func (r *run) resolve(from *resolve.Dir, word string, o resolve.Options) (resolve.Place, error) {
	p, err := r.paths.Resolve(r.ctx, from, word, o)
	if err != nil {
		return p, aborted(r.ctx, err)
	}
	return p, nil
}

func newRun(ctx context.Context, env execenv.Env, b *Boundary, lim bounds) *run {
	r := &run{caller: ctx, caps: env.Capabilities(), boundary: b, bounds: lim, left: math.MaxInt}
	r.ctx, r.giveUp = context.WithCancel(ctx)
	r.env = metered{env, r}
	if links, ok := env.(execenv.LinkReader); ok {
		r.env = meteredLinks{metered{env, r}, links}
	}
	if files, ok := env.(execenv.FileReader); ok {
		r.files = meteredFiles{files, r}
	}
	r.runs, _ = env.(execenv.Executability)
	r.paths = resolve.New(r.env)
	return r
}

// gone reports whether the call was given up; the error of a question asked
// after that says nothing about the file system.
func (r *run) gone(err error) error {
	if execenv.Cancelled(r.ctx, err) {
		return aborted(r.ctx, err)
	}
	return nil
}

// alive is asked between operands, so that a long plan ends soon too.
func (r *run) alive() error {
	if err := r.ctx.Err(); err != nil {
		return aborted(r.ctx, err)
	}
	return nil
}

// failure ends an operand with a reason and without landings.
type failure struct {
	reason Reason
	detail string
}

// list reads a directory against an operand's budget. ok is false with a nil
// failure when the path is no directory (any more).
func (r *run) list(dir string, b *budget, most int) (entries []execenv.DirEntry, ok bool, f *failure, err error) {
	if b.dirsUsed >= b.dirs {
		return nil, false, &failure{CapDirs, dir}, nil
	}
	if r.left < keptWork {
		return nil, false, &failure{CapWork, dir}, nil
	}
	left := b.scan - b.scanned
	limit := min(left, most)
	entries, e := r.env.ListDir(r.ctx, dir, limit)
	if e != nil {
		if err := r.gone(e); err != nil {
			return nil, false, nil, err
		}
		switch execenv.ProblemOf(e) {
		case execenv.NotExist, execenv.NotDir:
			return nil, false, nil, nil
		}
		return nil, false, &failure{UnreadableDir, dir}, nil
	}
	b.dirsUsed++ // of those that are not there the work counts
	b.scanned += len(entries)
	if len(entries) > limit {
		if limit == left {
			return nil, false, &failure{CapScan, dir}, nil
		}
		return nil, false, &failure{CapMatches, dir}, nil
	}
	return entries, true, nil, nil
}

// streamsOf says what the redirections of a plan do to the standard streams.
func streamsOf(p *shellplan.Plan) resolve.Streams {
	var u resolve.Streams
	for i := range p.Segments {
		for j := range p.Segments[i].Candidates {
			d := p.Segments[i].Candidates[j].Redirect
			if d == nil {
				continue
			}
			reads := len(d.Op) > 0 && d.Op[0] == '<'
			writes := !reads || d.Op == "<>"
			if writes && d.Fd != 1 && d.Fd != 2 && d.Op != "&>" && d.Op != "&>>" && d.Op != ">&" {
				u.ReadDoubt = true
			}
			if reads && d.Fd != 0 {
				u.WriteDoubt = true
			}
			if writes && d.Fd == 0 {
				u.ReadDoubt = true
			}
			if d.Op == "<>" {
				u.ReadDoubt, u.WriteDoubt = true, true
			}
		}
	}
	for i := range p.Nested {
		n := streamsOf(&p.Nested[i].Plan)
		u.ReadDoubt = u.ReadDoubt || n.ReadDoubt
		u.WriteDoubt = u.WriteDoubt || n.WriteDoubt
	}
	return u
}
