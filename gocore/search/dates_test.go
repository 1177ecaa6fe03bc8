package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// Rule: the order is by time, oldest or newest first, and by path among files of
// one time, however many there are and however far apart their times.
func TestFilesAreSortedAsComparingThemSays(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for name, seconds := range map[string]func() int64{
		"a year":         func() int64 { return 1_700_000_000 + random.Int64N(3e7) },
		"one second":     func() int64 { return 5 },
		"around 1970":    func() int64 { return random.Int64N(200) - 100 },
		"all that exist": func() int64 { return int64(random.Uint64()) },
		"the two ends":   func() int64 { return []int64{math.MinInt64, math.MaxInt64, 0, -1}[random.IntN(4)] },
	} {
		for _, n := range []int{0, 1, 2, radixFrom - 1, radixFrom, 5000} {
			for _, by := range []Order{OrderModified, OrderModifiedDesc} {
				t.Run(fmt.Sprintf("%s, %d files, %s", name, n, by), func(t *testing.T) {
					d := newDates("/", false)
					keys := make([]dateKey, n)
					for i := range keys {
						d.add(fmt.Appendf(nil, "%08x", random.Uint32()))
						keys[i] = dateKey{seconds(), []int32{0, 1, 1 << 11, 999_999_999}[random.IntN(4)], int32(i)}
					}
					want := slices.Clone(keys)
					slices.SortFunc(want, func(a, b dateKey) int {
						c := cmp.Or(cmp.Compare(a.sec, b.sec), cmp.Compare(a.nsec, b.nsec))
						if by == OrderModifiedDesc {
							c = -c
						}
						return cmp.Or(c, cmp.Compare(d.at(a.file), d.at(b.file)))
					})
					d.sort(keys, by, &display{})
					assert.Equal(t, want, keys)
				})
			}
		}
	}
}

// Rule: every listed file gets its time, also when the listing is longer than
// what is examined at once, and a file that is gone is told apart.
func TestEveryFileIsDated(t *testing.T) {
	for _, n := range []int{0, 1, dateBatch - 1, dateBatch, dateBatch + 1, 10*dateBatch + 7} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dir := coretest.Tree(t)
			d := newDates(dir, true)
			var want []string
			for i := range n {
				name := fmt.Sprintf("f%05d", n-i)
				if i%7 != 3 {
					when := time.Unix(int64(1_600_000_000+i), int64(i))
					require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
					require.NoError(t, os.Chtimes(filepath.Join(dir, name), when, when))
					want = append(want, name)
				}
				d.add([]byte(name))
			}
			require.True(t, d.finish(context.Background(), time.Minute))
			sorted, vanished := d.sorted(OrderModified, &display{})
			assert.Equal(t, want, append([]string(nil), sorted...))
			assert.Len(t, vanished, n-len(want))
			assert.Len(t, d.paths(), n)
		})
	}
}

// Rule: a listing that is given up leaves nobody behind who waits for more.
func TestDatersEnd(t *testing.T) {
	dir := coretest.Tree(t, "a: x")
	before := runtime.NumGoroutine()
	for range 50 {
		d := newDates(dir, true)
		for range 3 * dateBatch {
			d.add([]byte("a"))
		}
		d.discard()
	}
	// Eventually looks from a goroutine of its own.
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, 10*time.Second, time.Millisecond)
}

// Rule: a cancelled call does not wait for a file system that does not answer;
// what it has not looked at sorts behind what it has.
func TestACancelledListingDoesNotWaitForTimes(t *testing.T) {
	dir := coretest.Tree(t, "a: x", "b: x")
	d := newDates(dir, true)
	d.add([]byte("b"))
	d.add([]byte("a"))
	stuck := make(chan struct{})
	d.daters = maxDaters + runtime.NumCPU() // all are busy, with a disk that hangs
	d.workers.Go(func() { <-stuck })
	t.Cleanup(func() { close(stuck) })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.False(t, d.finish(ctx, time.Hour))
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Hour))
	defer cancel()
	assert.False(t, d.finish(late, time.Minute), "the grace counts from the deadline")
	sorted, vanished := d.sorted(OrderModified, &display{})
	assert.Equal(t, []string{"a", "b"}, sorted)
	assert.Empty(t, vanished)
}
