//go:build linux

package grade

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

// Score is the grade of many cases.
type Score struct {
	Results []*Result
}

// All grades the cases one after the other.
func All(ctx context.Context, dir string, cases []*truth.Case, o Options) (*Score, error) {
	s := &Score{}
	for _, c := range cases {
		r, err := Grade(ctx, dir, c, o)
		if err != nil {
			return nil, err
		}
		s.Results = append(s.Results, r)
	}
	return s, nil
}

// exactShapes are the shapes in which an answer has to equal the kernel's.
var exactShapes = []string{"literal", "glob", "traversal"}

// preciseShapes are the shapes that count for precision.
var preciseShapes = []string{"literal", "option", "glob", "traversal", "cwd"}

// Expected reports whether the decision is one the case allows; true for a case
// without an expectation.
func (r *Result) Expected() bool {
	v := r.Ruling.Decision.String()
	return r.Case.Expect == "" || v == r.Case.Expect || slices.Contains(r.Case.ExpectAlso, v)
}

// Unsafe reports an allow of a command that leaves the roots.
func (r *Result) Unsafe() bool {
	return r.Ruling.Decision == judge.Allow && r.Case.EscapesExplicitly()
}

// Exact reports whether the answer equals the kernel's.
func (r *Result) Exact() bool { return len(r.Missing) == 0 && len(r.Extra) == 0 }

// counts is one line of the table.
type counts struct {
	cases, misses, opaque, exact, exactOf, unsafe, safe, allowed, expected, wrong int
}

func (n *counts) add(r *Result) {
	n.cases++
	if len(r.Misses) > 0 {
		n.misses++
	}
	if len(r.Opaque) > 0 {
		n.opaque++
	}
	if slices.Contains(exactShapes, r.Case.Shape) && len(r.Opaque) == 0 {
		n.exactOf++
		if r.Exact() {
			n.exact++
		}
	}
	if r.Unsafe() {
		n.unsafe++
	}
	if !r.Case.EscapesExplicitly() {
		n.safe++
		if r.Ruling.Decision == judge.Allow {
			n.allowed++
		}
	}
	if r.Case.Expect != "" && r.Expected() {
		n.expected++
	}
	if r.Wrong != "" {
		n.wrong++
	}
}

// Table prints one line per group (or kind) and the bars.
func (s *Score) Table(w io.Writer) {
	groups := map[string]*counts{}
	total := &counts{}
	for _, r := range s.Results {
		g := r.Case.Group
		if groups[g] == nil {
			groups[g] = &counts{}
		}
		groups[g].add(r)
		total.add(r)
	}
	names := make([]string, 0, len(groups))
	for g := range groups {
		names = append(names, g)
	}
	slices.Sort(names)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "group\tcases\tmisses\topaque\texact\tunsafe\tinside\tallowed\texpected\treestablish\t")
	line := func(name string, n *counts) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d/%d\t%d\t%d\t%d\t%d\t%d\t\n",
			name, n.cases, n.misses, n.opaque, n.exact, n.exactOf, n.unsafe, n.safe, n.allowed, n.expected, n.wrong)
	}
	for _, g := range names {
		line(g, groups[g])
	}
	line("all", total)
	t.Flush()
	for _, b := range s.Bars() {
		fmt.Fprintln(w, b)
	}
}

// Bar is one bar with how far it is met.
type Bar struct {
	Name   string
	Have   int
	Of     int
	AtMost bool // Have must be zero; otherwise it is a share of Of
	Least  float64
}

// Met reports whether the bar is reached. A bar over nothing is.
func (b Bar) Met() bool {
	if b.AtMost {
		return b.Have == 0
	}
	return b.Of == 0 || float64(b.Have) >= b.Least*float64(b.Of)
}

func (b Bar) String() string {
	mark := "ok  "
	if !b.Met() {
		mark = "FAIL"
	}
	if b.AtMost {
		return fmt.Sprintf("%s %s: %d of %d (bar: none)", mark, b.Name, b.Have, b.Of)
	}
	share := 100.0
	if b.Of > 0 {
		share = 100 * float64(b.Have) / float64(b.Of)
	}
	return fmt.Sprintf("%s %s: %d of %d, %.1f %% (bar: %.1f %%)", mark, b.Name, b.Have, b.Of, share, 100*b.Least)
}

// Bars are the bars of the corpus that the cases belong to.
func (s *Score) Bars() []Bar {
	miss := Bar{Name: "misses", AtMost: true}
	unsafe := Bar{Name: "escapes allowed", AtMost: true}
	wrong := Bar{Name: "re-establishments wrong", AtMost: true}
	exact := Bar{Name: "exact (literal, glob, traversal; complete answers)", Least: 1}
	precise := Bar{Name: "allowed of what stays inside (literal, option, glob, traversal, cwd)", Least: 0.9}
	inside := Bar{Name: "allowed of all that stays inside", Least: 5.0 / 6}
	denied := Bar{Name: "expected denies", Least: 1}
	allowed := Bar{Name: "expected allows", Least: 0.97}
	strict := Bar{Name: "expected allows that may not ask either", Least: 0.97}
	answers := Bar{Name: "expected answers", Least: 0.95}
	everyday := false
	for _, r := range s.Results {
		miss.Of++
		if len(r.Misses) > 0 {
			miss.Have++
		}
		unsafe.Of++
		if r.Unsafe() {
			unsafe.Have++
		}
		if len(r.Case.Mutate) > 0 {
			wrong.Of++
			if r.Wrong != "" {
				wrong.Have++
			}
		}
		allow := r.Ruling.Decision == judge.Allow
		if r.Case.Expect != "" {
			everyday = true
			answers.Of++
			if r.Expected() {
				answers.Have++
			}
			switch r.Case.Expect {
			case "deny":
				denied.Of++
				if r.Ruling.Decision == judge.Deny {
					denied.Have++
				}
			case "allow":
				allowed.Of++
				if allow {
					allowed.Have++
				}
				if len(r.Case.ExpectAlso) == 0 {
					strict.Of++
					if allow {
						strict.Have++
					}
				}
			}
			continue
		}
		if slices.Contains(exactShapes, r.Case.Shape) && len(r.Opaque) == 0 {
			exact.Of++
			if r.Exact() {
				exact.Have++
			}
		}
		if !r.Case.Escapes {
			inside.Of++
			if allow {
				inside.Have++
			}
			if slices.Contains(preciseShapes, r.Case.Shape) {
				precise.Of++
				if allow {
					precise.Have++
				}
			}
		}
	}
	if everyday {
		return []Bar{miss, unsafe, denied, allowed, strict, answers}
	}
	return []Bar{miss, unsafe, wrong, exact, precise, inside}
}

// Met reports whether every bar is reached.
func (s *Score) Met() bool {
	for _, b := range s.Bars() {
		if !b.Met() {
			return false
		}
	}
	return true
}

// Details prints, per case that is not as it should be, what is wrong.
func (s *Score) Details(w io.Writer) {
	for _, r := range s.Results {
		var notes []string
		for _, m := range r.Misses {
			notes = append(notes, "MISS "+m)
		}
		if r.Unsafe() {
			notes = append(notes, "ESCAPE ALLOWED")
		}
		if r.Wrong != "" {
			notes = append(notes, r.Wrong)
		}
		if !r.Expected() {
			notes = append(notes, fmt.Sprintf("decides %s, expected %s: %s", r.Ruling.Decision, r.Case.Expect, r.Case.ExpectWhy))
		}
		if r.Case.Expect == "allow" && r.Ruling.Decision != judge.Allow && r.Expected() {
			notes = append(notes, "asks where an allow is better")
		}
		if r.Case.Expect == "" && !r.Case.Escapes && r.Ruling.Decision != judge.Allow {
			notes = append(notes, "refused though it stays inside")
		}
		if slices.Contains(exactShapes, r.Case.Shape) && len(r.Opaque) == 0 && !r.Exact() {
			notes = append(notes, "not exact")
		}
		if len(notes) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s [%s] %q\n", r.Case.ID, r.Case.Shape, r.Case.Command)
		for _, n := range notes {
			fmt.Fprintf(w, "    %s\n", n)
		}
		for _, o := range r.Opaque {
			fmt.Fprintf(w, "    not complete: %s\n", o)
		}
		if slices.Contains(exactShapes, r.Case.Shape) {
			for _, x := range r.Missing {
				fmt.Fprintf(w, "    by a walk only: %s\n", x)
			}
			for _, x := range r.Extra {
				fmt.Fprintf(w, "    not seen: %s\n", x)
			}
		}
		if r.Ruling.Decision != judge.Allow {
			for _, why := range r.Ruling.Reasons {
				fmt.Fprintf(w, "    %s: %s\n", why.Code, strings.TrimSpace(why.Message))
			}
		}
	}
}
