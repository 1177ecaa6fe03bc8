package index

import "github.com/hydraharness/harness-runtime/gocore/fresh"

// Reasons of a plain search. Those of package fresh are among them, by the same
// words.
const (
	// ReasonOff: there is no index of the directory; of a root that is searched the
	// first time none is made.
	ReasonOff = string(fresh.Closed)
	// ReasonBuilding: it is being made.
	ReasonBuilding = "building"
	// ReasonCatchingUp: much has changed, or the index was lost, and it is made anew.
	ReasonCatchingUp = "catching-up"
	// ReasonTooLarge: the tree or its index exceeds a bound.
	ReasonTooLarge = string(fresh.TooLarge)
	// ReasonIgnoreChanged: what ripgrep walks has changed, and it has not been listed
	// since.
	ReasonIgnoreChanged = "ignore-changed"
	// ReasonUnwalkedPath: the path lies in what the root's rules leave out, or nothing
	// that they let in is asked for.
	ReasonUnwalkedPath = "unwalked-path"
	// ReasonPattern: nothing can be required of a file with a match.
	ReasonPattern = "pattern"
	// ReasonManyCandidates: so many files may match that a plain search is as fast.
	ReasonManyCandidates = "many-candidates"
	// ReasonManyChanges: so many files have changed.
	ReasonManyChanges = "many-changes"
	// ReasonChanged: a file changed while it was searched.
	ReasonChanged = "changed-meanwhile"
)

// permanent are the reasons for which a root is not tried again soon.
var permanent = map[string]bool{
	string(fresh.Platform): true, string(fresh.Filesystem): true, ReasonTooLarge: true, string(fresh.Watches): true, string(fresh.Fault): true, ReasonUnwalkedPath: true,
}
