package judge

import "strings"

// guarded are files inside a tree that decide what runs later: hooks and
// settings of git, and those of agents, which may hold the hook that asks this
// gate. Writing one is never a plain allow, whatever the write roots are.
var guarded = []string{
	".git/hooks", ".git/config", ".git/config.worktree",
	".claude/settings.json", ".claude/settings.local.json", ".claude/hooks",
	".codex/config.toml", ".codex/hooks.json", ".codex/hooks", ".codex/rules",
	".mcp.json",
}

// guards reports whether a path is such a file, lies below such a folder, or is
// the folder that holds them.
func guards(path string) bool {
	path += "/"
	for _, g := range guarded {
		if strings.Contains(path, "/"+g+"/") {
			return true
		}
		if folder, _, below := strings.Cut(g, "/"); below && strings.HasSuffix(path, "/"+folder+"/") {
			return true
		}
	}
	return false
}
