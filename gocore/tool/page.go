package tool

import (
	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Facts are what both structured pages say beside their items.
type Facts struct {
	// Shown of Total items are on the page; Truncated tells that they differ.
	Shown     int  `json:"shown"`
	Total     int  `json:"total"`
	Truncated bool `json:"truncated"`
	// Sampled is set when the items were sampled across top-level entries.
	Sampled *render.Sampled `json:"sampled,omitempty"`
	// Locator is where the complete result was saved, and Hint how to read it.
	Locator  string             `json:"locator,omitempty"`
	Hint     string             `json:"hint,omitempty"`
	Warnings []search.Warning   `json:"warnings,omitempty"`
	Notes    []search.Note      `json:"notes,omitempty"`
	Cut      *search.Incomplete `json:"incomplete,omitempty"`
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

func facts(page *render.Page, saved render.Saved) Facts {
	return Facts{
		Shown:     page.Shown,
		Total:     page.Total,
		Truncated: page.Capped(),
		Sampled:   page.Sampled,
		Locator:   saved.Locator,
		Hint:      saved.Hint,
		Warnings:  page.Report.Warnings,
		Notes:     page.Report.Notes,
		Cut:       page.Report.Incomplete,
	}
}

// Any reports whether the search found something.
func (f Facts) Any() bool { return f.Total > 0 }
