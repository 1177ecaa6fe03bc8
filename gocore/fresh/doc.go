// Package fresh knows which names beneath a directory may be others than they
// were, at any moment and without looking at all of them.
//
// It rests on one property of Linux: an inotify event is in the queue before the
// system call returns that caused it. Whoever reads the queue until it is empty
// knows of every change that was complete when the reading began: that reading is
// the barrier. No cookie is needed, nothing is waited for, and nothing is believed:
// an event is a reason to look at a name again, never a statement about it.
//
// It decides which names there are, when each was modified, and which may have
// changed since its owner last said that it knows the contents. It does not read
// contents, nor does it know what is searched or ignored: package index does.
//
// What is not seen, on any file system: a write through a shared mapping, until it
// is unmapped; one by libaio, until the file is closed; one through a hard link
// outside the tree, or one that was made, written through and removed between two
// barriers; one to the block device or by another host. Each has a test that shows
// it. File systems that are not known to send events are not watched.
package fresh
