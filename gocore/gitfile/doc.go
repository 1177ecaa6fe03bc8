// Package gitfile reads the files of git that decide what a git command runs
// and where it looks: a configuration, and the index.
//
// It is text to values, and pure: it opens nothing, follows no include and knows
// no repository. What a setting makes git do is for whoever asks (package
// establish looks at the files that a plan's checks name).
//
// What holds: a text that git would refuse has no settings, and an index in a
// form that is not read here has no submodules, with ok false; neither is ever
// half an answer. In the tests git itself writes the indexes.
//
// Known limits:
//   - of an index, the formats 2 to 4 are read; a split index and a sparse one
//     are told as not read;
//   - the checksum behind an index is not verified: who writes one can write
//     another;
//   - the sizes are the caller's to bound; the work is one pass over the bytes.
package gitfile
