package gitfile

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHarmless(t *testing.T) {
	for _, s := range []Setting{
		{"core.repositoryformatversion", "0"}, {"core.filemode", "true"}, {"remote.origin.url", "x"}, {"remote.a.b.fetch", "+refs/*"}, {"branch.main.remote", "origin"},
		{"branch.autosetuprebase", "always"}, {"user.email", "a@b"}, {"color.ui", "auto"}, {"push.default", "simple"}, {"pull.rebase", "true"}, {"alias.st", "!x"},
		{"credential.helper", "store"}, {"credential.https://x.test.helper", "y"}, {"safe.directory", "*"}, {"core.fsmonitor", "false"}, {"commit.gpgsign", "false"},
		{"core.pager", "cat"}, {"diff.x.xfuncname", "y"}, {"merge.conflictstyle", "diff3"}, {"pretty.x", "%h %s"}, {"lfs.url", "x"}, {"http.proxy", "x"},
	} {
		assert.True(t, Harmless(s), "%v", s)
	}
	for _, s := range []Setting{
		{"core.fsmonitor", "true"}, {"core.pager", "less"}, {"core.hookspath", "x"}, {"core.worktree", ".."}, {"core.attributesfile", "x"}, {"core.excludesfile", "x"},
		{"core.alternaterefscommand", "x"}, {"filter.lfs.clean", "x"}, {"filter.lfs.required", "true"}, {"diff.external", "x"}, {"diff.x.textconv", "y"}, {"diff.x.command", "y"},
		{"merge.x.driver", "y"}, {"gpg.program", "x"}, {"gpg.ssh.program", "x"}, {"commit.gpgsign", "true"}, {"commit.template", "x"}, {"include.path", "x"},
		{"includeif.onbranch:x.path", "y"}, {"remote.origin.promisor", "true"}, {"remote.origin.vcs", "x"}, {"extensions.partialclone", "origin"}, {"submodule.recurse", "true"},
		{"trace2.eventtarget", "/x"}, {"init.templatedir", "x"}, {"mailmap.file", "x"}, {"fsck.skiplist", "x"}, {"blame.ignorerevsfile", "x"}, {"tar.x.command", "y"},
		{"format.pretty", "%G?"}, {"pretty.x", "%h %+GS"}, {"gc.recentobjectshook", "x"}, {"a.key.of.tomorrow", "x"}, {"core", "x"}, {"", ""}, {},
	} {
		assert.False(t, Harmless(s), "%v", s)
	}
}

// A group is either minded or not; no key of it is harmless whatever it says.
func TestUsedKeys(t *testing.T) {
	assert.Empty(t, UsedKeys("nothing"))
	for _, g := range UsedGroups() {
		assert.NotEmpty(t, UsedKeys(g), g)
	}
	assert.Contains(t, UsedKeys("filters"), "filter.*")
}

func TestVerifiesSignatures(t *testing.T) {
	for _, f := range []string{"%G?", "%h %-GK", "%(signature)", "format:%+GG"} {
		assert.True(t, VerifiesSignatures(f), f)
	}
	for _, f := range []string{"", "%", "%h G", "%g", "oneline", "%gd"} {
		assert.False(t, VerifiesSignatures(f), f)
	}
}

func TestHooksElsewhere(t *testing.T) {
	for name, want := range map[string]bool{"pre-push": true, "post-checkout.sample": true, "post-checkout": false, "post-index-change": false, "reference-transaction": false, "": false, "new": false} {
		assert.Equal(t, want, HookRunsElsewhere(name), name)
	}
}
