// Package planner turns the text of a shell command into a Plan (package
// shellplan): which words the command may read or write, and with which access.
//
// It decides WHICH words matter and how the shell spells them after every
// expansion that needs no file system (quotes, braces, tilde, known variables).
// It does not decide WHERE a word lands (package establish: symbolic links,
// patterns, recursion) and gives no decision (package judge). It is pure: text
// in, values out; no I/O, no clock, no environment of this process.
//
// Parsing is mvdan.cc/sh/v3/syntax in the declared dialect and nothing else of
// that module: its expansion reads the wrong directory after a link and drops
// the quotes inside brackets, which an establishment cannot live with.
//
// What the planner does not model it says: every construct, option, command or
// value that could make the command touch a path the plan does not name becomes
// an Opaque reason on its segment, with the word and its position. Silence is
// the only wrong answer, so an over-report is preferred to an under-report.
//
// Known limits: time-dependent or machine-dependent names (process numbers,
// random file names) are opaque; a program that opens what it likes is outside
// any reading of its command line.
package planner
