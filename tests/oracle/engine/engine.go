//go:build linux

// Package engine asks the gate about command lines, runs those it allows, and
// keeps the ones that left their bounds.
package engine

import (
	"hash/fnv"
	"regexp"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
	"github.com/hydraharness/harness-runtime/tests/oracle/family"
	"github.com/hydraharness/harness-runtime/tests/oracle/kernel"
	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

// Engine works on one block after the other in a scratch place of its own.
type Engine struct {
	// Base is where worlds are built.
	Base string
	// Scratch are other directories that commands may write to; they are
	// emptied with each world.
	Scratch []string
	Runner  kernel.Runner
	// Every is how many of the lines that name nothing which leads out stand for
	// the one that is run; 1 runs all.
	Every int
	// Trust runs all lines, whatever the gate would say.
	Trust bool

	gate   *harness.Runtime
	worlds map[string]*world.World
	now    *world.World // the one on disk
}

// worldsKept bounds how many worlds are remembered, files and all.
const worldsKept = 24

// Open puts an engine together. The gate needs no sidecar.
func (e *Engine) Open() error {
	rt, err := harness.Open(harness.Options{RuntimePath: "/nonexistent/runtime", Config: harness.DefaultConfig(true), Environ: []string{"HOME=/nonexistent", "TMPDIR=/nonexistent"}})
	e.gate, e.worlds = rt, map[string]*world.World{}
	return err
}

// Result is what became of a block.
type Result struct {
	Cases int
	// By are the counts of each row of the summary, Kinds what is known of each
	// kind of case.
	By    map[string]*Counts
	Kinds map[string]*Kind
	Hits  []Hit
	// Broken says why the block could not be worked on.
	Broken string
}

// Counts are how many lines were asked about, allowed, run, ended after their
// time, and left their bounds.
type Counts struct{ Gated, Allowed, Ran, Late, Hits int }

// Kind tells whether a kind was ever allowed, and else why not.
type Kind struct {
	Gated, Allowed, Ran int
	Why                 string
	Unknown             bool // the table does not know the option
}

// Hit is an allowed line that left its bounds.
type Hit struct {
	Kind string
	Record
	// Line is the record as it is written: gob takes an empty list for none.
	Line []byte
}

// Block works on one block.
func (e *Engine) Block(b family.Block) *Result {
	r := &Result{Cases: len(b.Cases), By: map[string]*Counts{}, Kinds: map[string]*Kind{}}
	if len(b.Cases) == 0 {
		return r
	}
	if err := e.enter(&b); err != nil {
		r.Broken = err.Error()
		return r
	}
	for _, c := range b.Cases {
		if r.By[c.By] == nil {
			r.By[c.By] = &Counts{}
		}
		if r.Kinds[c.Kind] == nil {
			r.Kinds[c.Kind] = &Kind{}
		}
	}
	j := &job{Engine: e, b: &b, r: r}
	if err := j.work(); err != nil {
		r.Broken = err.Error()
	}
	return r
}

// enter puts the block's world on disk.
func (e *Engine) enter(b *family.Block) error {
	spec := b.Suits(b.World)
	w, err := e.world(spec.Key(), func() (*world.World, error) { return world.Build(e.Base, spec) })
	if err != nil {
		return err
	}
	if b.Then != "" {
		w, err = e.world(spec.Key()+"\x00\x00"+b.Then, func() (*world.World, error) {
			if err := w.Restore(); err != nil {
				return nil, err
			}
			return w.Variant(b.Then)
		})
		if err != nil {
			return err
		}
	}
	e.now = w
	return e.fresh()
}

// world gives a remembered world, or makes it.
func (e *Engine) world(key string, make func() (*world.World, error)) (*world.World, error) {
	if w := e.worlds[key]; w != nil {
		return w, nil
	}
	if len(e.worlds) >= worldsKept {
		clear(e.worlds)
	}
	w, err := make()
	if err == nil {
		e.worlds[key] = w
	}
	return w, err
}

func (e *Engine) fresh() error {
	if err := world.Clean(e.Scratch...); err != nil {
		return err
	}
	return e.now.Restore()
}

// shells are the programs that stand for a shell: one of unknown make is both.
func shells(name string) []string {
	if name == "posix" {
		return []string{"dash", "sh-bash"}
	}
	return []string{name}
}

// run runs a case in the world as it is, in each shell that it is meant for.
func (e *Engine) run(b *family.Block, c *family.Case) (*outcome, error) {
	out := &outcome{clean: true, touched: &kernel.Touched{}}
	for i, sh := range shells(shellOf(b, c)) {
		if i > 0 && !out.clean {
			if err := e.again(c); err != nil {
				return nil, err
			}
		}
		ran, err := e.Runner.Run(e.now, kernel.Shell(sh, e.now.Fill(truth.Text(c.Command))), e.now.Fill(truth.Text(b.Cwd)), e.environment(b, c), kernel.Patience)
		if err != nil {
			return nil, err
		}
		out.clean = out.clean && ran.Clean
		out.late = out.late || ran.Late
		if t := e.outside(b, ran); !t.None() {
			out.touched, out.shell = t, sh
			break
		}
	}
	return out, nil
}

// again makes the world ready for a second run of a case that was allowed.
func (e *Engine) again(c *family.Case) error {
	if err := e.fresh(); err != nil || c.Between == "" {
		return err
	}
	return e.now.Change(c.Between)
}

type outcome struct {
	touched     *kernel.Touched
	shell       string
	late, clean bool
}

// outward fits what names something that leads out, or may.
var outward = regexp.MustCompile(`link|dangle|\blk|[. /]\.([ /]|$)|out|names|opts|n\.awk|\.gz|in\.(tar|zip)|deep|[*?\[$~]|(?:^|[^\w.])/`)

// idle lines name nothing that leads out: of those only some are run.
func (e *Engine) idle(b *family.Block, c *family.Case) bool {
	if b.All || e.Every <= 1 || e.Trust || outward.MatchString(c.Command) || len(c.Env) > 0 || c.Between != "" {
		return false
	}
	h := fnv.New32a()
	h.Write([]byte(c.Command))
	return int(h.Sum32()%uint32(e.Every)) != 0
}

// severalPatience is the time for lines that run one after the other.
func severalPatience(n int) time.Duration {
	return kernel.Patience + time.Duration(n)*100*time.Millisecond
}
