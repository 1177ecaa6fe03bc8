package search

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
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

	found []string // the paths beneath the walked directory
	head  string   // the entry that leads to that directory, or "" when it is the root
}

// Head returns the entry immediately beneath the search root that leads to the
// path at index i.
func (r *GlobResult) Head(i int) string {
	if r.head != "" {
		return r.head
	}
	head, _, _ := strings.Cut(r.found[i], "/")
	return head
}

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
	// Files are the files with a match, by path bytes: the answer to FilesOnly
	// and Count, and nil otherwise.
	Files []FileMatches `json:"files,omitzero"`
	Report
}

// FileMatches is a file with a match.
type FileMatches struct {
	// Path and PathBytes are those of a Match.
	Path      string `json:"path"`
	PathBytes []byte `json:"pathBytes,omitempty"`
	// Count is how many lines match (with Multiline: how many matches there
	// are). It is 0 where it was not asked for.
	Count int64 `json:"count,omitempty"`
}

// Match is one matching line, or a line beside one.
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
	// LineBytes is set where Line is not whole, for a frame of the wire could not
	// hold it: how many bytes all of it has.
	LineBytes int64 `json:"lineBytes,omitempty"`
	// Context marks a line that does not match: it was asked for by Before or
	// After.
	Context bool `json:"context,omitempty"`
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
	// WarnVanished: entries that were there when the search began and are gone.
	WarnVanished = "VANISHED"
	// WarnIgnoreFile: an ignore file was left out, since it is no plain file or
	// too large.
	WarnIgnoreFile = "IGNORE_FILE"
)

// Note explains a result, above all an empty one.
type Note struct {
	// Code is one of the Note constants.
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Codes of notes.
const (
	// NoteAbsolute: a pattern that starts with "/" was read as an absolute path
	// though a directory of that name lies in the search root.
	NoteAbsolute = "READ_AS_ABSOLUTE"
	// NoteBackslash: the pattern has backslashes where slashes would lead somewhere.
	NoteBackslash = "BACKSLASH"
	// NoteBlank: the pattern begins or ends in a blank.
	NoteBlank = "BLANK"
	// NoteBinary: a file was searched up to its first NUL byte only.
	NoteBinary = "STOPPED_AT_BINARY"
	// NoteBinarySearched: a file with NUL bytes was searched whole since path
	// names it.
	NoteBinarySearched = "BINARY_SEARCHED"
	// NoteCase: files have the name in other letters, upper or lower case.
	NoteCase = "CASE_DIFFERS"
	// NoteDialect: the pattern reads like one of another dialect, and found nothing.
	NoteDialect = "OTHER_DIALECT"
	// NoteDirectory: the pattern names a directory.
	NoteDirectory = "IS_DIRECTORY"
	// NoteDirectoriesMatch: directories match the pattern, too.
	NoteDirectoriesMatch = "DIRECTORIES_MATCH"
	// NoteEncoding: files are in an encoding that is not searched as text.
	NoteEncoding = "ENCODING"
	// NoteEveryLine: the pattern matches every line.
	NoteEveryLine = "MATCHES_EVERY_LINE"
	// NoteHiddenNotSearched: include asks for hidden files.
	NoteHiddenNotSearched = "HIDDEN_NOT_SEARCHED"
	// NoteIgnored: ignore files leave files out.
	NoteIgnored = "IGNORED_NOT_SEARCHED"
	// NoteIncludeMatchedNothing: no file was left to search.
	NoteIncludeMatchedNothing = "INCLUDE_MATCHED_NOTHING"
	// NoteIncludeNotApplied: path names a file that include does not match.
	NoteIncludeNotApplied = "INCLUDE_NOT_APPLIED"
	// NoteLink: the pattern names a symbolic link to a file, or to nothing.
	NoteLink = "IS_LINK"
	// NoteEnclosed: quotes or slashes around the pattern are part of it.
	NoteEnclosed = "ENCLOSED"
	// NoteLiteralEscape: the pattern has escapes by which other dialects group or
	// repeat.
	NoteLiteralEscape = "LITERAL_ESCAPE"
	// NoteLiteralName: the pattern means a name with brackets literally, or could.
	NoteLiteralName = "LITERAL_NAME"
	// NoteLiteralPipe: the pattern has "\|", which is no alternation.
	NoteLiteralPipe = "LITERAL_PIPE"
	// NoteLiteralText: the pattern reads like text that a regular expression does
	// not match.
	NoteLiteralText = "LITERAL_TEXT"
	// NoteNothingSearched: all files are hidden or ignored, or there are none.
	NoteNothingSearched = "NOTHING_SEARCHED"
	// NoteOneLine: the pattern asks for more than one line, and is matched within
	// one.
	NoteOneLine = "WITHIN_ONE_LINE"
	// NotePCRE2: the pattern was run by the other engine.
	NotePCRE2 = "PCRE2"
	// NotePrefixMissing: the directory that the pattern begins with is not there.
	NotePrefixMissing = "PREFIX_MISSING"
	// NoteReadAs: the pattern was read as one of another dialect.
	NoteReadAs = "READ_AS"
	// NoteUnicodeForm: the text may be there in the other form of Unicode.
	NoteUnicodeForm = "UNICODE_FORM"
	// NoteUpward: the pattern has ".." behind a wildcard.
	NoteUpward = "UPWARD"
	// NoteVersionControl: the pattern leads into version-control metadata.
	NoteVersionControl = "VERSION_CONTROL"
	// NoteWorktree: results lie in nested worktrees.
	NoteWorktree = "NESTED_WORKTREE"
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
	// Index says whether an index had a part in the answer; nil where there is none.
	Index *IndexUse `json:"index,omitempty"`
}

// MarshalJSON leaves Bytes out where an index was used: how much a plain search
// would have read is not known without reading.
func (s Stats) MarshalJSON() ([]byte, error) {
	type all Stats
	if s.Index == nil || s.Index.Used == UsedNot {
		return json.Marshal(all(s))
	}
	return json.Marshal(struct {
		Files   int64     `json:"files"`
		Ms      float64   `json:"ms"`
		Threads int       `json:"threads"`
		Index   *IndexUse `json:"index"`
	}{s.Files, s.Ms, s.Threads, s.Index})
}

// took notes the duration of a call that started at the given moment.
func (s *Stats) took(start time.Time) {
	s.Ms = float64(time.Since(start).Microseconds()) / 1000
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
