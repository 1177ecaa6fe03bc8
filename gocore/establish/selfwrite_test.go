package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func script(language string) candidateOption {
	return func(c *shellplan.Candidate) { c.Script = language }
}

// A program file is read before it is vouched for.
func TestScripts(t *testing.T) {
	w := world().Content("/r/ok.sed", "s/a/b/\n").Content("/r/bad.sed", "w /out/x\n").Link("/r/l.sed", "bad.sed").
		Content("/r/ok.jq", ".a").Content("/r/bad.jq", "import \"x\" as x; .")
	for word, want := range map[string]Reason{"ok.sed": NoReason, "bad.sed": ScriptNotRead, "l.sed": ScriptNotRead, "o*.sed": NoReason, "nope.sed": NoReason, "src": ScriptNotRead} {
		assert.Equal(t, want, one(t, w, read(word, script(shellplan.ScriptSed))).Reason, word)
	}
	assert.Equal(t, NoReason, one(t, w, read("ok.jq", script(shellplan.ScriptJq))).Reason)
	assert.Equal(t, ScriptNotRead, one(t, w, read("bad.jq", script(shellplan.ScriptJq))).Reason)
	assert.Equal(t, ScriptNotRead, one(t, execenvtest.Only{Env: w}, read("ok.sed", script(shellplan.ScriptSed))).Reason, "nobody can read it")
}

// What the same text writes is not what was looked at.
func TestWrittenByTheText(t *testing.T) {
	git := shellplan.Segment{Cwds: []shellplan.Cwd{cd("src")}, Checks: []shellplan.Check{gitCheck([]string{"pre-commit"}, "core.fsmonitor")}}
	sed := segment(read("s.sed", script(shellplan.ScriptSed)))
	w := func() *execenvtest.Tree { return repoWorld().Content("/r/s.sed", "p").File("/r/a.txt").Dir("/r/d") }
	for _, tt := range []struct {
		name  string
		c     shellplan.Candidate
		check CheckState
		read  Reason
	}{
		{"something else", write("a.txt"), Holds, NoReason},
		{"the configuration", write(".git/config"), CouldNotLook, NoReason},
		{"a hook that is not there", write(".git/hooks/pre-commit"), CouldNotLook, NoReason},
		{"another hook", write(".git/hooks/post-merge"), Holds, NoReason},
		{"a repository nearer by", write("src/.git/HEAD"), CouldNotLook, NoReason},
		{"the user's configuration", write("/home/u/.gitconfig"), CouldNotLook, NoReason},
		{"a tree over all of it", word(".", shellplan.AccessTree), CouldNotLook, ScriptNotRead},
		{"a tree elsewhere", word("d", shellplan.AccessTree), Holds, NoReason},
		{"the hooks moved away", entry(".git/hooks"), CouldNotLook, NoReason},
		{"permissions below", write(".", chmodR), CouldNotLook, ScriptNotRead},
		{"the script", write("s.sed"), Holds, ScriptNotRead},
		{"git's own writing", word(".", shellplan.AccessTree, kind(shellplan.KindGitDir)), Holds, NoReason},
	} {
		e := establishIn(t, w(), plan(segment(tt.c), git, sed))
		assert.Equal(t, tt.check, e.Segments[1].Checks[0].State, "%s: %s", tt.name, e.Segments[1].Checks[0].Detail)
		assert.Equal(t, tt.read, e.Segments[2].Resolutions[0].Reason, tt.name)
	}
	p := plan(git, segment())
	p.Nested = []shellplan.Nested{{Segment: 1, How: "bash -c", Plan: *simple(write(".git/config"))}}
	assert.Equal(t, CouldNotLook, establishIn(t, w(), p).Segments[0].Checks[0].State)
}
