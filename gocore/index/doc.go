// Package index answers, for a tree that is watched, which files a search has to
// look at: what a glob lists, and what a grep has to read. It never answers from
// memory what could have changed.
//
// An index of a root is made when it is searched the second time, in the
// background; until it is there, and whenever it is in doubt, the answer is a reason
// instead, and the search goes the plain way. An index holds the names and times of
// all files, which of them ripgrep's ignore rules let it walk (as ripgrep itself
// listed them), and the runs of three bytes of their texts. Files that changed are
// handed to the search as they are, and read again in the background.
//
// Everything lies in memory, bounded in size and in number, and is gone with the
// runtime. Nothing is written anywhere.
//
// It decides what is looked at. It does not search: package search does, which sees
// it as an interface, and no search needs it.
package index
