package planner

import (
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func BenchmarkEveryday(b *testing.B) {
	o := options(shellplan.DialectBash)
	b.ReportAllocs()
	for b.Loop() {
		Build("grep -rn foo src | head", o)
	}
}

// BenchmarkTenThousandOneLiners plans everyday commands in turn, ten thousand a
// round.
func BenchmarkTenThousandOneLiners(b *testing.B) {
	o := options(shellplan.DialectBash)
	for b.Loop() {
		for i := range 10_000 {
			Build(everyday[i%len(everyday)], o)
		}
	}
}
