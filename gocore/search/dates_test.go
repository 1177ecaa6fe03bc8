package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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

// Rule: files are found in their directories, however they alternate, and also
// where a directory may be entered but not read.
func TestFilesAreDatedWhereverTheyLie(t *testing.T) {
	dir := coretest.Tree(t, "dark/")
	d := newDates(dir, true)
	want := map[string]int64{}
	for i := range 4 * openFrom {
		for _, folder := range []string{"", "a/", "a/b/", "a/bc/", "dark/"} {
			if i%3 == 0 && folder == "a/b/" {
				continue // runs of many lengths
			}
			name := fmt.Sprintf("%sf%d", folder, i)
			when := time.Unix(int64(len(want)), 5)
			require.NoError(t, os.MkdirAll(filepath.Join(dir, folder), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
			require.NoError(t, os.Chtimes(filepath.Join(dir, name), when, when))
			want[name] = when.Unix()
		}
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, "dark"), 0o311))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "dark"), 0o700) })
	names := slices.SortedFunc(maps.Keys(want), func(a, b string) int {
		// Whole directories in a row, then alternating ones.
		if pick := func(s string) bool { return len(s)%2 == 0 }; pick(a) != pick(b) {
			return cmp.Compare(len(a)%2, len(b)%2)
		} else if pick(a) {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(filepath.Base(a), filepath.Base(b))
	})
	for _, name := range names {
		d.add([]byte(name))
	}
	require.True(t, d.finish(context.Background(), time.Minute))
	got := map[string]int64{}
	for _, b := range d.all {
		for i, e := range b.entries {
			assert.Equal(t, timed, e.state, b.path(i))
			assert.EqualValues(t, 5, e.nsec)
			got[b.path(i)] = e.sec
		}
	}
	assert.Equal(t, want, got)
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
