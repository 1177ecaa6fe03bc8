package establish

import (
	"context"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// One establishment has a budget of work, whatever the plan. It is counted and
// not timed, so that the same tree and the same text always have the same answer.
// A unit is about a microsecond of an everyday machine.
const (
	// maxWork keeps establishing a plan, judging and writing it down under 200 ms
	// of processor time. `cat` of a thousand files takes a tenth of it.
	maxWork = 120_000
	// keptWork of it is kept from patterns and walks, for the words that follow
	// them: a few wide walks leave the rest of a text answered.
	keptWork = 30_000

	// costCanonical: three system calls, and the kernel's walk.
	costCanonical = 16
	// costLook: one system call about one name.
	costLook = 6
	// costList: opening and closing a directory; each name in it is one more.
	costList = 40
	// costFile: opening a settings file, and one more for every 256 bytes.
	costFile = 60
	// costResolution and costLanding: the values themselves, judged and written
	// as JSON.
	costResolution = 10
	costLanding    = 8
	// perUnit is how many names are compared in the time of a unit.
	perUnit = 64
)

// metered counts what an environment is asked. When the work is used up the call
// is given up, as if its caller had left; run.exhausted tells the two apart.
type metered struct {
	execenv.Env
	run *run
}

func (m metered) CanonicalPath(ctx context.Context, path string) (string, error) {
	m.run.spend(costCanonical)
	return m.Env.CanonicalPath(ctx, path)
}

func (m metered) Lstat(ctx context.Context, path string) (execenv.Kind, error) {
	m.run.spend(costLook)
	return m.Env.Lstat(ctx, path)
}

func (m metered) ListDir(ctx context.Context, path string, limit int) ([]execenv.DirEntry, error) {
	m.run.spend(costList)
	list, err := m.Env.ListDir(ctx, path, limit)
	m.run.spend(len(list))
	return list, err
}

type meteredLinks struct {
	metered
	links execenv.LinkReader
}

func (m meteredLinks) ReadLink(ctx context.Context, path string) (string, error) {
	m.run.spend(costLook)
	return m.links.ReadLink(ctx, path)
}

type meteredFiles struct {
	execenv.FileReader
	run *run
}

func (m meteredFiles) ReadFile(ctx context.Context, path string, limit int) ([]byte, error) {
	m.run.spend(costFile)
	text, err := m.FileReader.ReadFile(ctx, path, limit)
	m.run.spend(len(text) / 256)
	return text, err
}

// spend takes from the work and gives the call up when none is left.
func (r *run) spend(n int) {
	if r.left -= n; r.left < 0 {
		r.giveUp()
	}
}

// compare spends for names that are held against each other.
func (r *run) compare(n int) {
	r.compared += n
	r.spend(r.compared / perUnit)
	r.compared %= perUnit
}

// exhausted reports whether the work of the plan is used up.
func (r *run) exhausted() bool { return r.left < 0 }

// exhaustedDetail says it to a person.
const exhaustedDetail = "the whole plan"

// withoutAnswer is the answer for a segment that no work is left for.
func withoutAnswer(p *shellplan.Segment) Segment {
	var out Segment
	for j := range p.Candidates {
		out.Resolutions = append(out.Resolutions, Resolution{Candidate: j, Cwd: -1, Reason: CapWork, Detail: exhaustedDetail})
	}
	for j := range p.Checks {
		out.Checks = append(out.Checks, Check{Check: j, Detail: "the plan asks for more than is looked at"})
	}
	return out
}

// withoutAnswerFrom leaves a plan, from a segment on, and all that is nested in it
// without an answer.
func withoutAnswerFrom(p *shellplan.Plan, e *Established, from int) {
	for j := from; j < len(p.Segments); j++ {
		e.Segments[j] = withoutAnswer(&p.Segments[j])
	}
	for i := range p.Nested {
		if p.Nested[i].Segment >= from {
			withoutAnswerFrom(&p.Nested[i].Plan, e.Nested[i], 0)
		}
	}
}
