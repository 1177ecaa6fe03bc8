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
// Known limits: links met in a walk are not followed; a file that changes while
// it is searched is reported as it was read; with CRLF handling on, "$" also
// matches before a lone carriage return at the end of a line.
package search
