package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// perRun are the questions that every establishment asks, whatever its words:
// the roots, the home and the starting directory, once each.
var perRun = map[string]int{"canonical": 4}

func cost(t testing.TB, w *execenvtest.Tree, cands ...shellplan.Candidate) map[string]int {
	w.Reset()
	establishIn(t, w, simple(cands...))
	got := w.Count()
	for op, n := range perRun {
		if got[op] -= n; got[op] == 0 {
			delete(got, op)
		}
	}
	return got
}

// Property 6: cost is paid only by candidates that carry a metacharacter or a
// traversal, and inside one enumerated directory only the symlink entries need
// a question of their own.
func TestCost(t *testing.T) {
	type calls = map[string]int
	for _, tt := range []struct {
		name string
		w    *execenvtest.Tree
		c    shellplan.Candidate
		want calls
	}{
		{"a literal", world(), read("src/sub/deep.txt"), calls{"canonical": 1}},
		{"through a link", world(), read("dlink-in/main.go"), calls{"canonical": 1}},
		{"an absolute literal", world(), read("/out/secret.txt"), calls{"canonical": 1}},
		{"a quoted metacharacter", world().File("/r/*"), read(`\*`), calls{"canonical": 1}},
		{"an entry", world(), entry("a.txt"), calls{"lstat": 1}},
		{"an entry in a directory", world(), entry("src/main.go"), calls{"canonical": 1, "lstat": 1}},
		{"a new file", world(), write("new.txt"), calls{"canonical": 1, "lstat": 1}},
		{"a new file in a directory", world(), write("src/new.txt"), calls{"canonical": 1, "lstat": 2}},
		{"a dangling link", world(), write("dangle-in"), calls{"canonical": 1, "lstat": 2, "readlink": 1}},
		{"a pattern without links", world(), read("*.txt"), calls{"list": 1}},
		{"a pattern with one link", world(), read("link-o*"), calls{"list": 1, "canonical": 1}},
		{"the links of a pattern as entries", world(), entry("link-*"), calls{"list": 1}},
		{"a pattern below a prefix", world(), read("src/*.go"), calls{"list": 1, "canonical": 1}},
		{"a literal behind a pattern", world(), read("s*/main.go"), calls{"list": 1, "canonical": 2, "lstat": 3}},
		{"a walk", execenvtest.New().Dir("/home/u").Files("/r/d/e", "f", 100).Link("/r/d/l", "/out"), read("d", grepR),
			calls{"list": 2, "canonical": 1, "lstat": 1}},
		{"no word at all", world(), read(""), calls{}},
		{"a walk of nothing", world(), read("nope", grepR), calls{"canonical": 1, "lstat": 1}},
	} {
		assert.Equal(t, tt.want, cost(t, tt.w, tt.c), tt.name)
	}
}

// The benchmarks of the package, with the questions they ask.

func globWorld() *execenvtest.Tree {
	return execenvtest.New().Dir("/home/u").Dirs("/r/m", "d", 255).Files("/r/m/d00003", "f", 20)
}

func walkWorld() *execenvtest.Tree {
	w := execenvtest.New().Dir("/home/u")
	for i := range 80 {
		w.Files("/r/t/d"+string(rune('a'+i%26))+string(rune('a'+i/26)), "f", 100)
	}
	return w
}

func chainWorld() *execenvtest.Tree {
	return execenvtest.New().Dir("/home/u").Chain("/r/c", "l", 40, "/out/new.txt")
}

var benchmarks = []struct {
	name  string
	world func() *execenvtest.Tree
	c     shellplan.Candidate
	want  map[string]int
}{
	{"literal", world, read("src/main.go"), map[string]int{"canonical": 1}},
	{"glob over 255 directories", globWorld, read("m/*/*"), map[string]int{"canonical": 1, "list": 256}},
	{"walk of 8000 files", walkWorld, read("t", grepR), map[string]int{"canonical": 1, "lstat": 1, "list": 81}},
	// Its target's parent is missing, too: the last look is for /out.
	{"dangling chain of 40", chainWorld, write("c/l00"), map[string]int{"canonical": 1, "lstat": 42, "readlink": 40}},
}

func TestBenchmarkCost(t *testing.T) {
	for _, b := range benchmarks {
		got := cost(t, b.world(), b.c)
		assert.Equal(t, b.want, got, b.name)
	}
}

func BenchmarkEstablish(b *testing.B) {
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) {
			w := bm.world()
			p := simple(bm.c)
			for b.Loop() {
				w.Reset()
				establishIn(b, w, p)
			}
			b.ReportMetric(float64(len(w.Calls())), "questions/op")
		})
	}
}
