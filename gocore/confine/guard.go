package confine

import (
	"path"
	"slices"
)

// guarded is what decides, inside a tree, what runs later and outside of the
// sandbox: hooks and settings of git, agents and editors. Of the agents the whole
// folder, so that a file that is missing in it cannot be made.
var guarded = []string{
	".git/hooks", ".git/config", ".git/config.worktree", ".claude", ".codex", ".mcp.json", ".vscode", ".idea", ".envrc",
}

// guardedGit are those of a git directory itself.
var guardedGit = []string{"hooks", "config", "config.worktree"}

// maxModules bounds the submodules whose hooks are guarded: each is two mounts.
const maxModules = 128

// guard finds the guarded places of the write roots and of the checkouts that the
// working directory lies in.
func (c *compiler) guard() error {
	for _, dir := range c.workdirs() {
		for _, g := range guarded {
			c.watch(join(dir, g))
		}
		git := join(dir, ".git")
		switch {
		case c.Tree.Kind(git) == File: // a worktree: the file says where git's settings lie
			c.watch(git)
		case c.Tree.Kind(git) == Dir:
			c.modules(join(git, "modules"), 0)
		}
		if c.isGitDir(dir) {
			for _, g := range guardedGit {
				c.watch(join(dir, g))
			}
			c.modules(join(dir, "modules"), 0)
		}
	}
	sortUnique(&c.plan.Watched)
	sortUnique(&c.plan.Guards)
	return nil
}

// watch marks a place, and guards it where it can be: where it exists, or where
// the link that it is leads to.
func (c *compiler) watch(place string) {
	c.plan.Watched = append(c.plan.Watched, place)
	if c.plan.Level != LevelNS {
		return
	}
	l, err := land(c.Tree, place)
	if err != nil || l.kind == Missing || !underAny(l.path, c.plan.Write) || slices.Contains(c.plan.Write, l.path) {
		return
	}
	if slices.ContainsFunc(c.plan.Masks, func(m Mask) bool { return under(l.path, m.Path) }) {
		return // covered
	}
	c.plan.Guards = append(c.plan.Guards, l.path)
}

func (c *compiler) isGitDir(dir string) bool {
	return c.Tree.Kind(join(dir, "HEAD")) == File && c.Tree.Kind(join(dir, "objects")) == Dir && c.Tree.Kind(join(dir, "refs")) == Dir
}

// maxDepth: names of submodules have slashes in them, and submodules have more.
const maxDepth = 6

// modules guards the git directories of submodules.
func (c *compiler) modules(dir string, depth int) {
	if depth > maxDepth || c.Tree.Kind(dir) != Dir {
		return
	}
	entries, err := c.Tree.List(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if len(c.plan.Guards) > maxModules*len(guardedGit) {
			c.note("more than %d submodules below %s: the hooks of the others are not guarded", maxModules, dir)
			return
		}
		sub := join(dir, e.Name)
		switch {
		case e.Kind != Dir:
		case c.isGitDir(sub):
			for _, g := range guardedGit {
				c.watch(join(sub, g))
			}
			c.modules(path.Join(sub, "modules"), depth+1)
		default:
			c.modules(sub, depth+1)
		}
	}
}
