package establish

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func kind(k shellplan.Kind) candidateOption { return func(c *shellplan.Candidate) { c.Kind = k } }

// repoWorld has a repository at /r, a linked working tree at /w, a submodule at
// /r/sub and a bare repository at /bare.
func repoWorld() *execenvtest.Tree {
	w := execenvtest.New().Dir("/home/u").Dir("/r/src/deep").
		Content("/w/.git", "gitdir: /r/.git/worktrees/w\n").Dir("/w/src").
		Content("/r/.git/worktrees/w/commondir", "../..\n").Content("/r/.git/worktrees/w/HEAD", "ref: refs/heads/w\n").
		Content("/r/sub/.git", "gitdir: ../.git/modules/sub\n").
		Content("/r/broken/.git", "nonsense\n").
		Dir("/r/empty/.git").Content("/r/nohead/.git/HEAD", "x\n").Dir("/r/nohead/.git/objects").Dir("/r/nohead/.git/refs")
	for _, g := range []string{"/r/.git", "/bare", "/r/.git/modules/sub"} {
		w.Content(g+"/HEAD", "ref: refs/heads/main\n").Dir(g+"/objects/info").Dir(g+"/refs").Content(g+"/config", "[core]\n\tbare = false\n")
	}
	return w
}

func TestGitDirAndWorkTree(t *testing.T) {
	for _, tt := range []struct {
		cwd       string
		dirs, top []string
	}{
		{"/r", []string{"/r/.git"}, []string{"/r"}},
		{"/r/src/deep", []string{"/r/.git"}, []string{"/r"}},
		{"/w/src", []string{"/r/.git", "/r/.git/worktrees/w"}, []string{"/w"}},
		{"/r/sub", []string{"/r/.git/modules/sub"}, []string{"/r/sub"}},
		{"/bare", []string{"/bare"}, []string{}},
		{"/r/empty", []string{"/r/.git"}, []string{"/r"}},
		{"/r/nohead", []string{"/r/.git"}, []string{"/r"}},
		{"/r/broken", []string{"/r/.git"}, []string{"/r"}},
		{"/home/u", []string{}, []string{}},
		{"/r/not/there", []string{"/r/.git"}, []string{"/r"}},
	} {
		b := rootBoundary
		b.Cwd = tt.cwd
		e := establishAt(t, repoWorld(), b, simple(read(".", kind(shellplan.KindGitDir)), read(".", kind(shellplan.KindWorkTree))))
		assert.Equal(t, tt.dirs, pathsOf(e.Segments[0].Resolutions[0]), tt.cwd)
		assert.Equal(t, tt.top, pathsOf(e.Segments[0].Resolutions[1]), tt.cwd)
		var roots []string
		for _, s := range e.Segments[0].Resolutions[0].Subtrees {
			roots = append(roots, s.Root)
		}
		assert.ElementsMatch(t, tt.dirs, roots, tt.cwd)
		if len(tt.dirs) == 0 {
			assert.Equal(t, NoRepository, e.Segments[0].Resolutions[0].Reason, tt.cwd)
		}
	}
}

// What a repository borrows from, and where a link at its top leads, is a path
// of its own.
func TestGitBorrows(t *testing.T) {
	w := repoWorld().Content("/r/.git/objects/info/alternates", "/out/objects\n../../../lent\n").Dir("/out/objects").Dir("/lent").
		Link("/r/.git/logs", "/out/logs")
	r := one(t, w, read(".", kind(shellplan.KindGitDir)))
	assert.Equal(t, []string{"/lent", "/out/logs", "/out/objects", "/r/.git"}, pathsOf(r))
	r = one(t, w.Link("/r/.git/info/exclude", "/out/x"), read(".", kind(shellplan.KindGitDir)))
	assert.Contains(t, pathsOf(r), "/out/x")
	r = one(t, execenvtest.Only{Env: w}, read(".", kind(shellplan.KindGitDir)))
	assert.Equal(t, NoAuthoritativeAnswer, r.Reason, "nobody can read the list")
}

func TestWorkTreeWalk(t *testing.T) {
	w := repoWorld().File("/r/src/a").Link("/r/src/l", "/out/x")
	r := one(t, w, word("src", shellplan.AccessTree, kind(shellplan.KindWorkTree)))
	assert.Contains(t, pathsOf(r), "/out/x")
	assert.Contains(t, pathsOf(r), "/r/src/a")
}

func gitCheck(hooks []string, keys ...string) shellplan.Check {
	return shellplan.Check{Kind: shellplan.CheckGit, Hooks: hooks, Keys: keys}
}

func TestGitCheck(t *testing.T) {
	keys := []string{"core.fsmonitor", "filter.*.clean", "diff.external", shellplan.UnusedKey + "merge.*.driver"}
	for _, tt := range []struct {
		name  string
		w     *execenvtest.Tree
		hooks []string
		want  CheckState
	}{
		{"clean", repoWorld(), []string{"pre-commit"}, Holds},
		{"a hook", repoWorld().Program("/r/.git/hooks/pre-commit"), []string{"pre-commit"}, Fails},
		{"a hook that is not run", repoWorld().Program("/r/.git/hooks/pre-push"), []string{"pre-commit"}, Holds},
		{"a sample", repoWorld().File("/r/.git/hooks/pre-commit"), []string{"pre-commit"}, Holds},
		{"a hook behind a link", repoWorld().Link("/r/.git/hooks/pre-commit", "/r/h").Program("/r/h"), []string{"pre-commit"}, Fails},
		{"fsmonitor", repoWorld().Content("/r/.git/config", "[core]\nfsmonitor = ./x\n"), nil, Fails},
		{"fsmonitor off", repoWorld().Content("/r/.git/config", "[core]\nfsmonitor = false\n"), nil, Holds},
		{"an include outside", repoWorld().Content("/r/.git/config", "[include]\n path = /out/c\n").Content("/out/c", "[user]\n name = x\n"), nil, Fails},
		{"an include inside", repoWorld().Content("/r/.git/config", "[include]\n path = ../c\n").Content("/r/c", "[user]\n name = x\n"), nil, Holds},
		{"a filter", repoWorld().Content("/r/.git/config", "[filter \"Lfs.x\"]\n\tClean = git-lfs clean\n"), nil, Fails},
		{"a filter in the old form", repoWorld().Content("/r/.git/config", "[filter.lfs] clean=x\n"), nil, Fails},
		{"harmless keys", repoWorld().Content("/r/.git/config", "[gui]\n\tgeometry = x\n[user]\n name = \"A # b\" ; c\n"), nil, Holds},
		{"a key that nobody knows", repoWorld().Content("/r/.git/config", "[core]\n\tnewProgram = x\n"), nil, Fails},
		{"a key that the check does not name", repoWorld().Content("/r/.git/config", "[gpg]\n\tprogram = x\n"), nil, Fails},
		{"a key that is not used", repoWorld().Content("/r/.git/config", "[merge \"m\"]\n\tdriver = x\n"), nil, Holds},
		{"any hook", repoWorld().Program("/r/.git/hooks/post-checkout"), []string{shellplan.AnyHook}, Fails},
		{"a hook of tomorrow", repoWorld().Program("/r/.git/hooks/new"), []string{shellplan.AnyHook}, Fails},
		{"another subcommand's hook", repoWorld().Program("/r/.git/hooks/pre-push"), []string{shellplan.AnyHook}, Holds},
		{"another subcommand's hook, named", repoWorld().Program("/r/.git/hooks/pre-push"), []string{shellplan.AnyHook, "pre-push"}, Fails},
		{"samples", repoWorld().Program("/r/.git/hooks/post-checkout.sample"), []string{shellplan.AnyHook}, Holds},
		{"a worktree as its .git file says", repoWorld().Content("/r/.git/config", "[core]\n\tworktree = ..\n"), nil, Fails},
		{"in a comment", repoWorld().Content("/r/.git/config", "# [core]\n; fsmonitor = x\n[core] # fsmonitor = x\n"), nil, Holds},
		{"behind a continued line", repoWorld().Content("/r/.git/config", "[user]\nname = a\\\n[core]\nfsmonitor = x\n"), nil, Holds},
		{"without a value", repoWorld().Content("/r/.git/config", "[diff]\nexternal\n"), nil, Fails},
		{"the user's", repoWorld().Content("/home/u/.gitconfig", "[core]\nfsmonitor = x\n"), nil, Fails},
		{"the user's, elsewhere", repoWorld().Content("/home/u/.config/git/config", "[diff]\nexternal = x\n"), nil, Fails},
		{"included", repoWorld().Content("/home/u/.gitconfig", "[include]\npath = ~/inc\n").Content("/home/u/inc", "[core]\nfsmonitor = x\n"), nil, Fails},
		{"included on a condition", repoWorld().Content("/r/.git/config", "[includeIf \"onbranch:x\"]\npath = inc\n").Content("/r/.git/inc", "[core]\nfsmonitor = x\n"), nil, Fails},
		{"an include that is not there", repoWorld().Content("/r/.git/config", "[include]\npath = inc\n"), nil, Holds},
		{"an include of itself", repoWorld().Content("/r/.git/config", "[include]\npath = config\n"), nil, CouldNotLook},
		{"hooks elsewhere", repoWorld().Content("/r/.git/config", "[core]\nhooksPath = x\n"), []string{"pre-commit"}, Fails},
		{"not git's syntax", repoWorld().Content("/r/.git/config", "[core\nfsmonitor = x\n"), nil, CouldNotLook},
		{"shut", repoWorld().NoSearch("/r/.git"), nil, CouldNotLook},
	} {
		p := plan(shellplan.Segment{Cwds: []shellplan.Cwd{{}}, Checks: []shellplan.Check{gitCheck(tt.hooks, keys...)}})
		c := establishIn(t, tt.w, p).Segments[0].Checks[0]
		assert.Equal(t, tt.want, c.State, "%s: %s", tt.name, c.Detail)
	}
	p := plan(shellplan.Segment{Cwds: []shellplan.Cwd{{}}, Checks: []shellplan.Check{gitCheck(nil, keys...)}})
	assert.Equal(t, CouldNotLook, establishIn(t, execenvtest.Only{Env: repoWorld()}, p).Segments[0].Checks[0].State)
	b := rootBoundary
	b.Home = ""
	assert.Equal(t, CouldNotLook, establishAt(t, repoWorld(), b, p).Segments[0].Checks[0].State)
	p.Segments[0].CwdUnknown, p.Segments[0].Cwds = true, nil
	assert.Equal(t, CouldNotLook, establishIn(t, repoWorld(), p).Segments[0].Checks[0].State)
}

func TestGitCheckInWorkTree(t *testing.T) {
	w := repoWorld().Program("/r/.git/hooks/pre-commit").Content("/r/.git/worktrees/w/config.worktree", "[diff]\nexternal=x\n")
	b := rootBoundary
	b.Cwd = "/w"
	for _, c := range []shellplan.Check{gitCheck([]string{"pre-commit"}), gitCheck(nil, "diff.external")} {
		p := plan(shellplan.Segment{Cwds: []shellplan.Cwd{{}}, Checks: []shellplan.Check{c}})
		assert.Equal(t, Fails, establishAt(t, w, b, p).Segments[0].Checks[0].State)
	}
}

func TestAbsentCheck(t *testing.T) {
	for file, want := range map[string]CheckState{"/r/nope": Holds, "/r/a.txt": Fails, "/r/dangle": Holds, "/r/loop1": CouldNotLook, "/r/link-out": Fails} {
		p := plan(shellplan.Segment{Cwds: []shellplan.Cwd{{}}, Checks: []shellplan.Check{{Kind: shellplan.CheckAbsent, Files: [][]byte{[]byte("/r/zz"), []byte(file)}}}})
		assert.Equal(t, want, establishIn(t, world(), p).Segments[0].Checks[0].State, file)
	}
}

// What git opens besides a repository's own directory is a landing: a nested
// repository's, what another working tree's directory leads to, and links of git's
// names at the top.
func TestGitReachesElsewhere(t *testing.T) {
	elsewhere := func(w *execenvtest.Tree) *execenvtest.Tree {
		return w.Content("/out/g/HEAD", "ref: refs/heads/main\n").Dir("/out/g/objects").Dir("/out/g/refs")
	}
	for name, w := range map[string]*execenvtest.Tree{
		"a nested .git file":          repoWorld().Content("/r/src/.git", "gitdir: /out/g\n"),
		"a nested .git link":          repoWorld().Link("/r/src/.git", "/out/g"),
		"a working tree's directory":  repoWorld().Link("/r/.git/worktrees/x", "/out/g"),
		"a common directory":          repoWorld().Content("/r/.git/worktrees/x/commondir", "/out/g\n"),
		"a link of a working tree":    repoWorld().Link("/r/.git/worktrees/w/logs", "/out/g"),
		"a link behind a link":        repoWorld().Link("/r/.git/logs", "../src").Link("/r/src/refs", "/out/g"),
		"a link beside the .git":      repoWorld().Link("/r/.gitmodules", "/out/g/HEAD"),
		"a nested repository's links": repoWorld().Content("/r/src/.git/HEAD", "ref: refs/heads/m\n").Dir("/r/src/.git/objects").Dir("/r/src/.git/refs").Link("/r/src/.git/refs/heads", "/out/g/refs"),
	} {
		walk := func(c *shellplan.Candidate) {
			c.Traversal = &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
		}
		e := establishIn(t, elsewhere(w), simple(read(".", kind(shellplan.KindGitDir)), read(".", kind(shellplan.KindWorkTree), walk)))
		out := false
		for _, r := range e.Segments[0].Resolutions {
			for _, l := range r.Landings {
				out = out || resolve.Under(l.Path, "/out/g")
			}
		}
		assert.True(t, out, name)
	}
}

// The directory of the other working trees may be a link itself.
func TestWorkingTreesBehindALink(t *testing.T) {
	w := execenvtest.New().Content("/r/.git/HEAD", "ref: refs/heads/m\n").Dir("/r/.git/objects").Dir("/r/.git/refs").
		Link("/r/.git/worktrees", "../src").Link("/r/src/x", "/out/g").Dir("/out/g")
	assert.Subset(t, pathsOf(one(t, w, read(".", kind(shellplan.KindGitDir)))), []string{"/out/g", "/r/.git", "/r/src"})
}

// A directory that git may or may not take for a repository has no answer.
func TestDoubtfulRepository(t *testing.T) {
	for name, w := range map[string]*execenvtest.Tree{
		"HEAD leads elsewhere":      repoWorld().Link("/r/src/.git/HEAD", "/out/x").Dir("/r/src/.git/objects").Dir("/r/src/.git/refs"),
		"objects is a file":         repoWorld().Content("/r/src/.git/HEAD", "ref: refs/x\n").File("/r/src/.git/objects").Dir("/r/src/.git/refs"),
		"a .git file names no HEAD": repoWorld().Content("/r/src/.git", "gitdir: /out/g\n").Content("/out/g/HEAD", "x\n"),
	} {
		b := rootBoundary
		b.Cwd = "/r/src"
		e := establishAt(t, w, b, simple(read(".", kind(shellplan.KindGitDir))))
		assert.Equal(t, Unestablishable, e.Segments[0].Resolutions[0].State, name)
	}
}

// What git follows in a directory that could not be listed may lead anywhere.
func TestARepositoryThatCannotBeLookedThrough(t *testing.T) {
	look := func(w *execenvtest.Tree) Resolution {
		return one(t, w, read(".", kind(shellplan.KindGitDir)))
	}
	for _, below := range append([]string{"/worktrees", "/worktrees/w", "/worktrees/w/logs"}, gitLinkDirs...) {
		dir := "/r/.git" + below
		r := look(repoWorld().NoRead(dir))
		assert.Equal(t, Unestablishable, r.State, dir)
		assert.Equal(t, UnreadableDir, r.Reason, dir)
		assert.Equal(t, dir, r.Detail)
		assert.Empty(t, r.Landings, dir)
	}

	// What is not there holds nothing, however much of it is asked for.
	w := repoWorld()
	for i := range 40 {
		w.Content(fmt.Sprintf("/r/.git/worktrees/w%d/commondir", i), "../..\n").Content(fmt.Sprintf("/r/.git/worktrees/w%d/HEAD", i), "ref: refs/heads/w\n")
	}
	assert.Equal(t, Canonical, look(w).State)

	// More than is looked at is not nothing.
	for i := range MaxScan {
		w.File(fmt.Sprintf("/r/.git/logs/f%d", i))
	}
	r := look(w)
	assert.Equal(t, Unestablishable, r.State)
	assert.Equal(t, CapScan, r.Reason)
}

// git writes where a symbolic reference names a file outside, and so does not read.
func TestAReferenceThatLeadsOut(t *testing.T) {
	for _, file := range []string{"refs/stash", "refs/heads/main", "refs/tags/v", "ORIG_HEAD", "worktrees/w/ORIG_HEAD", "HEAD", "refs/heads/deep/er"} {
		w := repoWorld()
		if file == "refs/heads/deep/er" {
			w.Content("/r/.git/HEAD", "ref: refs/heads/deep/er\n")
		}
		name := "ref: ../../out/x\n"
		if file == "HEAD" {
			name = "ref: refs/../../../out/x\n"
		}
		w.Content("/r/.git/"+file, name)
		r := one(t, w, word(".", shellplan.AccessWrite, kind(shellplan.KindGitDir)))
		assert.Equal(t, NoAuthoritativeAnswer, r.Reason, file)
		assert.Equal(t, "/r/.git/"+file, r.Detail)
		assert.Equal(t, Canonical, one(t, w, read(".", kind(shellplan.KindGitDir))).State, file)
	}
	assert.Equal(t, Canonical, one(t, repoWorld().Content("/r/.git/refs/heads/main", "0123\n"), word(".", shellplan.AccessWrite, kind(shellplan.KindGitDir))).State)
}
