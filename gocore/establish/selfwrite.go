package establish

import (
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellscript"
)

// A look at the content of a file says what the file is now. When the same text
// writes the file, a later command meets something else, so the look is worth
// nothing: `echo ... >> .git/config; git status`.

// scripts reads the files of a word that are programs for the command.
func (o *operand) scripts(paths []found) error {
	files, ok := o.files, o.files != nil
	for i := range paths {
		p := &paths[i].place
		switch {
		case p.State == AbsentTail && !p.Stream:
			continue // nothing to run; if the text makes it, see below
		case !ok || p.State != Canonical || p.Stream:
			o.fail(&failure{ScriptNotRead, p.Path})
			return nil
		}
		text, err := files.ReadFile(o.ctx, p.Path, maxScript)
		if err != nil {
			if err := o.gone(err); err != nil {
				return err
			}
		}
		if err != nil || !shellscript.ReadsOnly(o.c.Script, text) {
			o.fail(&failure{ScriptNotRead, p.Path})
			return nil
		}
	}
	return nil
}

// written is one path that a word of a text writes, with all below it when tree.
type written struct {
	path string
	tree bool
	read *Resolution // the read that writes it
}

// writtenBy lists what a plan and what is nested in it writes by words. What git
// does to its own directory is not counted: it writes there as it reads there.
func writtenBy(p *shellplan.Plan, e *Established) (out []written) {
	for i := range e.Segments {
		for j := range e.Segments[i].Resolutions {
			r := &e.Segments[i].Resolutions[j]
			c := &p.Segments[i].Candidates[r.Candidate]
			if !c.Access.IsWrite() || c.Kind == shellplan.KindGitDir || c.Kind == shellplan.KindWorkTree {
				continue
			}
			for k := range r.Landings {
				if l := &r.Landings[k]; l.Path != "" && !l.Listed && !l.Stream {
					out = append(out, written{l.Path, c.Access == shellplan.AccessTree, r})
				}
			}
			for _, t := range r.Subtrees {
				out = append(out, written{t.Root, true, r})
			}
		}
	}
	for i := range p.Nested {
		out = append(out, writtenBy(&p.Nested[i].Plan, e.Nested[i])...)
	}
	return out
}

// meets reports whether writing changes what a look at path found: the path
// itself, a directory above it that is moved or filled or, with below, something
// below it.
func (w *written) meets(path string, below bool) bool {
	return w.path == path || w.tree && resolve.Under(path, w.path) || below && resolve.Under(w.path, path) ||
		resolve.Under(path, w.path) && replacesEntry(w.read, w.path)
}

// replacesEntry reports whether the read replaces the entry itself.
func replacesEntry(r *Resolution, path string) bool {
	for i := range r.Landings {
		if r.Landings[i].Path == path && r.Landings[i].Access == shellplan.AccessEntry {
			return true
		}
	}
	return false
}

// distrust takes back the looks at what the text itself writes.
func (r *run) distrust(p *shellplan.Plan, e *Established, all []written) {
	for i := range e.Segments {
		s := &e.Segments[i]
		if r.exhausted() {
			*s = withoutAnswer(&p.Segments[i])
			continue
		}
		for j := range s.Checks {
			c := &s.Checks[j]
			r.compare(len(r.asked))
			for _, a := range r.asked {
				if a.check != &p.Segments[i].Checks[c.Check] {
					continue
				}
				r.compare(2 * len(all))
				if w := writer(all, a.path, a.below, nil); w != nil {
					c.worsen(CouldNotLook, "the text itself writes %s", w.path)
				}
			}
		}
		for j := range s.Resolutions {
			x := &s.Resolutions[j]
			if p.Segments[i].Candidates[x.Candidate].Script == "" || x.State == Unestablishable {
				continue
			}
			for _, l := range x.Landings {
				if w := writer(all, l.Path, false, x); w != nil && !l.Listed {
					*x = Resolution{Candidate: x.Candidate, Cwd: x.Cwd, Reason: ScriptNotRead, Detail: l.Path, AfterOpaque: x.AfterOpaque}
					break
				}
			}
		}
	}
	for i := range p.Nested {
		r.distrust(&p.Nested[i].Plan, e.Nested[i], all)
	}
}

func writer(all []written, path string, below bool, except *Resolution) *written {
	if path == "" {
		return nil
	}
	for i := range all {
		if all[i].read != except && all[i].meets(path, below) {
			return &all[i]
		}
	}
	return nil
}

// looks reports whether a plan rests on the content of files.
func looks(p *shellplan.Plan) bool {
	for i := range p.Segments {
		if len(p.Segments[i].Checks) > 0 {
			return true
		}
		for j := range p.Segments[i].Candidates {
			if p.Segments[i].Candidates[j].Script != "" {
				return true
			}
		}
	}
	for i := range p.Nested {
		if looks(&p.Nested[i].Plan) {
			return true
		}
	}
	return false
}
