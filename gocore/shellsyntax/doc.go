// Package shellsyntax turns the text of a command into a syntax tree, in the
// declared dialect, and positions in it back into positions of the bytes that
// were given.
//
// Parsing is mvdan.cc/sh/v3/syntax and nothing else of that module: its expansion
// reads the wrong directory after a link and drops the quotes inside brackets,
// which an establishment cannot live with.
//
// It decides what text can be read at all. A text that the parser would read
// other than the shell does (a carriage return before a newline, a NUL) and one
// that nests deeper than a Go stack should follow is refused before the parser
// sees it. It does not decide what the tree means (package planner).
//
// Known limits: an sh of unknown make is parsed as POSIX; text that is not UTF-8
// and also holds characters of the last private plane is refused.
package shellsyntax
