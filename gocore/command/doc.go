// Package command is the table of commands: for each program that is known, which
// of its words it reads, writes, looks at or runs, by its options.
//
// A row is data first (row.go, option specifications in package shellword) and
// code only where a command reads its words in a way of its own. It sees the
// shell through one interface (shell.go): it reports candidates, effects and
// reasons, asks what a variable or a descriptor is, and has another command read.
// It cannot reach the shell's state; the compiler sees to that.
//
// It decides what a command does with its words. It does not decide how the shell
// spells them or what a builtin does to the shell (package planner, which calls
// Call.Run for every program), nor where a path leads (package establish).
//
// What a row does not model it says: an option, an abbreviation or a value that
// could make the command touch a path that is not named is a reason. A command
// that is not in the table may do anything.
//
// Known limits: the options are those of the GNU programs, of git, ripgrep and
// the other programs named in docs/security.md; a program of the same name with
// other options is read by this table.
//
// To add a command or an option: the row stands in the file of its kind, list.go
// makes a new row count, and `go test ./gocore/command -run ListOfCommands
// -update` brings docs/security.md up to date.
package command
