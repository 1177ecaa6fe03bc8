package harness

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/internal/hostile"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/planner"
)

// hostileTree is a tree in which the hostile texts find much to do: hundreds of
// directories with files, deep ones, and links that lead on to each other.
func hostileTree(t *testing.T) string {
	t.Helper()
	entries := []string{"f: x", "s: p", "t: t", "out/", "home/", "a: a", "b: b", "x/", "e/", "l -> .", "c0 -> f"}
	for i := range 39 {
		entries = append(entries, fmt.Sprintf("c%d -> c%d", i+1, i))
	}
	deep := ""
	for range 40 {
		deep += "d/"
		entries = append(entries, deep+"f: x")
	}
	for i := range 200 {
		for j := range 10 {
			entries = append(entries, fmt.Sprintf("w%d/f%d: x", i, j))
		}
	}
	for i := range 100 {
		entries = append(entries, fmt.Sprintf("w/s%d/f: x", i))
	}
	return coretest.Tree(t, entries...)
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// TestHostileTextsCost measures, by hand: HYDRA_LONG=1. The unit tests of the
// stages count work instead, which a busy machine does not change.
func TestHostileTextsCost(t *testing.T) {
	if os.Getenv("HYDRA_LONG") == "" {
		t.Skip("a measurement by hand: set HYDRA_LONG=1 on a quiet machine")
	}
	const planning, rest = 20 * time.Millisecond, 200 * time.Millisecond
	root := hostileTree(t)
	type row struct {
		name                         string
		plan, establish, json, judge time.Duration
		decision                     string
	}
	var rows []row
	for _, h := range hostile.Texts() {
		require.LessOrEqual(t, len(h.Command), hostile.Size, h.Name)
		rt, req := gated(t, root, h.Command)
		req.fill()
		req.Boundary.WriteRoots = []string{root}
		options, err := req.options()
		require.NoError(t, err)
		best := row{name: h.Name, plan: time.Hour}
		for range 3 {
			at := []time.Duration{processorTime(t)}
			lap := func() { at = append(at, processorTime(t)) }
			plan := planner.Build(h.Command, options)
			lap()
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			found, err := rt.Establish(ctx, plan, req.Boundary, false)
			cancel()
			if err != nil {
				best = row{name: h.Name, plan: at[1] - at[0], establish: processorTime(t) - at[1], decision: err.Error()}
				break
			}
			lap()
			_, err = found.JSON()
			require.NoError(t, err)
			lap()
			d := req.decide(found)
			lap()
			if at[4]-at[0] < best.plan+best.establish+best.json+best.judge {
				best = row{h.Name, at[1] - at[0], at[2] - at[1], at[3] - at[2], at[4] - at[3], d.Decision.String()}
			}
		}
		if rows = append(rows, best); best.plan+best.establish+best.json+best.judge > planning {
			fmt.Printf("%-34s plan %9.2f  establish %9.2f  json %9.2f  judge %9.2f ms  %s\n", best.name, ms(best.plan), ms(best.establish), ms(best.json), ms(best.judge), best.decision)
		}
	}
	sort.Slice(rows, func(i, j int) bool {
		return rows[i].plan+rows[i].establish+rows[i].json+rows[i].judge > rows[j].plan+rows[j].establish+rows[j].json+rows[j].judge
	})
	for _, r := range rows {
		t.Logf("%-34s plan %9.2f  establish %9.2f  json %9.2f  judge %9.2f ms  %s", r.name, ms(r.plan), ms(r.establish), ms(r.json), ms(r.judge), r.decision)
	}
	for _, r := range rows {
		assert.LessOrEqual(t, r.plan, planning, r.name)
		assert.LessOrEqual(t, r.establish, rest, r.name)
	}
}

// counting counts what an environment is asked, and the names that it gives.
type counting struct {
	execenv.Host
	asked, names *int
}

func (c counting) CanonicalPath(ctx context.Context, path string) (string, error) {
	*c.asked++
	return c.Host.CanonicalPath(ctx, path)
}

func (c counting) Lstat(ctx context.Context, path string) (execenv.Kind, error) {
	*c.asked++
	return c.Host.Lstat(ctx, path)
}

func (c counting) ReadLink(ctx context.Context, path string) (string, error) {
	*c.asked++
	return c.Host.ReadLink(ctx, path)
}

func (c counting) ReadFile(ctx context.Context, path string, limit int) ([]byte, error) {
	*c.asked++
	return c.Host.ReadFile(ctx, path, limit)
}

func (c counting) Executable(ctx context.Context, path string) (bool, error) {
	*c.asked++
	return c.Host.Executable(ctx, path)
}

func (c counting) ListDir(ctx context.Context, path string, limit int) ([]execenv.DirEntry, error) {
	*c.asked++
	list, err := c.Host.ListDir(ctx, path, limit)
	*c.names += len(list)
	return list, err
}

// What deciding about a hostile text takes, from the text to the written answer, is
// counted: questions to the file system, names that it gives, allocations. A text
// that takes more is asked about.
func TestHostileTextsTakeBoundedWork(t *testing.T) {
	const (
		// mostAsked and mostNames are about what the work of one establishment
		// pays for, at 6 units for a question and one for a name.
		mostAsked, mostNames = 20_000, 120_000
		// mostMallocs take some 70 ms here; the texts stay below 230,000.
		mostMallocs = 350_000
	)
	root, past := hostileTree(t), 0
	for _, h := range hostile.Texts() {
		_, req := gated(t, root, h.Command)
		req.fill()
		req.Boundary.WriteRoots = []string{root}
		options, err := req.options()
		require.NoError(t, err)
		var asked, names int
		e, err := establish.New(counting{asked: &asked, names: &names}, req.Boundary)
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found, err := e.Establish(context.Background(), planner.Build(h.Command, options))
		require.NoError(t, err, h.Name)
		text, err := found.JSON()
		require.NoError(t, err)
		d := req.decide(found)
		runtime.ReadMemStats(&after)
		assert.LessOrEqual(t, asked, mostAsked, h.Name)
		assert.LessOrEqual(t, names, mostNames, h.Name)
		assert.LessOrEqual(t, after.Mallocs-before.Mallocs, uint64(mostMallocs), h.Name)
		if strings.Contains(string(text), `"reason":"capWork"`) {
			past++
			assert.Equal(t, judge.Ask, d.Decision, h.Name)
		}
	}
	assert.NotZero(t, past)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
