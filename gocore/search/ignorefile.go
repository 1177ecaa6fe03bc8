package search

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

const (
	// maxIgnoreBytes is the longest ignore file that is read for a note.
	maxIgnoreBytes = 64 << 10
	// maxIgnoreLevels is how many directories above the search root are looked at.
	maxIgnoreLevels = 32
	// maxRuleGlobs is how many rules that are more than a name or an ending are
	// tried for one answer: a regular expression each.
	maxRuleGlobs = 1000
)

// ignoreNames are the ignore files that ripgrep reads, the strongest first. The
// last holds only inside a repository.
var ignoreNames = []string{".rgignore", ".ignore", gitignore}

const gitignore = ".gitignore"

// rule is one line of an ignore file.
type rule struct {
	file    string // the ignore file, as displayed
	text    string
	negated bool
	dirOnly bool
	// One of these is set: a whole name at any depth, the end of one, or a glob.
	name, ending, pattern string
	glob                  *ripgrep.Glob // of pattern, once it was needed
}

// hasBraces reports whether ripgrep reads the rule in another way than git, for
// which braces are characters.
func (r *rule) hasBraces() bool { return strings.Contains(strings.ReplaceAll(r.text, `\{`, ""), "{") }

// ignores knows the ignore files of a search root and above it, to explain what
// ripgrep has left out. It decides nothing.
type ignores struct {
	root    string
	display display
	levels  []ignoreLevel // above the root, the nearest first
	below   map[string]ignoreLevel
	inRepo  bool
	tried   int // how many globs were
}

// ignoreLevel is the rules of one directory, by the order of ignoreNames.
type ignoreLevel struct {
	prefix string // leads from the directory to the search root
	rules  [3][]rule
}

// readIgnores reads the ignore files at and above a search root.
func readIgnores(root string, d display) *ignores {
	g := &ignores{root: root, display: d, below: map[string]ignoreLevel{}}
	way, dir, up := "", filepath.Clean(root), ""
	for range maxIgnoreLevels {
		top := exists(joinPath(dir, ".git")) || exists(joinPath(dir, ".jj"))
		outside := g.inRepo
		if up != "" {
			level := readLevel(dir, up, way)
			if outside {
				level.rules[2] = nil
			}
			g.levels = append(g.levels, level)
		}
		g.inRepo = g.inRepo || top
		if dir == "/" {
			break
		}
		way = filepath.Base(dir) + "/" + way
		dir, up = filepath.Dir(dir), up+"../"
	}
	return g
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// readLevel reads the ignore files of a directory, displayed behind shown.
func readLevel(dir, shown, way string) ignoreLevel {
	level := ignoreLevel{prefix: way}
	for i, name := range ignoreNames {
		path := joinPath(dir, name)
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreBytes {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if r, ok := parseRule(strings.TrimRight(line, "\r\n")); ok {
				r.file = shown + name
				level.rules[i] = append(level.rules[i], r)
			}
		}
	}
	return level
}

// parseRule reads a line of an ignore file.
func parseRule(line string) (r rule, ok bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || strings.HasPrefix(line, "#") {
		return rule{}, false
	}
	r.text = line
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	switch {
	case line == "":
		return rule{}, false
	case !strings.ContainsAny(line, `/*?[]{}\`):
		r.name = line
	case strings.HasPrefix(line, "*") && !strings.ContainsAny(line[1:], `/*?[]{}\`):
		r.ending = line[1:]
	default:
		r.pattern = line
	}
	return r, true
}

// matches reports whether a rule matches an entry, relative to its directory.
func (g *ignores) matches(r *rule, rel string) bool {
	base := rel[strings.LastIndexByte(rel, '/')+1:]
	switch {
	case r.name != "":
		return base == r.name
	case r.pattern == "":
		return strings.HasSuffix(base, r.ending)
	}
	if g.tried++; g.tried > maxRuleGlobs {
		return false
	}
	if r.glob == nil {
		glob, err := ripgrep.ParseGlob(r.pattern)
		if err != nil {
			glob = &ripgrep.Glob{}
		}
		r.glob = glob
	}
	return r.glob.Match(rel)
}

// rule returns the rule that ignores an entry beneath the search root, or nil.
func (g *ignores) rule(e entryAt) *rule {
	for kind := range ignoreNames {
		if ignoreNames[kind] == gitignore && !g.inRepo {
			continue
		}
		if r := g.decides(kind, e); r != nil {
			if r.negated {
				return nil
			}
			return r
		}
	}
	return nil
}

// decides returns the last rule of the nearest ignore file of a kind that matches.
func (g *ignores) decides(kind int, e entryAt) *rule {
	for dir := e.rel; ; {
		slash := strings.LastIndexByte(strings.TrimSuffix(dir, "/"), '/')
		dir = dir[:slash+1]
		level, read := g.below[dir]
		if !read {
			var a arena
			shown, _ := escapeName(g.display.path(&a, dir))
			level = readLevel(joinPath(g.root, dir), shown, "")
			g.below[dir] = level
		}
		if r := g.lastMatch(level.rules[kind], e.rel[len(dir):], e.mode.IsDir()); r != nil {
			return r
		}
		if dir == "" {
			break
		}
	}
	for i := range g.levels {
		if r := g.lastMatch(g.levels[i].rules[kind], g.levels[i].prefix+e.rel, e.mode.IsDir()); r != nil {
			return r
		}
	}
	return nil
}

func (g *ignores) lastMatch(rules []rule, rel string, dir bool) *rule {
	for i := len(rules) - 1; i >= 0; i-- {
		if r := &rules[i]; (dir || !r.dirOnly) && g.matches(r, rel) {
			return r
		}
	}
	return nil
}
