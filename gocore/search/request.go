package search

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// MaxPatternBytes bounds a regular expression or a glob. Linux refuses a
	// single argument over 128 KiB; this leaves room for what is put around it.
	MaxPatternBytes = 100_000
	// MaxPathBytes is the longest path that Linux accepts, without its NUL.
	MaxPathBytes = 4095
)

// GlobRequest asks for the files whose path matches Pattern.
type GlobRequest struct {
	// Pattern is a glob in ripgrep's dialect, anchored at Path when it has a
	// slash.
	Pattern string
	// Path is the directory to search, absolute or relative to the working
	// directory of the call. Empty means that directory itself.
	Path string
}

// Case says how letters compare.
type Case string

// The case modes. The zero value is CaseSensitive.
const (
	CaseSensitive   Case = "sensitive"
	CaseInsensitive Case = "insensitive"
	// CaseSmart ignores case unless the pattern has an upper-case letter.
	CaseSmart Case = "smart"
)

// GrepRequest asks for the lines that match Pattern.
type GrepRequest struct {
	// Pattern is a regular expression in ripgrep's dialect.
	Pattern string
	// Path is the file or directory to search, as in GlobRequest.
	Path string
	// Include is one glob that narrows the files searched, or empty. It is
	// anchored at Path when it has a slash. A Path that names a file is searched
	// whatever Include says.
	Include string

	// The rest is for code, not for models.

	Case Case
	// Literal takes Pattern as plain text.
	Literal bool
	// Multiline lets a match span lines.
	Multiline bool
	// Before and After are how many lines around each match come with it, at
	// most MaxContext. They are Matches of their own, marked Context.
	Before, After int
	// FilesOnly asks which files have a match, and Count how many each has: the
	// answer is Files, and there are no Matches.
	FilesOnly, Count bool
}

// MaxContext bounds the lines on one side of a match: more is the file itself,
// and every match brings them.
const MaxContext = 1000

// linesWanted reports whether the answer is lines, not files.
func (r *GrepRequest) linesWanted() bool { return !r.FilesOnly && !r.Count }

func (r *GlobRequest) validate() error {
	if err := checkText("pattern", r.Pattern, MaxPatternBytes); err != nil {
		return err
	}
	if strings.TrimSpace(r.Pattern) == "" {
		return &ArgumentError{"pattern", `it is blank; write a glob such as "**/*.go"`}
	}
	if strings.HasPrefix(r.Pattern, "!") {
		return &ArgumentError{"pattern", `a glob that starts with "!" excludes and finds nothing by itself; write the files to find (for a name that starts with "!", write \! instead of it)`}
	}
	return checkPath(r.Path)
}

func (r *GrepRequest) validate() error {
	if err := checkText("pattern", r.Pattern, MaxPatternBytes); err != nil {
		return err
	}
	if strings.TrimSpace(r.Pattern) == "" {
		return &ArgumentError{"pattern", `it is blank; write a regular expression ("[ ]" matches a space)`}
	}
	switch r.Case {
	case "", CaseSensitive, CaseInsensitive, CaseSmart:
	default:
		return &ArgumentError{"case", fmt.Sprintf("it is %s; write sensitive, insensitive or smart", quote(string(r.Case)))}
	}
	if err := r.checkOutput(); err != nil {
		return err
	}
	if r.Include != "" {
		if err := checkInclude(r.Include); err != nil {
			return err
		}
	}
	return checkPath(r.Path)
}

// checkOutput refuses kinds of answers that exclude each other.
func (r *GrepRequest) checkOutput() error {
	beyond := func(n int) bool { return n < 0 || n > MaxContext }
	switch {
	case beyond(r.Before):
		return &ArgumentError{"before", fmt.Sprintf("it is %d; write a number of lines from 0 to %d", r.Before, MaxContext)}
	case beyond(r.After):
		return &ArgumentError{"after", fmt.Sprintf("it is %d; write a number of lines from 0 to %d", r.After, MaxContext)}
	case r.FilesOnly && r.Count:
		return &ArgumentError{"count", "filesOnly is set, too; set one of them (count names the files as well)"}
	case !r.linesWanted() && r.Before+r.After > 0:
		return &ArgumentError{"before", "lines around a match come with lines only; leave before and after out, or filesOnly and count"}
	}
	return nil
}

// checkInclude refuses what is not one positive glob.
func checkInclude(include string) error {
	if err := checkText("include", include, MaxPatternBytes); err != nil {
		return err
	}
	if strings.TrimSpace(include) == "" {
		return &ArgumentError{"include", "it is blank; leave it out to search every file"}
	}
	if strings.HasPrefix(include, "!") {
		return &ArgumentError{"include", `a glob that starts with "!" excludes; include takes the files to search, such as "*.go"`}
	}
	if isList(include) || globList(include) != nil || jsonList(strings.TrimSpace(include)) != nil {
		return &ArgumentError{"include", `it takes one glob, not a list; write alternatives in braces, such as "*.{ts,tsx}"`}
	}
	return nil
}

// isList reports whether a comma separates globs: it stands outside braces and
// brackets and is not escaped.
func isList(glob string) bool {
	braces, bracket := 0, false
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case bracket:
			bracket = c != ']'
		case c == '\\':
			i++
		case c == '[':
			bracket = true
		case c == '{':
			braces++
		case c == '}':
			braces--
		case c == ',' && braces <= 0:
			return true
		}
	}
	return false
}

func checkText(name, value string, limit int) error {
	switch {
	case len(value) > limit:
		return &ArgumentError{name, fmt.Sprintf("it has %d bytes, at most %d are accepted; write a shorter one", len(value), limit)}
	case strings.ContainsRune(value, 0):
		return &ArgumentError{name, "it holds a NUL character, which no file name and no line of text has; leave it out"}
	case !utf8.ValidString(value):
		return &ArgumentError{name, "it is not valid UTF-8; write it in UTF-8"}
	}
	return nil
}

// checkPath refuses what the kernel would. A path may be any bytes but NUL.
func checkPath(path string) error {
	switch {
	case len(path) > MaxPathBytes:
		return &ArgumentError{"path", fmt.Sprintf("it has %d bytes, a path has at most %d", len(path), MaxPathBytes)}
	case strings.ContainsRune(path, 0):
		return &ArgumentError{"path", "it holds a NUL character, which no path has; leave it out"}
	}
	return nil
}
