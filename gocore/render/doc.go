// Package render turns the complete canonical value of a search into what a
// model sees of it: one bounded page of text, and, for a result that does not
// fit, the complete text that is saved.
//
// It decides which results a page shows, how long a line may be, how much a
// whole page may weigh, and the words around them. It does no I/O and changes
// no value: the same value and policy give the same bytes.
//
// A page is made in two steps, because its last sentence tells where the
// complete result lies and counts against the page's own ceiling: Glob or Grep
// make a Draft, which knows whether anything is left out; Draft.Page makes the
// page once it is known what became of the complete result.
package render

import "github.com/hydraharness/harness-runtime/gocore/search"

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
	// InlineMaxBytes bounds the text of a whole page: items, head, foot and
	// remarks. At least one item is shown, also where it alone is over, and a
	// glob of at most GlobMaxResults paths is shown whole: a list is as useful as
	// it is complete, and paths are short.
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

// kind is what a page lists.
type kind struct {
	noun, nouns string // one item, several items
	empty       string // the first line of an empty answer
	cut         string // the first line instead, when the search was cut short
	counted     bool   // the count stands before the items
	narrow      string // what to change in order to see the rest
}

var (
	globKind = kind{noun: "file", nouns: "files", empty: "No files found", cut: "Cut short before a file was found", narrow: "narrow path or pattern"}
	grepKind = kind{noun: "match", nouns: "matches", empty: "No matches found", cut: "Cut short before a match was found", narrow: "narrow path, include or pattern", counted: true}
)

func (k *kind) count(n int) string { return count(n, k.noun, k.nouns) }

// head is what stands before the items.
func (k *kind) head(total int) string {
	if !k.counted {
		return ""
	}
	return "Found " + k.count(total) + "\n\n"
}
