// Package trigram tells which texts cannot match a regular expression, without
// reading them.
//
// A Plan is a condition that every text with a match fulfils: which runs of three
// bytes it has. A Segment knows of some thousand texts which such runs each has, and
// returns those that fulfil a condition. Both err on one side only: a text too many
// is read for nothing, a text too few would be a wrong answer. Whatever is not surely
// understood is the condition that all texts fulfil.
//
// Expressions are ripgrep's (Rust's crate regex), read by Go's parser after a
// rewriting that refuses whatever the two read differently. Two versions of Unicode
// fold case differently, so that only ASCII letters are folded here; texts with the
// two other characters that fold to ASCII (U+212A, U+017F) are told apart by a flag.
//
// It knows no files; package index does.
package trigram
