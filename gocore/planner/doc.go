// Package planner turns the text of a shell command into a Plan (package
// shellplan): which words the command may read or write, and with which access.
//
// It walks the syntax tree as the shell would run it and keeps what is known of
// the shell after each command (state.go), once for success and once for failure.
// Files that start with flow_ follow commands, with expand_ make words of text,
// with builtin_ are commands that change the shell; segment.go writes the plan.
// Text, expansion and commands hold each other (a word may hold a command), so
// these files know each other; every other part is a package beneath.
//
// It decides WHICH words matter and how the shell spells them after every
// expansion that needs no file system (quotes, braces, tilde, known variables).
// It does not decide what a program does with its words (package command, by
// rows that see no more of the shell than flow_row.go shows), WHERE a word lands
// (package establish: symbolic links, patterns, recursion) nor what may run
// (package judge). It is pure: text in, values out; no I/O, no clock, no
// environment of this process. Package harness alone builds plans.
//
// What the planner does not model it says: every construct or value that could
// make the command touch a path the plan does not name becomes an Opaque reason
// on its segment, with the word and its position. Silence is the only wrong
// answer, so an over-report is preferred to an under-report.
//
// To add a builtin: its entry in builtin.go, its code in the builtin_ file of its
// kind, and a case in the tests that bash or dash judges.
//
// Known limits: time-dependent or machine-dependent names (process numbers,
// random file names) are opaque; a program that opens what it likes is outside
// any reading of its command line; what is followed is bounded (package
// shellplan, limits.go), and a text beyond a bound is opaque as a whole.
package planner
