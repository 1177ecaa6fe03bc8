// Package ripgrep knows the sidecar: where it lies, whether it can run, what
// its exit status means, and the three texts it speaks: the NUL-separated file
// list, the JSON event stream, and the lines on standard error. It also knows
// its glob dialect well enough to reject what ripgrep rejects and to match what
// ripgrep matches.
//
// It does not build a search or interpret a result: package search does.
//
// Facts about formats and exit status are those of ripgrep 15.0.0, the pinned
// version, and are held against it by tests.
package ripgrep
