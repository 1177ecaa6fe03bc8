package search

import (
	"encoding/json"
	"strconv"
)

// GlobResult is the complete canonical value of a glob.
type GlobResult struct {
	// Root is the directory searched, as the call spelled it, or relative to the
	// working directory when an absolute path lies inside it.
	Root string `json:"root"`
	// RootBytes are Root's exact bytes when it is not UTF-8.
	RootBytes []byte `json:"rootBytes,omitempty"`
	// Paths are files in the configured order, spelled under Root. A byte that is
	// not UTF-8 is written \xNN.
	Paths []string `json:"paths"`
	// PathBytes are the exact bytes of those paths that are not UTF-8, by index.
	PathBytes PathBytes `json:"pathBytes,omitempty"`
	Report

	heads []string
}

// Head returns the entry immediately beneath the search root that leads to the
// path at index i.
func (r *GlobResult) Head(i int) string { return r.heads[i] }

// PathBytes maps the index of a path to its exact bytes. In JSON the keys are
// decimal and the values base64.
type PathBytes map[int][]byte

// MarshalJSON writes an object.
func (p PathBytes) MarshalJSON() ([]byte, error) {
	byKey := make(map[string][]byte, len(p))
	for i, b := range p {
		byKey[strconv.Itoa(i)] = b
	}
	return json.Marshal(byKey)
}

// GrepResult is the complete canonical value of a grep: every matching line,
// by path bytes, then line number.
type GrepResult struct {
	Matches []Match `json:"matches"`
	Report
}

// Match is one matching line.
type Match struct {
	// Path is spelled as the paths of a GlobResult are.
	Path string `json:"path"`
	// PathBytes are the exact bytes when the path is not UTF-8.
	PathBytes []byte `json:"pathBytes,omitempty"`
	// LineNumber counts from 1.
	LineNumber int64 `json:"lineNumber"`
	// Line is the whole line without its end ("\n", or "\r\n"). What is not UTF-8
	// in it is replaced by U+FFFD.
	Line string `json:"line"`
	// Hit is the byte offset of the first hit in Line.
	Hit int `json:"-"`
}

// Report is what a search has to say beside its results.
type Report struct {
	Warnings   []Warning   `json:"warnings,omitempty"`
	Notes      []Note      `json:"notes,omitempty"`
	Stats      *Stats      `json:"stats,omitempty"`
	Incomplete *Incomplete `json:"incomplete,omitempty"`
}

// Warning counts what could not be looked at.
type Warning struct {
	// Code is one of the Warn constants.
	Code string `json:"code"`
	// Count is how many entries it is about.
	Count int `json:"count"`
	// Paths are the first of them, as displayed.
	Paths []string `json:"paths,omitempty"`
	// Message is one sentence for people and models.
	Message string `json:"message"`
}

// Codes of warnings.
const (
	// WarnUnreadable: entries that ripgrep could not read.
	WarnUnreadable = "UNREADABLE"
	// WarnVanished: files that were listed and are gone.
	WarnVanished = "VANISHED"
)

// Note explains a result, above all an empty one.
type Note struct {
	// Code is one of the Note constants.
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Codes of notes.
const (
	NoteIncludeMatchedNothing = "INCLUDE_MATCHED_NOTHING"
	NoteIncludeNotApplied     = "INCLUDE_NOT_APPLIED"
	NoteHiddenNotSearched     = "HIDDEN_NOT_SEARCHED"
	NoteBinary                = "STOPPED_AT_BINARY"
	NoteDirectory             = "IS_DIRECTORY"
	NoteDirectoriesMatch      = "DIRECTORIES_MATCH"
	NoteLiteralPipe           = "LITERAL_PIPE"
	NoteLiteralName           = "LITERAL_NAME"
	NotePrefixMissing         = "PREFIX_MISSING"
	NotePCRE2                 = "PCRE2"
)

// Stats tell what a search cost.
type Stats struct {
	// Files is how many files were searched (grep) or listed (glob).
	Files int64 `json:"files"`
	// Bytes is how much text was searched.
	Bytes int64 `json:"bytes"`
	// Ms is the wall-clock time of the call in milliseconds.
	Ms float64 `json:"ms"`
	// Threads is how many threads ripgrep was allowed.
	Threads int `json:"threads"`
}

// Incomplete marks a result that was cut short (CutShortPage).
type Incomplete struct {
	// Reason is ReasonTimeout or ReasonRawOutput.
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Slice returns the entries of the indices in [from, to), counted from from.
func (p PathBytes) Slice(from, to int) PathBytes {
	if from == 0 && len(p) == 0 {
		return p
	}
	part := PathBytes{}
	for i, exact := range p {
		if from <= i && i < to {
			part[i-from] = exact
		}
	}
	return part
}
