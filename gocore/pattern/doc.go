// Package pattern matches one component of a shell pathname pattern against
// one file name, the way bash and dash do.
//
// It decides whether a name matches. It reads no directory and knows no path:
// splitting a word at its slashes is Split, walking is package establish.
//
// A pattern is bytes with a quoting mask, because quoting counts inside
// brackets too: in `["!"a]*` the `!` is a member, in `[a"-"c]` there is no
// range. A quoted byte is never an operator.
//
// One Pattern is one reading: a dialect and an encoding. Where the shell's
// answer depends on something not known here (the collation order, the
// character table of a C library) Match answers Maybe, so that a caller who
// must not miss a file takes it and a caller who needs certainty does not.
//
// Readings that are modelled: bash 4 and later and dash's own matcher, bytes
// and UTF-8. Not modelled, each a typed error (*Error, CodeNotModelled):
// brackets inside extended patterns, collating symbols and equivalence classes in bash, bracket
// expressions whose end depends on the name they are matched with, patterns
// over MaxComponent. Other multi-byte encodings are not modelled at all and
// cannot be told from bytes here.
package pattern
