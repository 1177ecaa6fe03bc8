// Package confine runs a program under a sandbox of the kernel: what is not
// known of a command before it runs is refused while it runs.
//
// It decides how a policy (roots, write roots, denied paths, network) becomes
// rules that the kernel holds, and puts them on. It does not decide whether a
// command needs them: that is package judge.
//
// Two levels. "ll" is Landlock and seccomp. "ns" adds namespaces: own mounts, so
// that all but the write roots is read-only and denied paths below a write root
// can be covered, an own network with nothing but loopback, own System V memory.
// Below Landlock ABI 6 nothing is started; a level is never lowered in silence.
//
// The way: Compile turns a Policy into a Plan, a value that any process can hold
// (pure but for looking at the tree). Run starts the program: at ll one thread calls
// Enter and starts it; at ns this executable starts itself in new namespaces,
// where RunStage2 mounts, calls Enter and becomes the program. A step that fails
// is told before anything of the program has run, and then nothing runs.
//
// Known limits are in docs/security.md, each with a case that shows it.
//
// This is the only package that lessens the rights of its process.
package confine
