package search_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// touch sets a modification time exactly.
func touch(t *testing.T, path string, sec, nsec int64) {
	t.Helper()
	ts := unix.Timespec{Sec: sec, Nsec: nsec}
	require.NoError(t, unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW))
	var st unix.Stat_t
	require.NoError(t, unix.Lstat(path, &st))
	if st.Mtim.Sec != sec {
		t.Skipf("the file system of the scratch directory does not hold the time %d", sec)
	}
}

// Rule: glob is ordered by modification time to the nanosecond, then path bytes.
func TestGlobOrder(t *testing.T) {
	root := coretest.Tree(t, "e", "d", "c", "b", "a", "B", "sub/a", "past", "epoch", "future")
	for i, name := range []string{"a", "b", "c", "d"} {
		touch(t, root+"/"+name, 1_000_000, int64(i%2)) // a, c before b, d
	}
	touch(t, root+"/e", 999_999, 999_999_999)
	touch(t, root+"/B", 1_000_000, 0)
	touch(t, root+"/sub/a", 1_000_000, 1)
	touch(t, root+"/past", -1001, 500_000_000)
	touch(t, root+"/epoch", 0, 0)
	touch(t, root+"/future", time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), 0)
	oldest := []string{"past", "epoch", "e", "B", "a", "c", "b", "d", "sub/a", "future"}
	for by, want := range map[search.Order][]string{
		search.OrderModified:     oldest,
		search.OrderModifiedDesc: {"future", "b", "d", "sub/a", "B", "a", "c", "e", "epoch", "past"},
		search.OrderPath:         {"B", "a", "b", "c", "d", "e", "epoch", "future", "past", "sub/a"},
		"":                       oldest, // the zero value is the contract's
	} {
		assert.Equal(t, want, glob(t, pinned(t, orderBy(by)), root, "*", "").Paths, by)
	}
	assert.Equal(t, []string{"./e", "./B"}, glob(t, pinned(t), root, "/[eB]", ".").Paths)
}

// Times that do not fit in 64 bits of nanoseconds keep their order.
func TestGlobOrderBeyondTheYear2262(t *testing.T) {
	root := coretest.Tree(t, "a", "b", "c", "d")
	touch(t, root+"/a", time.Date(2446, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), 0)
	touch(t, root+"/b", time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), 0)
	touch(t, root+"/c", time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), 0)
	touch(t, root+"/d", time.Date(1901, 12, 31, 0, 0, 0, 0, time.UTC).Unix(), 0)
	assert.Equal(t, []string{"d", "c", "b", "a"}, glob(t, pinned(t), root, "*", "").Paths)
	assert.Equal(t, []string{"a", "b", "c", "d"}, glob(t, pinned(t, orderBy(search.OrderModifiedDesc)), root, "*", "").Paths)
}

// Rule: a file whose time cannot be read sorts last, in either direction.
func TestGlobOrderOfUnreadableTimes(t *testing.T) {
	if !coretest.AsNobody(t) {
		return
	}
	root := coretest.Tree(t, "x/u.txt", "x/v.txt", "a.txt", "z.txt")
	coretest.Lock(t, root+"/x", 0o444) // the names can be read, what they name cannot be reached
	assert.Equal(t, []string{"a.txt", "z.txt", "x/u.txt", "x/v.txt"}, glob(t, pinned(t), root, "*", "").Paths)
	assert.Equal(t, []string{"z.txt", "a.txt", "x/u.txt", "x/v.txt"}, glob(t, pinned(t, orderBy(search.OrderModifiedDesc)), root, "*", "").Paths)
}

// Rule: a file that vanished is dropped with a warning.
func TestGlobDropsWhatVanished(t *testing.T) {
	root := coretest.Tree(t, "a", "d/b")
	s, _ := fake(t, coretest.Fake{Stdout: list("gone", "a", "d/b", "d/gone", "a/gone", "x\ny")})
	r := glob(t, s, root, "*", "")
	assert.Equal(t, []string{"a", "d/b"}, r.Paths)
	assert.Equal(t, []string{`VANISHED 4 paths vanished during the search: a/gone, d/gone, gone and 1 more`}, warnings(r.Report))
	assert.Equal(t, []string{"a/gone", "d/gone", "gone"}, r.Warnings[0].Paths)
}

// Rule: grep is ordered by path bytes, then line number.
func TestGrepOrder(t *testing.T) {
	root := coretest.Tree(t, "b: x\nx\n", "a/z: x", "a.txt: x", "a-b: x", "B: x")
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprintf("many/%03d: x\nx\nx", 299-i))
	}
	coretest.Grow(t, root, many...)
	got := lines(grep(t, pinned(t), root, search.GrepRequest{Pattern: "x"}))
	assert.Len(t, got, 906)
	sorted := slices.IsSortedFunc(got, func(a, b string) int {
		pa, _, _ := strings.Cut(a, ":")
		pb, _, _ := strings.Cut(b, ":")
		return strings.Compare(pa+"\x00"+a, pb+"\x00"+b)
	})
	assert.True(t, sorted, "%q", got[:10])
	assert.Equal(t, []string{"B:1:x", "a-b:1:x", "a.txt:1:x", "a/z:1:x", "b:1:x", "b:2:x"}, got[:6])
}

func TestGrepOrderOfWhatAStandInWrites(t *testing.T) {
	root := coretest.Tree(t)
	s, _ := fake(t, coretest.Fake{Stdout: begin("./b") + hit("./b", 2, "x1") + hit("./b", 9, "x2") + end("./b") +
		hit("./a", 3, "x3") + hit("./c", 1, "x4") + hit("./a", 5, "x5") + summary})
	assert.Equal(t, []string{"a:3:x3", "a:5:x5", "b:2:x1", "b:9:x2", "c:1:x4"}, lines(grep(t, s, root, search.GrepRequest{Pattern: "x"})))
}

// Rule: two equal calls on an unchanged tree give byte-equal answers.
func TestEqualCallsGiveEqualBytes(t *testing.T) {
	if !coretest.AsNobody(t) {
		return
	}
	var entries []string
	for i := range 400 {
		entries = append(entries, fmt.Sprintf("d%02d/f%03d: needle\nneedle\n", i%40, i))
	}
	root := coretest.Tree(t, entries...)
	for i := range 400 {
		touch(t, fmt.Sprintf("%s/d%02d/f%03d", root, i%40, i), 1_000_000+int64(i%3), 0)
	}
	for i := range 40 {
		require.NoError(t, os.WriteFile(fmt.Sprintf("%s/d%02d/bin", root, i), []byte("needle\n"+strings.Repeat("x\n", 40_000)+"\x00"), 0o600))
		locked := fmt.Sprintf("%s/d%02d/locked", root, i)
		require.NoError(t, os.Mkdir(locked, 0o755))
		coretest.Lock(t, locked, 0)
	}
	s := pinned(t)
	bytes := func(v any, report *search.Report) string {
		report.Stats = nil // how long it took
		text, err := json.Marshal(v)
		require.NoError(t, err)
		return string(text)
	}
	var globs, greps []string
	for range 10 {
		g := glob(t, s, root, "*", "")
		globs = append(globs, bytes(g, &g.Report))
		f := grep(t, s, root, search.GrepRequest{Pattern: "needle", Include: "*"})
		greps = append(greps, bytes(f, &f.Report))
	}
	assert.Len(t, slices.Compact(globs), 1)
	assert.Len(t, slices.Compact(greps), 1)
	assert.Contains(t, globs[0], "40 paths could not be read: d00/locked, d01/locked, d02/locked and 37 more")
	assert.Contains(t, greps[0], "37 files more stopped at binary data")
}
