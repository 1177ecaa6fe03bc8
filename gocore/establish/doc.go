// Package establish says where the words of a shell plan land once the file
// system has answered.
//
// The plan (package shellplan) says WHICH words a command may touch and
// with which access. This package says WHERE each of them is: links resolved and `..`
// applied the way the kernel does it, patterns expanded the way the shell does
// it, walks enumerated. It gives no decision: package judge comes next.
//
// What holds for every answer:
//   - a target that does not exist is no refusal: the deepest existing ancestor
//     is resolved and the missing tail joined to it; a write through a link
//     whose target is missing lands where the link leads;
//   - a file system that cannot answer makes no refusal of its own: the word
//     keeps its spelling, unless the environment declares that it is the
//     authority;
//   - an isolated environment is never asked anything;
//   - a pattern without a match is the literal word;
//   - what cannot be enumerated is Unestablishable, never vouched for;
//   - only words with a pattern or a walk cost more than their own path.
//
// No answer is remembered: each call asks anew, which is what makes
// Reestablish, just before the command starts, worth something. Between that
// and the command's own open, and inside the running command, nothing is
// promised. Known limits: hard links and another inode at the same path are not
// seen; a mount point inside a root is trusted; locales that are neither C nor
// UTF-8 are not modelled.
package establish
