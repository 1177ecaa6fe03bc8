// Package pybind is the door for a program that has the runtime in its own
// process: the surface from which gopy makes a Python extension.
//
// It decides how calls cross that border: as text, under a token that cancels
// them, answered by the calling thread (Call) or by a goroutine (Start, Wait).
// What the methods are and do, harness decides, for this door and the server
// alike.
//
// Only text and numbers cross. A Go error would become a bare RuntimeError and
// leak, a slice or a map would be a handle that the other side has to free, and
// a stale one of these ends the interpreter. Text is JSON: no NUL in it, which
// would cut it short, and no bytes that are not UTF-8.
//
// The host is a guest's guest: nothing here reads the environment or the working
// directory of the process, or installs a signal handler, or lets a panic out. A
// panic in the calling goroutine is answered as an error; every other goroutine
// of the packages below has a recover of its own, which a test checks. A stack
// overflow, a concurrent map write and the end of memory are not panics: they
// end the process.
package pybind
