// Package life holds tests of the life of processes, on the built runtime and
// the pinned ripgrep: whatever happens to the runtime, its client or its
// sidecar, no call hangs and nothing is left behind. Processes are looked for by
// the path of their executable, as the kernel knows it.
package life
