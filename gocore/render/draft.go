package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Draft is a page whose last sentence is missing: what became of the complete
// result. It never changes.
type Draft struct {
	kind  *kind
	total int
	// items are chosen, in the order of choice: at most the cap of items, and
	// no more than fit on a page without a foot.
	items []item
	// groups counts the top-level entries when the items are a sample of them.
	groups  int
	limit   int
	report  search.Report // as the page shows it
	cut     string
	remarks string
}

func newDraft(k *kind, total int, policy Policy, report *search.Report) *Draft {
	d := &Draft{kind: k, total: total, limit: policy.InlineMaxBytes, report: bounded(report, k)}
	d.cut, d.remarks = cutLine(&d.report), remarks(&d.report)
	return d
}

// item is one result on a page.
type item struct {
	index     int    // in the canonical value
	separator string // stands between the item before and this one
	text      string
	line      string // the preview of a match
	group     int    // the top-level entry of a sampled path
	// structured estimates the item in the structured page, where each match
	// repeats its path: a client may show that form to its model instead.
	structured int
}

// Capped reports whether the page will show less than everything: the complete
// result is then worth saving.
func (d *Draft) Capped() bool { return len(d.items) < d.total }

// Saved says what became of the complete result of a capped page.
type Saved struct {
	// Locator is where it is, or empty when it was not saved.
	Locator string
	// Hint says how to read it.
	Hint string
	// Why says in words why it was not saved, when that is no fault of the store;
	// it stands behind "because".
	Why string
}

// Page is what a model sees of one result.
type Page struct {
	// Body is the items behind their count.
	Body string
	// Cut says that the search was cut short, so that more may be there.
	Cut string
	// Remarks are the other messages of Report, one in a line.
	Remarks string
	// Foot says of a capped page what it leaves out and, in its last line, where
	// the complete result lies: the one line that differs between equal calls.
	Foot string
	// Report is what there is to say beside the results, bounded as the page is.
	Report search.Report
	// Shown and Total count items; they differ when the page is capped.
	Shown, Total int
	// Sampled is set when the items were sampled across top-level entries.
	Sampled *Sampled
	// Indices are the items shown, as indices into the canonical value.
	Indices []int
	// Lines are the previews of the matches shown; nil for a glob.
	Lines []string
}

// Sampled says how far a sample reached.
type Sampled struct {
	// Reached of Total top-level entries are on the page.
	Reached int `json:"reached"`
	Total   int `json:"total"`
}

// Capped reports whether the page shows less than everything.
func (p *Page) Capped() bool { return p.Shown < p.Total }

// Text is the page as the model gets it: Body, Cut, Remarks and Foot.
func (p *Page) Text() string {
	text := p.Body
	gap := "\n"
	if p.Total > 0 {
		gap = "\n\n"
	}
	for _, lines := range []string{p.Cut, p.Remarks} {
		if lines != "" {
			text += gap + lines
			gap = "\n"
		}
	}
	if p.Foot != "" {
		text += "\n\n" + p.Foot
	}
	return text
}

// Page makes the page. Its text has at most Policy.InlineMaxBytes, unless one
// item is more than that by itself or the page is a glob within its cap.
func (d *Draft) Page(saved Saved) *Page {
	page := &Page{Total: d.total, Cut: d.cut, Remarks: d.remarks, Report: d.report}
	if d.total == 0 {
		page.Body = d.kind.empty
		if d.cut != "" {
			page.Body = d.kind.cut
		}
		return page
	}
	items := d.items
	if d.Capped() {
		items = fit(items, d.limit-d.around(d.maxFoot(saved)))
	}
	page.Shown = len(items)
	if d.groups > 0 {
		items = slices.Clone(items)
		slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.group, b.group) })
		page.Sampled = &Sampled{Reached: reached(items), Total: d.groups}
	}
	var b strings.Builder
	for i := range items {
		if i > 0 {
			b.WriteString(items[i].separator)
		}
		b.WriteString(items[i].text)
		page.Indices = append(page.Indices, items[i].index)
		if d.kind == &grepKind {
			page.Lines = append(page.Lines, items[i].line)
		}
	}
	page.Body = d.kind.head(d.total) + b.String()
	if page.Capped() {
		page.Foot = d.foot(page.Shown, page.Sampled, saved)
	}
	return page
}

// around is what stands on a page beside its items and their separators.
func (d *Draft) around(foot int) int {
	n := len(d.kind.head(d.total))
	for _, part := range []int{foot, len(d.cut), len(d.remarks)} {
		if part > 0 {
			n += part + len("\n\n")
		}
	}
	return n
}

// fit keeps the leading items that take at most limit bytes, and at least one.
func fit(items []item, limit int) []item {
	var sum sum
	for n := range items {
		if !sum.add(&items[n], limit) && n > 0 {
			return items[:n]
		}
	}
	return items
}

// sum adds up what items take in both forms of a page.
type sum struct{ text, structured int }

// add counts an item and reports whether all counted so far fit in limit.
func (s *sum) add(i *item, limit int) bool {
	s.text += len(i.separator) + len(i.text)
	s.structured += i.structured
	return max(s.text, s.structured) <= limit
}

func reached(items []item) int {
	n := 0
	for i := range items {
		if i == 0 || items[i].group != items[i-1].group {
			n++
		}
	}
	return n
}
