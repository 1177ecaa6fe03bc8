//go:build linux

package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
	"github.com/hydraharness/harness-runtime/tests/oracle/family"
	"github.com/hydraharness/harness-runtime/tests/oracle/kernel"
)

// job is the work on one block.
type job struct {
	*Engine
	b     *family.Block
	r     *Result
	dirty bool
}

// work asks about all cases in the fresh world, then runs what is allowed.
func (j *job) work() error {
	var allowed []*family.Case
	for i := range j.b.Cases {
		c := &j.b.Cases[i]
		kind := j.r.Kinds[c.Kind]
		if kind.Unknown && !c.Probe {
			continue
		}
		if err := j.clean(); err != nil {
			return err
		}
		answer, err := j.ask(j.b, c)
		if err != nil {
			return err
		}
		j.dirty = c.Between != ""
		by := j.r.By[c.By]
		by.Gated++
		kind.Gated++
		if c.Probe {
			kind.Unknown = unknown(&answer) && (kind.Gated == 1 || kind.Unknown)
		}
		if answer.Decision != judge.Allow {
			if kind.Why == "" {
				kind.Why = why(&answer)
			}
			continue
		}
		by.Allowed++
		kind.Allowed++
		switch {
		case c.Between != "":
			if err := j.alone(c); err != nil {
				return err
			}
		case !j.idle(j.b, c):
			allowed = append(allowed, c)
		}
	}
	for len(allowed) > 0 {
		n := min(max(1, j.b.Together), len(allowed))
		if err := j.several(allowed[:n]); err != nil {
			return err
		}
		allowed = allowed[n:]
	}
	return nil
}

func (j *job) clean() error {
	if !j.dirty {
		return nil
	}
	j.dirty = false
	return j.fresh()
}

// several runs cases one after the other, and each by itself when something was
// touched or time ran out.
func (j *job) several(list []*family.Case) error {
	if len(list) > 1 && sameShell(j.b, list) {
		if err := j.clean(); err != nil {
			return err
		}
		texts := make([]string, len(list))
		for i, c := range list {
			texts[i] = j.now.Fill(truth.Text(c.Command))
		}
		sh := shells(shellOf(j.b, list[0]))[0]
		ran, err := j.Runner.Run(j.now, kernel.Several(sh, texts), j.now.Fill(truth.Text(j.b.Cwd)), j.environment(j.b, list[0]), severalPatience(len(list)))
		if err != nil {
			return err
		}
		j.dirty = !ran.Clean
		if !ran.Late && j.outside(j.b, ran).None() {
			for _, c := range list {
				j.r.By[c.By].Ran++
				j.r.Kinds[c.Kind].Ran++
			}
			return nil
		}
	}
	for _, c := range list {
		if err := j.clean(); err != nil {
			return err
		}
		if err := j.alone(c); err != nil {
			return err
		}
	}
	return nil
}

// sameShell reports that cases can share a run: one program, one environment.
func sameShell(b *family.Block, list []*family.Case) bool {
	return !slices.ContainsFunc(list, func(c *family.Case) bool {
		return len(c.Env) > 0 || shellOf(b, c) != shellOf(b, list[0]) || len(shells(shellOf(b, c))) > 1
	})
}

// alone runs one case in the world as it is.
func (j *job) alone(c *family.Case) error {
	out, err := j.run(j.b, c)
	if err != nil {
		return err
	}
	j.dirty = !out.clean || c.Between != ""
	by, kind := j.r.By[c.By], j.r.Kinds[c.Kind]
	by.Ran++
	kind.Ran++
	if out.late {
		by.Late++
	}
	if out.touched.None() {
		return nil
	}
	by.Hits++
	j.dirty = true
	small, got, err := j.shrink(c, out)
	if err != nil {
		return err
	}
	hit := Hit{Kind: c.Kind, Record: j.record(small, c, got)}
	if hit.Line, err = json.Marshal(hit.Record); err != nil {
		return err
	}
	j.r.Hits = append(j.r.Hits, hit)
	j.dirty = true
	return nil
}

// unknown reports an answer whose reason is that the table lacks an option.
func unknown(answer *judge.Ruling) bool {
	return answer.Decision != judge.Allow && slices.ContainsFunc(answer.Reasons, func(r judge.Reason) bool {
		return strings.Contains(r.Message, "not in the table") || strings.Contains(r.Message, "is not modelled")
	})
}

func why(answer *judge.Ruling) string {
	if len(answer.Reasons) == 0 {
		return answer.Decision.String()
	}
	return answer.Reasons[0].Message
}
