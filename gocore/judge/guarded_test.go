package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func TestHooksAndSettingsAreNotWrittenUnasked(t *testing.T) {
	for path, want := range map[string]Decision{
		"/r/out/a":                           Allow,
		"/r/out/.git/hooks/pre-commit":       Ask,
		"/r/out/sub/.git/hooks/pre-commit":   Ask,
		"/r/out/.git/config":                 Ask,
		"/r/out/.git":                        Ask,
		"/r/out/.git/description":            Allow,
		"/r/out/.gitignore":                  Allow,
		"/r/out/.claude":                     Ask,
		"/r/out/.claude/settings.json":       Ask,
		"/r/out/.claude/settings.local.json": Ask,
		"/r/out/.claude/notes.md":            Allow,
		"/r/out/.codex/hooks.json":           Ask,
		"/r/out/.mcp.json":                   Ask,
		"/r/out/x.claude/settings.json":      Allow,
		"/r/out/.claude/settings.json.bak":   Allow,
		"/elsewhere/.claude/settings.json":   Ask,
	} {
		for _, access := range []shellplan.Access{shellplan.AccessWrite, shellplan.AccessEntry} {
			d := New(DefaultPolicy()).Decide(established(shellplan.Candidate{Access: access}, landing(access, path)))
			assert.Equal(t, want, d.Decision, "%v %s", access, path)
		}
		read := New(DefaultPolicy()).Decide(established(shellplan.Candidate{Access: shellplan.AccessRead}, landing(shellplan.AccessRead, path)))
		assert.NotContains(t, codes(read), GuardedWrite, path)
	}
	tree := New(DefaultPolicy()).Decide(established(shellplan.Candidate{Access: shellplan.AccessTree, Kind: shellplan.KindGitDir}, landing(shellplan.AccessTree, "/r/out/.git")))
	named := New(DefaultPolicy()).Decide(established(shellplan.Candidate{Access: shellplan.AccessTree}, landing(shellplan.AccessTree, "/r/out/.claude")))
	assert.Equal(t, []Code{GuardedWrite}, codes(named), "a word names the tree")
	assert.Equal(t, Allow, tree.Decision, "git writes there by itself")
	d := New(DefaultPolicy()).Decide(established(shellplan.Candidate{Access: shellplan.AccessWrite}, landing(shellplan.AccessWrite, "/r/out/.git/config")))
	assert.Equal(t, []Code{GuardedWrite}, codes(d))
	assert.Equal(t, "`word` writes /r/out/.git/config, which decides what runs later (hooks and settings of git or of an agent); approve it by hand", d.Reasons[0].Message)
}

func codes(d Ruling) (all []Code) {
	for _, r := range d.Reasons {
		all = append(all, r.Code)
	}
	return all
}
