// Package render turns the complete canonical value of a search into what a
// model sees of it: one bounded page of text, and, for a result that does not
// fit, the complete text that is saved.
//
// It decides which results a page shows, how long a line may be, how much a
// whole page may weigh, and the words around them. It does no I/O and changes
// no value: the same value and policy give the same bytes.
package render

import (
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Policy bounds a page. The names are those of the configuration file.
type Policy struct {
	// Sample selects an over-cap glob page across top-level entries; otherwise
	// the page is the head of the list.
	Sample bool
	// Order names the order that a page's list is in.
	Order search.Order
	// GlobMaxResults and GrepMaxMatches are how many items a page shows.
	GlobMaxResults, GrepMaxMatches int
	// GrepMaxLineBytes is how much of a matching line a page shows.
	GrepMaxLineBytes int
	// InlineMaxBytes bounds the list of a whole page. At least one item is shown.
	InlineMaxBytes int
}

// DefaultPolicy returns the defaults of the configuration file. Sample has none.
func DefaultPolicy(sample bool) Policy {
	return Policy{
		Sample:           sample,
		Order:            search.OrderModified,
		GlobMaxResults:   100,
		GrepMaxMatches:   250,
		GrepMaxLineBytes: 2000,
		InlineMaxBytes:   50_000,
	}
}

// Page is what a model sees of one result.
type Page struct {
	// Items is the text of the items shown, without head and foot.
	Items string
	// Shown and Total count items; they differ when the page is capped.
	Shown, Total int
	// Sampled is set when the items were sampled across top-level entries.
	Sampled *Sampled
	// Indices are the items shown, as indices into the canonical value.
	Indices []int

	kind   kind
	report *search.Report
}

// Sampled says how far a sample reached.
type Sampled struct {
	// Reached of Total top-level entries are on the page.
	Reached int `json:"reached"`
	Total   int `json:"total"`
}

// Capped reports whether the page shows less than everything.
func (p *Page) Capped() bool { return p.Shown < p.Total }

// kind is what a page lists.
type kind struct {
	noun  string // one item
	nouns string
	empty string // the first line of an empty answer
}

var (
	globKind = kind{"file", "files", "No files found"}
	grepKind = kind{"match", "matches", "No matches found"}
)

func (k kind) count(n int) string {
	if n == 1 {
		return "1 " + k.noun
	}
	return fmt.Sprintf("%d %s", n, k.nouns)
}

// Saved says what became of the complete result of a capped page.
type Saved struct {
	// Locator is where it is, or empty when it was not saved.
	Locator string
	// Hint says how to read it.
	Hint string
}

// Text is the page as the model gets it: Body and Remarks.
func (p *Page) Text(saved Saved) string {
	remarks := p.Remarks()
	switch {
	case remarks == "":
		return p.Body(saved)
	case p.Total == 0:
		return p.Body(saved) + "\n" + remarks
	}
	return p.Body(saved) + "\n\n" + remarks
}

// Body is the items with the words around them.
func (p *Page) Body(saved Saved) string {
	if p.Total == 0 {
		return p.kind.empty
	}
	body := p.Items
	if p.kind == grepKind {
		body = "Found " + p.kind.count(p.Total) + "\n\n" + body
	}
	if foot := p.foot(saved); foot != "" {
		body += "\n\n" + foot
	}
	return body
}

// Remarks are the warnings and notes of the result, one in a line.
func (p *Page) Remarks() string { return remarks(p.report) }

// remarks are the warnings and notes of a result, one in a line.
func remarks(r *search.Report) string {
	var lines []string
	if r.Incomplete != nil {
		lines = append(lines, "("+r.Incomplete.Message+")")
	}
	for _, w := range r.Warnings {
		lines = append(lines, "("+w.Message+")")
	}
	for _, n := range r.Notes {
		lines = append(lines, "("+n.Message+")")
	}
	return strings.Join(lines, "\n")
}

// escapeLine keeps a name with line ends on one line of a page.
func escapeLine(name string) string {
	if !strings.ContainsAny(name, "\r\n") {
		return name
	}
	return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(name)
}
