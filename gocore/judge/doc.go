// Package judge says whether a command may run: allow, confine, ask or deny, with
// the reasons.
//
// It holds an established plan (package establish) against roots, denied
// paths and a policy. It is pure: no file system, no clock, the same
// establishment gives the same decision. The zero Decision is Deny and the zero
// Policy refuses whatever is not known.
//
// What Allow means: every path that the words of the command lead to lies where
// it may be read or written, and nothing about the command is unknown. It does
// not mean that the command is harmless, that a program does only what its words
// say, or that the places stay where they are until it runs.
//
// Rules, in order of strength:
//   - a path at or below a denied path, by its landing or by its spelling, is
//     a Deny, whatever happens to it;
//   - reading and looking needs a read root, writing a write root; a write root
//     may be read too;
//   - removing a home, or what holds one, is a Deny, whatever the roots are;
//   - what is not known (a word without an answer, an opaque command) is what
//     the policy says: a Deny, an Ask, or, where a sandbox holds it, a Confine;
//   - a rule of trust speaks for a program that does what it likes, and for
//     nothing else of the text;
//   - a walk that was too large to enumerate but cannot leave its root counts as
//     that root, when the policy allows it and no denied path lies below.
package judge
