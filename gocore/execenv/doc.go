// Package execenv is the file system that a shell command will meet, as few
// questions as establishing its words takes: where does this path lead, what is
// this name, what is in this directory.
//
// It decides nothing about commands or roots (packages establish and judge).
// Host answers for the machine this process runs on; an adapter to another
// machine implements Env, and LinkReader and FileReader where it can. What an
// environment is able to vouch for it declares in Capabilities; nothing is
// inferred from the shape of the implementation.
//
// Errors carry a Problem, a closed set, because "is not there" and "could not
// look" lead to opposite answers. An error without one counts as NoAnswer.
//
// Known limits: the process that asks is not the process of the command, so
// paths that depend on the asker (/proc/self) have no answer here; an entry can
// change between the question and its use.
package execenv
