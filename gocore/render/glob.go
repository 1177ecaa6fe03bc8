package render

import (
	"bufio"
	"io"
	"math"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Glob drafts the page of a glob: one path per line.
func Glob(r *search.GlobResult, policy Policy) *Draft {
	return glob(r.Paths, r.Head, &r.Report, policy)
}

// glob is Glob for paths whose top-level entries head tells.
func glob(paths []string, head func(i int) string, report *search.Report, policy Policy) *Draft {
	d := newDraft(&globKind, len(paths), policy, report)
	most := max(0, min(len(paths), policy.GlobMaxResults))
	if len(paths) <= policy.GlobMaxResults {
		d.limit = math.MaxInt // a list within its cap is complete, whatever its bytes
	}
	d.choose(most, func(n int) item { return pathItem(paths, n, 0) })
	if !policy.Sample || !d.Capped() {
		return d
	}
	groups := group(len(paths), head)
	if len(groups) == len(paths) {
		return d // flat: every entry has one path, and the sample is the head
	}
	d.groups = len(groups)
	picked := sample(groups, most)
	d.choose(len(picked), func(n int) item { return pathItem(paths, picked[n].index, picked[n].group) })
	return d
}

// jsonItem is what JSON takes around a string in a list.
const jsonItem = len(`"",`)

func pathItem(paths []string, i, group int) item {
	return item{
		index: i, group: group, separator: "\n", text: oneLine(paths[i]),
		structured: len(paths[i]) + jsonItem,
	}
}

// choose makes the first of n items, as many as fit on a page without a foot.
func (d *Draft) choose(n int, make func(n int) item) {
	d.items = nil
	var sum sum
	for i := range n {
		one := make(i)
		if !sum.add(&one, d.limit-d.around(0)) && i > 0 {
			return
		}
		d.items = append(d.items, one)
	}
}

// WriteGlob writes the complete list, one path per line, without a final line
// end.
func WriteGlob(w io.Writer, r *search.GlobResult) error {
	out := bufio.NewWriter(w)
	for i, path := range r.Paths {
		if i > 0 {
			_ = out.WriteByte('\n') // bufio keeps its first error for Flush
		}
		if _, err := out.WriteString(oneLine(path)); err != nil {
			return err
		}
	}
	return out.Flush()
}
