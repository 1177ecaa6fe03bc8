package search

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
	"github.com/hydraharness/harness-runtime/gocore/supervise"
)

// maxThreads is how many threads ripgrep uses at most when it chooses.
const maxThreads = 12

// SidecarMemory bounds the private memory of one ripgrep: what a repository puts
// into its ignore files, or one line of some hundred megabytes, must not take
// the machine. An ordinary search takes some ten MiB, a multiline search the
// size of its largest file on each thread.
const SidecarMemory = 1 << 30

// Searcher runs searches with one sidecar. It keeps nothing between calls and
// is safe for concurrent use.
type Searcher struct {
	sidecar *ripgrep.Sidecar
	runner  subprocess.Runner
	config  Config
	environ []string
	index   Index // nil when every search is plain
	pool    *supervise.Pool
	looking chan struct{} // one look at the withheld folder at a time
}

// New returns a Searcher. environ is the environment of this process; what the
// sidecar gets of it has no credentials and no ripgrep configuration.
func New(sidecar *ripgrep.Sidecar, runner subprocess.Runner, config Config, environ []string) *Searcher {
	return &Searcher{
		sidecar: sidecar,
		runner:  runner,
		config:  config,
		environ: SidecarEnviron(environ),
		looking: make(chan struct{}, 1),
	}
}

// sidecarEnviron is all that ripgrep sees of the environment: what its loader
// and its messages may need. No configuration of its own, no credentials.
var sidecarEnviron = []string{"PATH", "HOME", "TMPDIR", "LANG", "LANGUAGE", "LC_*"}

// SidecarEnviron is what ripgrep sees of an environment.
func SidecarEnviron(environ []string) []string { return subprocess.Keep(environ, sidecarEnviron...) }

// Under makes a pool count the looks at file systems that this searcher leaves
// behind. Call it before the first search.
func (s *Searcher) Under(pool *supervise.Pool) { s.pool = pool }

// Config returns the bounds of this searcher.
func (s *Searcher) Config() Config { return s.config }

// query is one question to the sidecar. A run that has to be repeated, with
// other arguments, calls all of its methods again.
type query interface {
	// args are the arguments without the operand, files its extra descriptors.
	args() []string
	files() ([]*os.File, error)
	// sink takes the output from its start and finish is called at its end.
	sink() io.Writer
	finish() error
	// counted returns how much of the output is not charged to the budget, which
	// may be negative, and found how many results have been read.
	counted() int64
	found() int
	// threads is how many threads ripgrep gets on so many processors.
	threads(processors int) int
	// levels is how many levels of the tree may hold results, or 0 for any.
	levels() int
	// narrow names the arguments that make the answer smaller.
	narrow() string
	// where tells where most of what was found lies, or is "".
	where() string
}

// ending is how a run of the sidecar ended, when it ended in an answer.
type ending struct {
	diagnostics *ripgrep.Diagnostics
	stderr      *subprocess.Excerpt
	exit        int
	threads     int
	// incomplete is set when the answer was cut short.
	incomplete *Incomplete
}

// errOverflow stops a sidecar whose output exceeds the budget.
var errOverflow = errors.New("raw output budget exceeded")

// errTimeout is the cause of a context that reached the call's own deadline.
var errTimeout = errors.New("the search reached its time limit")

// ErrShutdown is the cause to cancel a search with when the runtime ends.
var ErrShutdown = errors.New("the runtime is shutting down")

// budget charges output to the raw budget on its way into a sink.
type budget struct {
	sink    io.Writer
	query   query
	max     int64
	written int64
}

// pendingCredit is the most by which counted can rise with the record that has
// arrived only in part: the "./" before its path.
const pendingCredit = int64(len("./"))

func (b *budget) Write(p []byte) (int, error) {
	b.written += int64(len(p))
	n, err := b.sink.Write(p)
	if err == nil && b.charged() > b.max+pendingCredit {
		return n, errOverflow
	}
	return n, err
}

// charged is what counts of the output so far. It is exact when the output ends
// with a record.
func (b *budget) charged() int64 { return b.written - b.query.counted() }

// run asks the sidecar in dir. The sidecar is asked again, with one thread,
// when the system refused it threads.
func (s *Searcher) run(ctx context.Context, dir string, operands []string, q query) (*ending, error) {
	end, err := s.runOnce(ctx, dir, operands, q, q.threads(processors()))
	if errors.Is(err, ripgrep.ErrThreads) {
		end, err = s.runOnce(ctx, dir, operands, q, 1)
	}
	return end, err
}

// processors is how many processors ripgrep may use when it chooses.
func processors() int { return min(runtime.NumCPU(), maxThreads) }

func (s *Searcher) runOnce(ctx context.Context, dir string, operands []string, q query, threads int) (*ending, error) {
	if err := s.sidecar.Check(); err != nil {
		return nil, sidecarFailed(err)
	}
	files, err := q.files()
	if err != nil {
		return nil, fail(Failed, Details{}, err, "a pipe to ripgrep could not be made: %v", err)
	}
	defer closeAll(files)
	end := &ending{
		diagnostics: &ripgrep.Diagnostics{Levels: q.levels()},
		stderr:      subprocess.NewExcerpt(s.config.StderrMaxBytes),
		threads:     threads,
	}
	args := append([]string{"--no-config"}, q.args()...)
	if threads == 1 {
		args = append(args, "--threads=1")
	}
	raw := &budget{sink: q.sink(), query: q, max: s.config.RawOutputMaxBytes}
	out, err := s.runner.Run(ctx, subprocess.Spec{
		Path:       s.sidecar.Path(),
		Args:       append(append(args, "--"), operands...),
		Dir:        dir,
		Env:        s.environ,
		ExtraFiles: files,
		Stdout:     raw,
		Stderr:     io.MultiWriter(end.stderr, end.diagnostics),
		Grace:      s.config.Grace,
		MaxData:    SidecarMemory,
	})
	if err != nil {
		return nil, s.startFailed(dir, err)
	}
	err = s.conclude(ctx, out, end, q)
	if err == nil && end.incomplete == nil && raw.charged() > raw.max {
		err = s.overflowed(end, q)
	}
	return end, err
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// conclude decides what an outcome means.
func (s *Searcher) conclude(ctx context.Context, out subprocess.Outcome, end *ending, q query) error {
	end.exit = out.ExitCode
	sinkErr := out.SinkErr
	if err := end.diagnostics.Close(); sinkErr == nil {
		sinkErr = err
	}
	switch {
	case errors.Is(sinkErr, ripgrep.ErrThreads):
		if end.threads > 1 {
			return ripgrep.ErrThreads
		}
		return fail(Failed, Details{Stderr: end.stderrText()}, sinkErr, "ripgrep could not start even one thread; raise the limit on processes (ulimit -u) and search again")
	case out.Cause != nil:
		return s.aborted(ctx, end, q)
	case errors.Is(sinkErr, errOverflow):
		return s.overflowed(end, q)
	case sinkErr != nil:
		return s.malformed(sinkErr, end, q)
	case out.Signal != 0:
		return s.killed(out, end, q)
	case out.Lost != nil:
		taken := ""
		if errors.Is(out.Lost, syscall.ECHILD) {
			taken = "; another part of this process waits for every child (waitpid(-1)) and took the answer, or SIGCHLD is ignored: wait for one's own children only"
		}
		return fail(Failed, Details{Sidecar: s.sidecar.Path(), Stderr: end.stderrText(), Found: q.found()}, out.Lost,
			"it is not known how ripgrep ended: %v%s", out.Lost, taken)
	}
	if err := q.finish(); err != nil {
		return s.malformed(err, end, q)
	}
	return nil
}

// lateEnd is how long a search may take beyond its time limit and the grace of
// its sidecar, to put the answer in order: sorting 100,000 paths takes less.
const lateEnd = 250 * time.Millisecond

// supervised does the work of one search within its time limit: the limit is
// the call's, not the sidecar's. A file system that does not answer holds a
// thread, never the call.
func supervised[T any](ctx context.Context, s *Searcher, work func(context.Context) (*T, error)) (*T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.config.Timeout, errTimeout)
	defer cancel()
	value, err := supervise.Run(ctx, s.pool, supervise.Within(s.config.Grace+lateEnd), func() (*T, error) { return work(ctx) })
	var left *supervise.Left
	switch {
	case errors.Is(err, supervise.ErrFull):
		return nil, fail(Failed, Details{Reason: ReasonUnanswered}, err, "%v", err)
	case errors.As(err, &left):
		reason, said := reasonOf(left.Cause)
		return nil, fail(Aborted, Details{Reason: reason}, left, "%s, and a file system that it looked at has not answered; search another place, or unmount what is gone", said)
	}
	return value, err
}
