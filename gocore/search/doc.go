// Package search answers two questions about a tree of files, which files match
// a glob and which lines match a regular expression, by running the sidecar.
//
// It decides where a pattern is anchored, what it may be, which directory
// ripgrep walks, in which order results stand, what counts as a failure, and it
// returns the complete canonical value: nothing that was found is thrown away,
// and an empty answer means that the search looked everywhere it says.
//
// It does not decide what a model sees of a large result (package render), nor
// when a result is saved (package tool).
//
// Where it goes beyond ripgrep's own command line: a pattern is anchored at the
// search root and not at the process; a name that a pattern spells is found
// though brackets or braces make it mean something else; include does not bring
// back what is hidden or ignored; "$" matches before CRLF, unless the pattern
// names a carriage return; look-around and back-references work.
//
// Known limits: links met in a walk are not followed; a file that changes while
// it is searched is reported as it was read; "^" and "$" take a lone carriage
// return for a line end, so that "^foo$" also matches before one; how many files
// were left out as hidden, ignored or binary is known only when none was searched;
// a file whose first NUL lies behind its first 64 KiB is searched up to about there,
// unless the thread that reads it has met a line of more than 64 KiB before: then
// ripgrep may take it for binary as a whole, and says nothing of it.
package search
