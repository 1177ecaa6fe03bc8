// Package spill keeps texts that are too long for a model's context, so that a
// capped page never means a lost result.
//
// # What it decides
//
// Where a text lies, under which name, for how long, and who may see it. A
// [Store] saves a text whole or not at all, hands out a [Ref] (an id, a
// locator that may stand in a page, a sentence that says how to read it), and
// gives the exact bytes back by byte range or by line range. [DirStore] keeps
// saved results in a private folder of this machine; [MemoryStore] keeps them in
// the process. The contract has no paths and no file handles in it, so that an
// object store can stand behind it.
//
// # What it does not decide
//
// Whether a result is worth saving, what the text looks like, and what a page
// says about it: those belong to the caller. A failed save is an error value
// for the caller to mention; it must not replace the result that was found.
//
// # Owners
//
// Every saved result has an owner session. A [Scope] names the session a call
// speaks for; another session's result answers exactly as a missing one. The
// zero Scope sees nothing. [AllSessions] is for the person to whom the folder
// belongs (a command line), never for a model.
//
// # Ids and locators
//
// An id is "{owner}/{file}": the first 12 hex digits of the SHA-256 of the
// session's name, then 12 random hex digits with a cleaned form of the
// suggested name. For example:
//
//	84097828fc31/5b0c9d7e1f42-glob-results.txt
//
// A DirStore's locator is the absolute path of the file, so that an agent with
// a file-reading tool just opens it; a MemoryStore's is the resource address
// "hydra-spill:///" + id. Wherever an id is asked for, the id, the resource
// address and the store's own locator are all understood.
//
// # The folder of a DirStore
//
//	<root>/session-<owner>/<12 hex>-<name>   0600, in a directory 0700
//	<root>/session-<owner>/.tmp-<12 hex>     a save in progress
//
// What the caller said of a text (tool, call id, label) travels in an extended
// attribute of the file, so that a saved result is one file that appears in one
// rename. The modification time is the time of the save; touching a file makes
// it young again.
//
// # How long
//
// Only age removes: a sweep takes what reached Options.MaxAge, whether its
// session lives or not, and nothing younger; a store that is full refuses with
// SPILL_QUOTA. A text whose locator was just shown must not go because others
// came. Saves sweep by themselves now and then, and whenever room is short. What
// the folder weighs is booked in an attribute of the folder, under a lock that
// all processes share.
//
// # Known limits
//
// On a file system without extended attributes a saved result that is looked up
// later has no tool, call id and label, its lines are counted when asked for,
// the owner is known by 48 bits of hash only, and every save counts the whole
// folder. The folder is private from other users, not from other programs of
// the same user: those can edit a saved result, and the store then serves what
// they wrote. Limits count committed saved results; saves in progress come on top.
// The quota is one for all sessions: one of them can use it up. Processes that
// share a folder should agree on the limits, for the shortest age wins.
package spill
