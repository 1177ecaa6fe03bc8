package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

var silent = execenv.Capabilities{CanonicalStopsAtMagic: true}

// Property 2: an unanswerable filesystem manufactures no refusal on its own.
// Where no ancestor answered the word keeps its spelling, and it is
// unestablishable where the environment declares authority.
func TestUnanswerable(t *testing.T) {
	for _, authoritative := range []bool{false, true} {
		caps := silent
		caps.Authoritative = authoritative
		w := world().Declare(caps).Fail("", "", 0, execenv.NoAnswer)
		for word, path := range map[string]string{
			"a.txt": "/r/a.txt", "up/../a.txt": "/r/a.txt", "/etc/passwd": "/etc/passwd", "../../x": "/x",
		} {
			r := one(t, w, read(word))
			assert.Equal(t, NoAuthoritativeAnswer, r.Reason, word)
			if authoritative {
				assert.Equal(t, Unestablishable, r.State, word)
				assert.Empty(t, r.Landings, word)
				continue
			}
			assert.Equal(t, Lexical, r.State, word)
			assert.Equal(t, path, r.Target(), word)
		}
	}
}

// A pattern in a silent environment cannot be enumerated, whoever is the
// authority (property 5).
func TestUnanswerablePattern(t *testing.T) {
	w := world().Declare(silent).Fail("", "", 0, execenv.NoAnswer)
	r := one(t, w, read("*.txt"))
	assert.Equal(t, Unestablishable, r.State)
	assert.Equal(t, NoAuthoritativeAnswer, r.Reason)
}

// One ancestor answers and the next does not: no refusal without authority, but
// no vouching either.
func TestHalfAnswered(t *testing.T) {
	w := world().Declare(silent).Fail("canonical", "/r/src/main.go", 0, execenv.NoAnswer).Fail("lstat", "/r/src/main.go", 0, execenv.NoAnswer)
	r := one(t, w, read("dlink-in/main.go"))
	assert.Equal(t, "/r/src/main.go", r.Target())
	assert.Equal(t, Canonical, r.State, "the canonical path of the whole was answered")

	w.Fail("canonical", "/r/dlink-in/main.go", 0, execenv.NoAnswer)
	r = one(t, w, read("dlink-in/main.go"))
	assert.Equal(t, Lexical, r.State)
	assert.Equal(t, "/r/src/main.go", r.Target(), "the ancestor that answered, and the tail")

	w.Declare(execenv.Capabilities{CanonicalStopsAtMagic: true, Authoritative: true})
	assert.Equal(t, NoAuthoritativeAnswer, one(t, w, read("dlink-in/main.go")).Reason)
}

// Each question fails in turn, in each way: no answer differs from the one
// without failures unless it says so.
func TestEveryQuestionFailsOnce(t *testing.T) {
	words := []string{"a.txt", "link-out", "dlink-out/s.txt", "up/../util.go", "dangle", "nope", "*/s.txt", "*", "src/*/deep.txt"}
	for _, word := range words {
		for _, trusted := range []bool{true, false} {
			caps := execenv.Capabilities{Authoritative: true, CanonicalStopsAtMagic: trusted}
			w := world().Declare(caps)
			want := one(t, w, write(word, safe))
			calls := len(w.Calls())
			for n := 1; n <= calls+3; n++ {
				for _, p := range []execenv.Problem{execenv.NoAnswer, execenv.Denied} {
					r := one(t, world().Declare(caps).Fail("", "", n, p), write(word, safe))
					if r.State == Unestablishable {
						assert.NotEqual(t, NoReason, r.Reason, "%s call %d %s", word, n, p)
						assert.Empty(t, r.Landings, "%s call %d %s", word, n, p)
						continue
					}
					assert.Equal(t, pathsOf(want), pathsOf(r), "%s call %d %s", word, n, p)
				}
			}
		}
	}
}
