package confine

import (
	"path"
	"strings"
)

// worktrees adds the common directory of git worktrees that are write roots: git
// writes objects and branches there. The file .git in a worktree is the command's
// to forge, so what it names must point back to it from outside the write roots.
func (c *compiler) worktrees() error {
	roots := c.plan.Write
	for _, dir := range c.workdirs() {
		common := c.commonDir(dir, roots)
		if common == "" || underAny(common, roots) {
			continue
		}
		c.plan.Write = append(c.plan.Write, common)
		c.note("%s may be written: it is the common directory of the worktree %s", common, dir)
	}
	sortUnique(&c.plan.Write)
	return nil
}

// workdirs are the write roots, and what lies between them and the working
// directory: where a checkout may be.
func (c *compiler) workdirs() []string {
	dirs := append([]string(nil), c.plan.Write...)
	cwd := c.landed(c.Cwd)
	for dir := cwd; dir != "/"; dir = path.Dir(dir) {
		if underAny(dir, c.plan.Write) {
			dirs = append(dirs, dir)
		}
	}
	sortUnique(&dirs)
	return dirs
}

func (c *compiler) commonDir(worktree string, roots []string) string {
	pointer := join(worktree, ".git")
	named, ok := strings.CutPrefix(c.firstLine(pointer), "gitdir: ")
	if !ok {
		return ""
	}
	if !strings.HasPrefix(named, "/") {
		named = worktree + "/" + named
	}
	l, err := land(c.Tree, named)
	if err != nil || l.kind != Dir || c.forgeable(l) != "" || underAny(l.path, roots) {
		return ""
	}
	worktrees := path.Dir(l.path)
	common := path.Dir(worktrees)
	if path.Base(worktrees) != "worktrees" || c.Tree.Kind(join(common, "HEAD")) != File || c.Tree.Kind(join(common, "objects")) != Dir {
		return ""
	}
	back := c.firstLine(join(l.path, "gitdir"))
	if !strings.HasPrefix(back, "/") {
		back = l.path + "/" + back // worktree.useRelativePaths
	}
	if b, err := land(c.Tree, back); err != nil || b.path != pointer || c.forgeable(b) != "" {
		return ""
	}
	return common
}

// firstLine of a plain file; nothing when there is none.
func (c *compiler) firstLine(file string) string {
	if c.Tree.Kind(file) != File {
		return ""
	}
	text, err := c.Tree.Read(file)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}
