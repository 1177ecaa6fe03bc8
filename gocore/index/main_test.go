package index_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/index"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

func TestMain(m *testing.M) {
	coretest.RunIfFake()
	os.Exit(m.Run())
}

// often is how many times a random test tries: a bounded number, and by hand as
// many as HYDRA_LONG says.
func often(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("HYDRA_LONG")); err == nil && n > 0 {
		return n
	}
	return usual
}

// pair is two searchers of one configuration: one has an index.
type pair struct {
	plain, indexed *search.Searcher
	set            *index.Set
}

func options(t testing.TB) index.Options {
	return index.Options{
		Sidecar: ripgrep.At(coretest.Ripgrep(t)), Runner: &subprocess.Local{},
		MaxFiles: 500_000, MaxWatches: 50_000, MaxBytes: 1 << 30,
	}
}

func newPair(t testing.TB, change ...func(*search.Config)) *pair {
	config := search.DefaultConfig()
	for _, c := range change {
		c(&config)
	}
	o := options(t)
	p := &pair{
		plain:   search.New(o.Sidecar, o.Runner, config, nil),
		indexed: search.New(o.Sidecar, o.Runner, config, nil),
		set:     index.New(o),
	}
	p.indexed.Use(p.set)
	t.Cleanup(p.set.Close)
	return p
}

// made waits until there is an index of a root, or a reason why there will be none.
func made(t testing.TB, set *index.Set, root string) string {
	t.Helper()
	for {
		_, reason := set.Select(search.Scope{Workdir: root, Dir: root, Pattern: "nothing at all"})
		switch reason {
		case index.ReasonOff, index.ReasonBuilding, index.ReasonIgnoreChanged, index.ReasonManyChanges:
			runtime.Gosched()
		default:
			return reason
		}
	}
}

// told is a result without what an index may change.
func told(t testing.TB, result any, err error) string {
	t.Helper()
	if err != nil {
		failure, ok := err.(*search.Error)
		if !ok {
			return err.Error()
		}
		text, marshalErr := json.Marshal(failure.Details)
		require.NoError(t, marshalErr)
		return string(failure.Code) + " " + failure.Error() + " " + string(text)
	}
	switch r := result.(type) {
	case *search.GrepResult:
		r.Stats = nil
	case *search.GlobResult:
		r.Stats = nil
	}
	text, marshalErr := json.Marshal(result)
	require.NoError(t, marshalErr)
	return string(text)
}

// grep searches both ways and returns what each tells, and how the index was used.
func (p *pair) grep(t testing.TB, workdir string, req search.GrepRequest) (want, got string, use search.IndexUse) {
	t.Helper()
	plain, plainErr := p.plain.Grep(context.Background(), workdir, req)
	indexed, err := p.indexed.Grep(context.Background(), workdir, req)
	if err == nil {
		use = *indexed.Stats.Index
	}
	return told(t, plain, plainErr), told(t, indexed, err), use
}

func (p *pair) glob(t testing.TB, workdir string, req search.GlobRequest) (want, got string, use search.IndexUse) {
	t.Helper()
	plain, plainErr := p.plain.Glob(context.Background(), workdir, req)
	indexed, err := p.indexed.Glob(context.Background(), workdir, req)
	if err == nil && indexed.Stats.Index != nil {
		use = *indexed.Stats.Index
	}
	return told(t, plain, plainErr), told(t, indexed, err), use
}

// scratch is a folder on a file system that can be watched.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}
