package judge

import (
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// guardedTrees asks about what a segment writes as trees when that may be a
// guarded file: a copied tree by its members, an extraction because nobody listed
// them, git by the files of the working tree and by the words beside.
func (t *trial) guardedTrees(plan *shellplan.Segment, found *establish.Segment, way []int, index int) {
	for i := range found.Resolutions {
		r := &found.Resolutions[i]
		c := &plan.Candidates[r.Candidate]
		if c.Access != shellplan.AccessTree || c.Kind == shellplan.KindGitDir || c.Implicit == shellplan.ImplicitDisclosed {
			continue // what git does in its own folder is its business
		}
		at := Reason{Nested: way, Segment: index, Word: string(c.Text), Span: c.Span, Access: c.Access}
		if path, known := t.guardedTarget(plan, found, r); path != "" {
			at.Target = path
			at.Message = fmt.Sprintf("%s may write %s, which decides what runs later (hooks and settings of git or of an agent); %s", name(plan), shown(path), byHand)
			if !known {
				at.Message = fmt.Sprintf("%s writes files below %s that no word names, and hooks or settings of git or of an agent may be among them; %s", name(plan), shown(path), byHand)
			}
			at.Code, at.Decision, at.Remedy = GuardedWrite, Ask, Remedy{Kind: RemedyApprove}
			t.add(at)
		}
	}
}

// guardedTarget is the guarded file that a written tree may reach, or with known
// false the root below which any file may be written.
func (t *trial) guardedTarget(plan *shellplan.Segment, found *establish.Segment, r *establish.Resolution) (path string, known bool) {
	git := plan.Command == "git" || strings.HasPrefix(plan.Command, "git ")
	for i := range r.Landings {
		if l := &r.Landings[i]; !l.Listed && l.Access.IsWrite() && t.guards(l.Path, git) {
			return l.Path, true
		}
	}
	if git && plan.Candidates[r.Candidate].Kind == shellplan.KindWorkTree {
		// A path of another commit need not be there now.
		for i := range found.Resolutions {
			for j := range found.Resolutions[i].Landings {
				l := &found.Resolutions[i].Landings[j]
				if plan.Candidates[found.Resolutions[i].Candidate].Implicit == shellplan.Explicit && !l.Listed && !l.Member && t.guards(l.Path, git) {
					return l.Path, true
				}
			}
		}
	}
	for i := range plan.Effects {
		e := &plan.Effects[i]
		switch {
		case e.Candidate != r.Candidate:
		case e.Kind == shellplan.EffectTree && !git && len(r.Landings) > 0:
			return r.Landings[0].Path, false
		case e.Kind == shellplan.EffectCopy:
			if path, known := t.guardedSource(plan, found, e, r); path != "" {
				return path, known
			}
		}
	}
	return "", true
}

// guardedSource is what the sources of a copied tree bring: a guarded file among
// their members, or members that nobody listed.
func (t *trial) guardedSource(plan *shellplan.Segment, found *establish.Segment, e *shellplan.Effect, to *establish.Resolution) (string, bool) {
	for i := range found.Resolutions {
		r := &found.Resolutions[i]
		for _, from := range e.From {
			if r.Candidate != from {
				continue
			}
			for j := range r.Landings {
				if l := &r.Landings[j]; l.Member && t.guards(l.Path, false) {
					return l.Path, true
				}
			}
			for j := range r.Subtrees {
				if !r.Subtrees[j].Enumerated && len(to.Landings) > 0 {
					return to.Landings[0].Path, false
				}
			}
		}
	}
	return "", true
}

// guards is guards for a path of this file system; what git writes in its own
// folder by itself does not count.
func (t *trial) guards(path string, git bool) bool {
	path = t.places.key(path)
	return guards(path) && !(git && strings.Contains(path+"/", "/.git/"))
}
