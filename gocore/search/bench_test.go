package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// hundredThousand is how many results a large answer has here.
const hundredThousand = 100_000

// dated returns that many files with times in no order, as if they had been
// listed and examined.
func dated(b *testing.B, dir string) *dates {
	d := newDates(dir, false)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range hundredThousand {
		d.add(fmt.Appendf(nil, "top%02d/directory%02d/file-%03d.txt", i/2500, i/50%50, i%50))
	}
	require.True(b, d.finish(context.Background(), 0))
	for _, batch := range d.all {
		batch.done.Store(true)
		for i := range batch.entries {
			e := &batch.entries[i]
			e.sec, e.nsec, e.state = random.Int64N(3e7), int32(random.Int64N(1e9)), timed
		}
	}
	return d
}

// BenchmarkOrder puts 100,000 listed files in order.
func BenchmarkOrder(b *testing.B) {
	d := dated(b, b.TempDir())
	for _, by := range []Order{OrderModified, OrderPath} {
		b.Run(string(by), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sorted, _ := d.sorted(by, &display{})
				require.Len(b, sorted, hundredThousand)
			}
		})
	}
}

// BenchmarkFill spells 100,000 ordered files as they are displayed.
func BenchmarkFill(b *testing.B) {
	sorted, _ := dated(b, b.TempDir()).sorted(OrderModified, &display{})
	for name, w := range map[string]*walk{"as they are": {}, "behind a prefix": {display: display{prefix: "src/"}}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var r GlobResult
				r.fill(sorted, w)
				require.Len(b, r.Paths, hundredThousand)
			}
		})
	}
}

// BenchmarkDates collects the 2,000 files of a tree and reads their times.
func BenchmarkDates(b *testing.B) {
	var tree []string
	var names [][]byte
	for i := range 2000 {
		name := fmt.Sprintf("directory%02d/file-%03d.txt", i/50, i%50)
		tree, names = append(tree, name+": x"), append(names, []byte(name))
	}
	dir := coretest.Tree(b, tree...)
	for b.Loop() {
		d := newDates(dir, true)
		for _, name := range names {
			d.add(name)
		}
		require.True(b, d.finish(context.Background(), time.Minute))
	}
}

// BenchmarkScan keeps the 100,000 matches of 2,000 files and puts them in order:
// all that a grep does with events that have been decoded.
func BenchmarkScan(b *testing.B) {
	line := []byte("\t\tif v_0.Op != OpAMD64MOVLconst {\n")
	var paths [][]byte
	for i := range 2000 {
		paths = append(paths, fmt.Appendf(nil, "./top%02d/file-%03d.go", i*7%40, i))
	}
	b.ReportAllocs()
	for b.Loop() {
		q := &grepQuery{target: &target{}}
		q.sink()
		for i := range hundredThousand {
			ev := ripgrep.Event{Kind: ripgrep.KindMatch, Path: paths[i/50], Line: line, LineNumber: int64(i%50 + 1), Hit: 5}
			require.NoError(b, q.event(&ev))
		}
		require.Len(b, q.sorted(), hundredThousand)
	}
}
