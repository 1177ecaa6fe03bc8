// Package shellword is what is known of a word of a command before the shell
// runs it: its bytes, what of them is a pattern, what is not known and why, and
// the names that only the file system knows (a match, a member of a walk, a line
// of a listing). Values of variables and printed texts are made of the same.
//
// It also splits a command line into options and operands the way getopt_long
// does, from a short specification (option.go), because the options are words
// like any others: one that is not known may be an option, a pattern may match
// a name that reads as one.
//
// It decides what a word may be. It does not decide how a shell expands one
// (package planner) nor what a command does with it (package command); a reason
// met on the way goes to the caller's Reporter.
//
// Known limits: alternatives, printed texts and followed names are bounded
// (value.go, output.go); beyond a bound a value is not known, never cut short.
package shellword
