//go:build linux

package kernel

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

func TestLeft(t *testing.T) {
	for _, p := range []string{"/", "/usr/lib", "/usr/lib/x.so", "/lib/x", "/etc/passwd", "/dev/null", "/proc/1/stat"} {
		assert.True(t, Left(p), p)
	}
	for _, p := range []string{"/etc/shadow", "/etc", "/usr", "/usr/share/dict/words", "/root/.ssh", "/home", "/var/log/x", "/usr/library", "/dev/sda", "/tmp", "/tmp/x"} {
		assert.False(t, Left(p), p)
	}
}

func TestOutside(t *testing.T) {
	b := Bounds{Read: []string{"/b/root", "/b/out/d"}, Write: []string{"/b/root/src"}, Denied: []string{"/b/root/src/sub"}, Temp: "/b/out/tmp"}
	seen := truth.Seen{
		Reads:    []truth.Text{"/b/root/a", "/b/out/d/s", "/b/out/secret", "/b/rootless", "/b/root/src/sub/x"},
		Dirs:     []truth.Text{"/b/root", "/b", "/b/out/d"},
		Execs:    []truth.Text{"/b/out/pay"},
		LinkFrom: []truth.Text{"/b/out/hard"},
		Writes:   []truth.Text{"/b/root/a", "/b/root/src/n", "/b/root/src/sub", "/b/out/tmp/sortAb12cd", "/b/out/tmp/other", "/dev/null", "/b/out/d/s"},
	}
	got := b.Outside(&seen)
	assert.Equal(t, []string{"/b", "/b/out/hard", "/b/out/pay", "/b/out/secret", "/b/root/src/sub/x", "/b/rootless"}, got.Reads)
	assert.Equal(t, []string{"/b/out/d/s", "/b/out/tmp/other", "/b/root/a", "/b/root/src/sub"}, got.Writes)
	assert.True(t, b.Outside(&truth.Seen{Reads: []truth.Text{"/b/root/x"}}).None())
}
