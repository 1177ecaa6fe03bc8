package spill

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var tenMegabytes = strings.Repeat("src/package/file.go:123: a line of a search result\n", 10_000_000/51)

func benchStores(b *testing.B, run func(b *testing.B, s Store)) {
	b.Run("dir", func(b *testing.B) { run(b, newDirStore(b, Options{MaxBytes: Unlimited})) })
	b.Run("dir-quota", func(b *testing.B) { run(b, newDirStore(b, Options{MaxBytes: 1 << 40})) })
	b.Run("memory", func(b *testing.B) {
		s, err := NewMemoryStore(Options{MaxBytes: Unlimited})
		require.NoError(b, err)
		run(b, s)
	})
}

func benchSave(b *testing.B, s Store, content Content) {
	b.SetBytes(int64(len(tenMegabytes)))
	b.ReportAllocs()
	for b.Loop() {
		a, err := s.SaveText(ctx, Meta{Owner: "s", Name: "grep-results.txt"}, content)
		require.NoError(b, err)
		b.StopTimer()
		require.NoError(b, s.Delete(ctx, Session("s"), a.ID))
		b.StartTimer()
	}
}

// BenchmarkPlainFile is what 10 MB cost without a store: write, flush, close.
func BenchmarkPlainFile(b *testing.B) {
	path := b.TempDir() + "/plain"
	b.SetBytes(int64(len(tenMegabytes)))
	for b.Loop() {
		f, err := os.Create(path)
		require.NoError(b, err)
		_, err = f.WriteString(tenMegabytes)
		require.NoError(b, err)
		require.NoError(b, f.Sync())
		require.NoError(b, f.Close())
		b.StopTimer()
		require.NoError(b, os.Remove(path))
		b.StartTimer()
	}
}

// BenchmarkSaveString saves 10 MB that exist as one string.
func BenchmarkSaveString(b *testing.B) {
	benchStores(b, func(b *testing.B, s Store) { benchSave(b, s, Text(tenMegabytes)) })
}

// BenchmarkSaveStream saves 10 MB in 196,000 lines of three writes each, the
// way a renderer makes them.
func BenchmarkSaveStream(b *testing.B) {
	head, tail := []byte("src/package/file.go:123:"), []byte(" a line of a search result")
	content := func(w io.Writer) error {
		for range 10_000_000 / 51 {
			for _, part := range [][]byte{head, tail, lineFeed} {
				if _, err := w.Write(part); err != nil {
					return err
				}
			}
		}
		return nil
	}
	benchStores(b, func(b *testing.B, s Store) { benchSave(b, s, content) })
}

// BenchmarkReadLastLines reads the end of 10 MB by line numbers.
func BenchmarkReadLastLines(b *testing.B) {
	benchStores(b, func(b *testing.B, s Store) {
		a, err := s.SaveText(ctx, Meta{Owner: "s"}, Text(tenMegabytes))
		require.NoError(b, err)
		b.SetBytes(a.Bytes)
		for b.Loop() {
			e, err := s.Read(ctx, Session("s"), a.ID, Lines(a.Lines-10, 0), io.Discard)
			require.NoError(b, err)
			require.EqualValues(b, 11, e.Lines)
		}
	})
}

// BenchmarkSaveAmongMany is what the quota costs with 10,000 saved results in 100
// sessions around.
func BenchmarkSaveAmongMany(b *testing.B) {
	s := newDirStore(b, Options{})
	for i := range 10_000 {
		_, err := s.SaveText(ctx, Meta{Owner: fmt.Sprint(i % 100)}, Text("x"))
		require.NoError(b, err)
	}
	for b.Loop() {
		_, err := s.SaveText(ctx, Meta{Owner: "s"}, Text("x"))
		require.NoError(b, err)
	}
}
