package judge

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// emptied returns what a recursive removal takes away that nobody can want gone:
// a home, a directory above one, or all of the file system. It goes by where the
// words land, so that every spelling is the same: `~`, "$HOME"/, /home/kim/., and
// a pattern for all that lies there.
func (t *trial) emptied(plan *shellplan.Segment, r *establish.Resolution) (string, bool) {
	c := &plan.Candidates[r.Candidate]
	if c.Access != shellplan.AccessEntry || c.Traversal == nil || c.Traversal.Match != nil {
		return "", false
	}
	for i := range r.Subtrees {
		if t.places.holdsHome(r.Subtrees[i].Root) {
			return r.Subtrees[i].Root, true
		}
	}
	for i := range r.Landings {
		l := &r.Landings[i]
		if t.places.holdsHome(l.Path) && (!l.Member && !l.Listed || l.Listed && matchesAll(c)) {
			return l.Path, true
		}
	}
	return "", false
}

// plainNames and hiddenNames stand for all that a directory may hold: a pattern
// that matches either pair leaves nothing of that kind.
var plainNames, hiddenNames = []string{"a", "Documents"}, []string{".bashrc", ".config"}

// matchesAll reports whether the last component of a pattern matches all names
// that do not begin with a dot, or all that do: `*`, `.*`, `.[!.]*`.
func matchesAll(c *shellplan.Candidate) bool {
	raw := strings.TrimRight(string(c.Raw), "/")
	last := strings.LastIndexByte(raw, '/') + 1
	if !c.Pattern || firstActive(c) < last {
		return false
	}
	pattern := strings.ReplaceAll(raw[last:], "[!", "[^")
	all := func(names []string) bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			matched, err := path.Match(pattern, name)
			return err != nil || !matched
		})
	}
	return !strings.HasPrefix(pattern, ".") && all(plainNames) || all(hiddenNames)
}

// harm denies a removal, whatever the roots are.
func (t *trial) harm(at Reason, dir string) {
	who := "the command by itself"
	if at.Word != "" {
		who = quote(at.Word)
	}
	at.Code, at.Decision, at.Target = Harm, Deny, dir
	at.Remedy = Remedy{Kind: RemedyRewrite}
	at.Message = fmt.Sprintf("%s removes %s and all below it: the home, a directory that holds it, or everything; name what is to go", who, shown(dir))
	t.add(at)
}
