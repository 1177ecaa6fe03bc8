package spill

import (
	"fmt"
	"time"
)

const (
	// DefaultMaxBytes is the most that one store keeps. A complete search result
	// is rarely above some MiB, so a GiB holds weeks of work and still is a
	// small part of a disk.
	DefaultMaxBytes int64 = 1 << 30
	// DefaultMaxAge is how long a saved result is kept: an agent's session may be
	// taken up again days later, and its transcript still names the locator.
	DefaultMaxAge = 7 * 24 * time.Hour

	// Unlimited as MaxBytes, and Forever as MaxAge, switch a limit off.
	Unlimited int64         = -1
	Forever   time.Duration = -1

	// A store sweeps by itself with a save, when its last sweep is older than
	// the age divided by sweepFraction, within these bounds: often enough that
	// nothing lives much longer than its age, seldom enough to cost nothing.
	sweepFraction = 24
	minSweepEvery = time.Minute
	maxSweepEvery = time.Hour

	// maxSaves is how many saves run at once; more wait. It bounds the open
	// files and the threads that sit in a disk's flush.
	maxSaves = 32
)

// Options configures a store. The zero value takes the defaults.
type Options struct {
	// MaxBytes is the most that committed saved results may weigh together, over all
	// sessions and all processes that share a folder. 0 is DefaultMaxBytes,
	// Unlimited no limit.
	MaxBytes int64
	// MaxAge is the age at which a sweep removes a saved result. 0 is
	// DefaultMaxAge, Forever no limit.
	MaxAge time.Duration
	// Hint makes the sentence of Ref.Hint from a saved result's id and locator; nil
	// takes the store's own.
	Hint func(id, locator string) string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

func (o Options) filled(hint func(id, locator string) string) (Options, error) {
	switch {
	case o.MaxBytes < Unlimited:
		return o, badOption(fmt.Sprintf("MaxBytes is %d; give a positive number of bytes, or %d for no limit", o.MaxBytes, Unlimited))
	case o.MaxAge < Forever:
		return o, badOption(fmt.Sprintf("MaxAge is %s; give a positive duration, or %d for no limit", o.MaxAge, int64(Forever)))
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxAge == 0 {
		o.MaxAge = DefaultMaxAge
	}
	if o.Hint == nil {
		o.Hint = hint
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, nil
}

func badOption(message string) error { return &Error{Code: Failed, Op: "open", Message: message} }

// now is the time of a save, as precise as it is kept.
func (o *Options) now() time.Time { return o.Now().UTC().Truncate(time.Microsecond) }

// expired reports whether a saved result of this time reached the age.
func (o *Options) expired(created, now time.Time) bool {
	return o.MaxAge != Forever && now.Sub(created) >= o.MaxAge
}

func (o *Options) fits(used, size int64) bool {
	return o.MaxBytes == Unlimited || size <= o.MaxBytes && used <= o.MaxBytes-size
}

func (o *Options) sweepEvery() time.Duration {
	return min(max(o.MaxAge/sweepFraction, minSweepEvery), maxSweepEvery)
}

// ref is the pointer to the saved result of this id.
func (o *Options) ref(id, locator string) Ref {
	return Ref{ID: id, Locator: locator, Hint: o.Hint(id, locator)}
}

// saveChecked is what every store asks before a save.
func saveChecked(meta Meta, content Content) error {
	switch {
	case meta.Owner == "":
		return &Error{Code: Failed, Op: "save", Message: "the text has no owner session; without one nobody could read it back"}
	case content == nil:
		return &Error{Code: Failed, Op: "save", Message: "there is no content to save"}
	}
	return nil
}
