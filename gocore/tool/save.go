package tool

import (
	"context"
	"io"

	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
)

type writer = io.Writer

// save keeps the complete result of a page that does not show all of it. A
// result that was found stays a success whatever the store says: the page then
// tells that nothing was saved.
func (s *Set) save(ctx context.Context, session Session, page *render.Page, meta spill.Meta, content spill.Content) (render.Saved, error) {
	if !page.Capped() || s.store == nil || session.Owner == "" || session.Nested {
		return render.Saved{}, nil
	}
	meta.Owner, meta.CallID = session.Owner, session.CallID
	artifact, err := s.store.SaveText(ctx, meta, content)
	if err != nil {
		return render.Saved{}, err
	}
	return render.Saved{Locator: artifact.Locator, Hint: artifact.Hint}, nil
}

// Facts are what both structured pages say beside their items.
type Facts struct {
	Shown     int                `json:"shown"`
	Total     int                `json:"total"`
	Truncated bool               `json:"truncated"`
	Sampled   *render.Sampled    `json:"sampled,omitempty"`
	Locator   string             `json:"locator,omitempty"`
	Warnings  []search.Warning   `json:"warnings,omitempty"`
	Notes     []search.Note      `json:"notes,omitempty"`
	Cut       *search.Incomplete `json:"incomplete,omitempty"`
}

// GlobPage is the structured page of a glob.
type GlobPage struct {
	Root  string   `json:"root"`
	Paths []string `json:"paths"`
	Facts
}

// GrepPage is the structured page of a grep.
type GrepPage struct {
	Matches []GrepLine `json:"matches"`
	Facts
}

// GrepLine is a match with its line cut to a preview.
type GrepLine struct {
	Path       string `json:"path"`
	LineNumber int64  `json:"lineNumber"`
	Line       string `json:"line"`
}

func facts(page *render.Page, saved render.Saved, report *search.Report) Facts {
	return Facts{
		Shown:     page.Shown,
		Total:     page.Total,
		Truncated: page.Capped(),
		Sampled:   page.Sampled,
		Locator:   saved.Locator,
		Warnings:  report.Warnings,
		Notes:     report.Notes,
		Cut:       report.Incomplete,
	}
}

// Any reports whether the page has something on it.
func (f Facts) Any() bool { return f.Total > 0 }
