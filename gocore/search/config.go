package search

import "time"

// Order is how a glob's paths are sorted. Every order is total: ties go by the
// bytes of the path.
type Order string

// The orders. The default is OrderModified: oldest first.
const (
	OrderModified     Order = "modified"
	OrderModifiedDesc Order = "modified-desc"
	OrderPath         Order = "path"
)

// Unreadable is what becomes of a search that met entries it could not read.
type Unreadable string

// UnreadableWarn keeps the results and counts the entries in a warning;
// UnreadableFail makes the search fail.
const (
	UnreadableWarn Unreadable = "warn"
	UnreadableFail Unreadable = "fail"
)

// CutShort is what becomes of a search that ends at its deadline or at the raw
// output budget.
type CutShort string

// CutShortFail is an error that counts what was found; CutShortPage returns what
// was found, marked incomplete.
const (
	CutShortFail CutShort = "fail"
	CutShortPage CutShort = "page"
)

// Config bounds one search. DefaultConfig gives the values of the contract.
type Config struct {
	Order      Order
	Unreadable Unreadable
	CutShort   CutShort
	// RawOutputMaxBytes is how much ripgrep may write before the search is given
	// up. A listing counts as if ripgrep had been given the call's own path.
	RawOutputMaxBytes int64
	// Timeout is the budget of the whole call; Grace is how long the sidecar may
	// then take to end after TERM.
	Timeout, Grace time.Duration
	// Withheld is a folder that no search looks into, an absolute path: that of
	// saved results. Empty is none.
	Withheld string
	// StderrMaxBytes is how much of the sidecar's diagnostics is kept.
	StderrMaxBytes int
}

// DefaultConfig returns the defaults of the configuration file.
func DefaultConfig() Config {
	return Config{
		Order:             OrderModified,
		Unreadable:        UnreadableWarn,
		CutShort:          CutShortFail,
		RawOutputMaxBytes: 20_000_000,
		Timeout:           30 * time.Second,
		Grace:             3 * time.Second,
		StderrMaxBytes:    64 << 10,
	}
}
