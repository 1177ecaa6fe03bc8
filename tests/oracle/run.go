//go:build linux

package main

import (
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/hydraharness/harness-runtime/tests/oracle/engine"
	"github.com/hydraharness/harness-runtime/tests/oracle/family"
)

// recordedOfAKind is how many hits of one kind are recorded; the others are counted.
const recordedOfAKind = 3

// run runs one family and tells what became of it; the result is how many lines
// left their bounds.
func (o *settings) run(p part) (int, error) {
	first, err := start()
	if err != nil {
		return 0, err
	}
	ask := order{Name: p.name, Options: p.Options, Every: o.every, Avoid: o.avoid, Block: -1}
	size, err := first.ask(ask)
	if err != nil {
		return 0, err
	}
	st, err := o.state(p, size.Blocks)
	if err != nil {
		return 0, err
	}
	todo := make(chan int)
	lanes := []*process{first}
	for len(lanes) < o.lanes {
		l, err := start()
		if err != nil {
			return 0, err
		}
		lanes = append(lanes, l)
	}
	t := newTally(o, p)
	began := time.Now()
	var (
		mu     sync.Mutex
		wg     sync.WaitGroup
		broken error
	)
	for _, l := range lanes {
		wg.Go(func() {
			for block := range todo {
				ask := ask
				ask.Block = block
				a, err := l.ask(ask)
				mu.Lock()
				if err == nil {
					err = t.add(block, &a.Result)
				}
				if err == nil {
					err = st.done(block, t)
				}
				if err != nil && broken == nil {
					broken = err
				}
				stop := broken != nil
				mu.Unlock()
				if stop {
					for range todo { // the others stop, too
					}
					return
				}
			}
		})
	}
	for block := o.shard; block < size.Blocks; block += o.shards * max(1, p.stride) {
		if !st.isDone(block) {
			todo <- block
		}
	}
	close(todo)
	wg.Wait()
	for _, l := range lanes {
		if err := l.stop(); err != nil && broken == nil {
			broken = err
		}
	}
	if broken != nil {
		return 0, broken
	}
	t.print(time.Since(began))
	if p.name == proof {
		return 0, t.proved()
	}
	return t.total.Hits, nil
}

// tally adds results up.
type tally struct {
	o     *settings
	p     part
	total engine.Counts
	by    map[string]*engine.Counts
	kinds map[string]*engine.Kind
	hits  map[string]int
	cases int
	dull  []string // blocks that could not be worked on
	saved struct { // what the file has
		cases int
		total engine.Counts
	}
}

func newTally(o *settings, p part) *tally {
	return &tally{o: o, p: p, by: map[string]*engine.Counts{}, kinds: map[string]*engine.Kind{}, hits: map[string]int{}}
}

func (t *tally) add(block int, r *engine.Result) error {
	if r.Broken != "" {
		t.dull = append(t.dull, fmt.Sprintf("block %d: %s", block, r.Broken))
	}
	t.cases += r.Cases
	for name, c := range r.By {
		if t.by[name] == nil {
			t.by[name] = &engine.Counts{}
		}
		plus(t.by[name], c)
		plus(&t.total, c)
	}
	for name, k := range r.Kinds {
		if t.kinds[name] == nil {
			t.kinds[name] = &engine.Kind{Unknown: k.Unknown}
		}
		sum := t.kinds[name]
		sum.Gated += k.Gated
		sum.Allowed += k.Allowed
		sum.Ran += k.Ran
		sum.Unknown = sum.Unknown && k.Unknown
		if sum.Why == "" {
			sum.Why = k.Why
		}
	}
	for i := range r.Hits {
		h := &r.Hits[i]
		t.hits[h.Kind]++
		if t.hits[h.Kind] > recordedOfAKind || t.p.name == proof {
			continue
		}
		fmt.Printf("ESCAPES %s | %s %s| %.200q | reads %q writes %q\n", h.Kind, h.Shell, settingOf(h), h.Command, firsts(h.Reads), firsts(h.Writes))
		if err := t.o.record(h); err != nil {
			return err
		}
	}
	return nil
}

// proved is an error when a line that leaves its bounds was not seen to.
func (t *tally) proved() error {
	for name, k := range t.kinds {
		if t.hits[name] != k.Ran || k.Ran == 0 {
			return fmt.Errorf("%q ran %d times and was seen outside %d times: what is said of other lines is worth nothing", name, k.Ran, t.hits[name])
		}
	}
	return nil
}

func settingOf(r *engine.Hit) string {
	out := ""
	if r.Setting != "one root" {
		out = r.Setting + " "
	}
	for name, v := range r.Env {
		if name != "GIT_CONFIG_NOSYSTEM" {
			out += fmt.Sprintf("%s=%.60q ", name, *v)
		}
	}
	return out
}

func firsts[T any](list []T) []T { return list[:min(3, len(list))] }

func plus(sum, c *engine.Counts) {
	sum.Gated += c.Gated
	sum.Allowed += c.Allowed
	sum.Ran += c.Ran
	sum.Late += c.Late
	sum.Hits += c.Hits
}

func minus(a, b *engine.Counts) *engine.Counts {
	return &engine.Counts{Gated: a.Gated - b.Gated, Allowed: a.Allowed - b.Allowed, Ran: a.Ran - b.Ran, Late: a.Late - b.Late, Hits: a.Hits - b.Hits}
}

func (t *tally) print(took time.Duration) {
	for _, d := range t.dull {
		fmt.Println("NOT DONE", d)
	}
	if t.o.list {
		t.listUntried()
	}
	c := t.total
	fmt.Printf("%s seed %d shard %d/%d: %d lines, %d asked about, %d allowed, %d run, %d ended late, %d left their bounds in %d kinds, %s\n",
		t.p.name, t.p.Seed, t.o.shard, t.o.shards, t.cases, c.Gated, c.Allowed, c.Ran, c.Late, c.Hits, len(t.hits), took.Round(time.Second))
}

// listUntried lists kinds of which no line was allowed, each with the first reason.
func (t *tally) listUntried() {
	if t.p.name == "options" || t.p.name == "pairs" {
		for _, name := range family.Commands() {
			if exec.Command("bash", "--norc", "-c", `type -- "$1"`, "x", name).Run() != nil {
				fmt.Printf("NOT INSTALLED %s: its lines ran, and nothing came of them\n", name)
			}
		}
	}
	var names []string
	for name := range t.kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch k := t.kinds[name]; {
		case k.Unknown:
			fmt.Printf("UNKNOWN %s\n", name)
		case k.Allowed == 0 && k.Gated > 0:
			fmt.Printf("NEVER ALLOWED %s (%d lines): %.150s\n", name, k.Gated, k.Why)
		}
	}
}
