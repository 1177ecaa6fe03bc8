package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Property 1: a non-existent target is not a refusal.
func TestAbsentTarget(t *testing.T) {
	for _, tt := range []struct {
		c      shellplan.Candidate
		state  State
		reason Reason
		path   string
		tail   string
	}{
		{read("nope.txt"), AbsentTail, NoReason, "/r/nope.txt", "nope.txt"},
		{read("dlink-out/no/pe"), AbsentTail, NoReason, "/out/d/no/pe", "no/pe"},
		{write("dlink-out/new.txt"), AbsentTail, NoReason, "/out/d/new.txt", "new.txt"},
		{read("up/../nope"), AbsentTail, NoReason, "/r/src/nope", "nope"},
		{write("dangle"), AbsentTail, NoReason, "/out/new.txt", "new.txt"},
		{write("dangle-in"), AbsentTail, NoReason, "/r/newfile.txt", "newfile.txt"},
		{read("dangle"), AbsentTail, NoReason, "/out/new.txt", "new.txt"},
		{write("nodirlink"), AbsentTail, NoReason, "/out/nodir/x.txt", "nodir/x.txt"},
		{write("nope/../a.txt"), AbsentTail, NoReason, "/r/a.txt", ""},
		{entry("nope/../../out/nd"), AbsentTail, NoReason, "/out/nd", "nd"},
		{entry("nope/../link-out"), AbsentTail, NoReason, "/r/link-out", ""},
		{entry("nope/../dlink-out/nd"), AbsentTail, NoReason, "/out/d/nd", "nd"},
		{read("a.txt/../b.txt"), AbsentTail, NotDirectory, "/r/a.txt", ""},
		{read("a.txt/"), AbsentTail, NotDirectory, "/r/a.txt", ""},
		{read(""), AbsentTail, EmptyWord, "", ""},
		{entry("dangle"), Canonical, NoReason, "/r/dangle", ""},
		{entry("new/"), AbsentTail, NoReason, "/r/new", "new"},
	} {
		r := one(t, world(), tt.c)
		assert.Equal(t, tt.state, r.State, "%s %s", tt.c.Raw, tt.c.Access)
		assert.Equal(t, tt.reason, r.Reason, "%s %s", tt.c.Raw, tt.c.Access)
		assert.Equal(t, tt.path, r.Target(), "%s %s", tt.c.Raw, tt.c.Access)
		assert.Equal(t, tt.tail, r.Landings[0].Tail, "%s %s", tt.c.Raw, tt.c.Access)
	}
	r := one(t, world(), write("nope/../w.txt"))
	assert.True(t, r.Landings[0].DotDotInTail)
	assert.False(t, one(t, world(), write("w.txt")).Landings[0].DotDotInTail)
}

// The chain of a dangling link is read hop by hop, up to the kernel's limit.
func TestDanglingChain(t *testing.T) {
	w := world().Chain("/r/c", "l", 40, "/out/new.txt").Chain("/r/c", "m", 41, "/out/new.txt")
	r := one(t, w, write("c/l00"))
	assert.Equal(t, AbsentTail, r.State)
	assert.Equal(t, "/out/new.txt", r.Target())
	assert.Equal(t, 40, r.Landings[0].Hops)
	r = one(t, w, write("c/m00"))
	assert.Equal(t, Unestablishable, r.State)
	assert.Equal(t, LinkHops, r.Reason)

	darwin := world().Chain("/r/c", "l", 32, "/out/new.txt").Chain("/r/c", "m", 33, "/out/new.txt").
		Declare(execenv.Capabilities{Authoritative: true, CanonicalStopsAtMagic: true, MaxLinks: execenv.DarwinMaxLinks})
	assert.Equal(t, "/out/new.txt", one(t, darwin, write("c/l00")).Target())
	assert.Equal(t, LinkHops, one(t, darwin, write("c/m00")).Reason)
}

// Where links cannot be read, a write through a dangling one is not
// established at all; a read of it opens nothing.
func TestDanglingWithoutLinkReader(t *testing.T) {
	blind := execenvtest.Only{Env: world()}
	r := one(t, blind, write("dangle"))
	assert.Equal(t, Unestablishable, r.State)
	assert.Equal(t, LinkUnreadable, r.Reason)
	r = one(t, blind, read("dangle"))
	assert.Equal(t, AbsentTail, r.State)
	assert.Equal(t, "/r/dangle", r.Target())
	assert.Equal(t, "/out/secret.txt", one(t, blind, write("link-out")).Target(), "an existing target is known")
	assert.Equal(t, "/out/d/new", one(t, blind, write("dlink-out/new")).Target())
}

func TestTooLong(t *testing.T) {
	long := make([]byte, 5000)
	for i := range long {
		long[i] = 'n'
	}
	for _, n := range []int{256, 5000} {
		r := one(t, world(), read(string(long[:n])))
		assert.Equal(t, AbsentTail, r.State)
		assert.Equal(t, PathTooLong, r.Reason)
		assert.Equal(t, "", r.Target(), "the kernel refuses, nothing is touched")
	}
	r := one(t, world(), entry(string(long)))
	assert.Equal(t, Unestablishable, r.State, "mkdir -p makes it piece by piece")
}
