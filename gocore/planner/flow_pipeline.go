package planner

import (
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// pipeline walks the commands of a pipe from left to right; what one prints, as
// far as it is known, is what the next one reads.
//
// Bash manual, "Pipelines": each command runs in its own subshell, the last one
// too unless lastpipe is on; all run at the same time.
func (p *planner) pipeline(c *syntax.BinaryCmd, st *state) flow {
	var stages []*syntax.Stmt
	left, all := c.X, c.Op == syntax.PipeAll
	stages = append(stages, c.Y)
	for {
		b, ok := left.Cmd.(*syntax.BinaryCmd)
		if !ok || (b.Op != syntax.Pipe && b.Op != syntax.PipeAll) || len(left.Redirs) > 0 || left.Negated || left.Background {
			break
		}
		stages, left, all = append(stages, b.Y), b.X, all || b.Op == syntax.PipeAll
	}
	stages = append(stages, left)
	slices.Reverse(stages)
	printed := p.out
	var last flow
	p.concurrent(func() {
		in := st.stdin
		for i, s := range stages {
			p.out = shellword.Output{}
			sub := st.clone()
			if i > 0 {
				sub.stdin = in
				sub.fds[0] = fdInfo{kind: fdPipe}
			}
			if i < len(stages)-1 {
				sub.fds[1] = fdInfo{kind: fdPipe, from: 1}
			}
			loops, frames := p.loops, p.frames
			p.loops, p.frames = nil, nil
			if i < len(stages)-1 {
				p.listen++
			}
			if all { // |&: error messages, too, of one stage at least
				p.overheard()
			}
			end := p.stmt(s, sub)
			if i < len(stages)-1 {
				p.listen--
			}
			p.loops, p.frames = loops, frames
			if i == len(stages)-1 {
				last = end
			}
			in = p.out.AsInput()
		}
	})
	p.out = printed.Then(p.out)
	// bash and dash run the last command in a subshell too, unless lastpipe
	// is on; an sh of unknown make may keep its changes.
	if st.flag[flagLastPipe] != off || p.plan.Shell.Dialect == shellplan.DialectPosix {
		if after := last.any(); after != nil {
			after = after.clone()
			after.fds, after.stdin = st.fds, st.stdin
			st = join(st.clone(), after)
		}
	}
	return flow{st, st}
}
