package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// match is one name that a pattern gives the command.
type match struct {
	spelled string
	place   resolve.Place
	marks   marks
}

// globber expands one pattern from one directory. It lists each directory once
// for all readings, and resolves one by one only what is a link.
type globber struct {
	*run
	b        *budget
	readings []reading
	how      resolve.Options
	comps    []component
	states   []globState
	earlier  *earlier
	// listed are the directories that the shell lists.
	listed []string
}

// globState is a directory the pattern has reached, under some readings.
type globState struct {
	dir     resolve.Dir
	spelled string
	marks   marks
}

// expansion is what a pattern becomes.
type expansion struct {
	found []match
	// literal: the word itself may be handed over, too, because some reading
	// has no sure match.
	literal bool
	// listed are the directories that the shell lists.
	listed []string
}

// expand finds the matches of a pattern word. how says how the last component
// is resolved.
func (r *run) expand(from *resolve.Dir, w *shellplan.Word, sh *shellplan.Shell, h resolve.Options, b *budget, before *earlier) (out expansion, f *failure, err error) {
	readings := readingsOf(sh, w.Glob)
	comps, f := compile(w, sh, readings)
	if f != nil {
		return out, f, nil
	}
	g := &globber{run: r, b: b, readings: readings, how: h, comps: comps, earlier: before}
	all := uint8(1)<<len(readings) - 1
	start := globState{dir: *from, marks: marks{all, all}}
	if len(w.Raw) > 0 && w.Raw[0] == '/' {
		start.dir, start.spelled = resolve.RootDir, "/"
		g.comps = g.comps[1:]
	} else if from.State == Unestablishable {
		return out, &failure{from.Reason, from.Detail}, nil
	}
	g.states = []globState{start}
	out.found, f, err = g.matches()
	if f != nil || err != nil {
		return expansion{}, f, err
	}
	out.listed = g.listed
	var sure uint8
	for _, m := range out.found {
		sure |= m.marks.sure
	}
	for i, rd := range readings {
		out.literal = out.literal || rd.literal && sure&(1<<i) == 0
	}
	return out, nil, nil
}

// matches takes the components in turn. Literal ones are kept until a pattern or
// the end needs them, so that a run of them costs one question.
func (g *globber) matches() ([]match, *failure, error) {
	pending := ""
	for i := range g.comps {
		c := &g.comps[i]
		last := i == len(g.comps)-1
		if c.pats == nil {
			pending += c.raw
			if !last {
				pending += "/"
			}
			continue
		}
		if f, err := g.descend(pending); f != nil || err != nil {
			return nil, f, err
		}
		pending = ""
		switch {
		case last && c.deep:
			return g.everything(c)
		case last:
			return g.finish(c)
		case c.deep:
			if f, err := g.deeper(c, i == len(g.comps)-2 && g.comps[i+1].raw == ""); f != nil || err != nil {
				return nil, f, err
			}
			continue
		}
		// What follows takes directories only; a slash belongs to the
		// spelling.
		if f, err := g.middle(c); f != nil || err != nil {
			return nil, f, err
		}
	}
	return g.tail(pending)
}

// descend takes a run of literal components, each state to the directory it
// leads to. A state without one is dropped: nothing matches there.
func (g *globber) descend(run string) (*failure, error) {
	below := strings.TrimLeft(run, "/")
	if below == "" {
		for i := range g.states {
			g.states[i].spelled += run
		}
		return nil, nil
	}
	var next []globState
	for _, s := range g.states {
		p, err := g.resolve(&s.dir, below, resolve.Options{Follow: true, Reads: true, Record: g.how.Record, Fds: g.how.Fds})
		if err != nil {
			return nil, err
		}
		keep, f := usable(p)
		if f != nil {
			return f, nil
		}
		if keep || p.State == AbsentTail && p.Reason == NoReason && g.earlier.makes(p.Path) {
			next = append(next, globState{p.Dir(""), s.spelled + run, s.marks})
		}
	}
	g.states = next
	return nil, nil
}

// usable reports whether a place exists, so that a pattern can go on from it.
// What surely is not there is passed over, as the shell does; what nobody can
// say ends the operand.
func usable(p resolve.Place) (bool, *failure) {
	switch p.State {
	case Canonical:
		return true, nil
	case AbsentTail:
		return false, nil
	case Lexical:
		return false, &failure{NoAuthoritativeAnswer, p.Detail}
	}
	if p.Reason == LinkHops {
		return false, nil // ELOOP for the shell, too
	}
	return false, &failure{p.Reason, p.Detail}
}

// ambiguous reports whether every reading is sure to see more than one match: a
// redirection then opens nothing.
func ambiguous(found []match, readings int) bool {
	for i := range readings {
		n := 0
		for _, m := range found {
			if m.marks.sure&(1<<i) != 0 {
				n++
			}
		}
		if n < 2 {
			return false
		}
	}
	return true
}
