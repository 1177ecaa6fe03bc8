package spill

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Code is the stable part of an error; it goes over the wire unchanged.
type Code string

const (
	// NotFound: the scope has no such saved result. Another session's result
	// answers the same, to the letter.
	NotFound Code = "SPILL_NOT_FOUND"
	// Failed: the store could not do its work (full disk, read-only or vanished
	// folder, a file that is not the store's own, a cancelled call, bad input).
	Failed Code = "SPILL_FAILED"
	// Quota: the text does not fit under Options.MaxBytes, also after what
	// outlived Options.MaxAge was swept.
	Quota Code = "SPILL_QUOTA"
)

// ErrNotFound, ErrFailed and ErrQuota are for errors.Is, which compares codes.
var (
	ErrNotFound = &Error{Code: NotFound}
	ErrFailed   = &Error{Code: Failed}
	ErrQuota    = &Error{Code: Quota}
)

// Error is every error of this package.
type Error struct {
	Code    Code
	Op      string // "save", "read", "stat", "list", "delete", "sweep", "open"
	Message string // one line: what is wrong and, where it can be known, what to change
	Err     error  // the cause, may be nil
}

func (e *Error) Error() string {
	text := "spill"
	if e.Op != "" {
		text += " " + e.Op
	}
	switch {
	case e.Message != "":
		text += ": " + e.Message
	case e.Err == nil:
		text += ": " + string(e.Code)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// FailureCode puts the error into the table of failures.
func (e *Error) FailureCode() string { return string(e.Code) }

// Is reports whether target is an *Error of the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// failed wraps a cause as SPILL_FAILED. A cause that is an *Error already has
// its code and its words, and is passed on.
func failed(op, message string, cause error) error {
	if known, ok := cause.(*Error); ok {
		return known
	}
	return &Error{Code: Failed, Op: op, Message: message, Err: cause}
}

// stopped is the answer to a call whose context has ended, else nil.
func stopped(ctx context.Context, op string) error {
	if err := ctx.Err(); err != nil {
		return failed(op, "stopped", err)
	}
	return nil
}

// notFound never says more than what the caller itself sent.
func notFound(op, id string) error {
	return &Error{Code: NotFound, Op: op, Message: fmt.Sprintf("no saved result %q", clip(id))}
}

// overQuota tells with cause what kept the sweep from making room, if anything.
func overQuota(op string, size, used, limit int64, cause error) error {
	return &Error{Code: Quota, Op: op, Err: cause, Message: fmt.Sprintf(
		"%d bytes do not fit: %d of %d bytes are in use by saved results that have not reached their age; delete some or raise spillMaxBytes",
		size, used, limit)}
}

// describe puts what a person can change before the bare system error.
func describe(what string, cause error) string {
	switch {
	case errors.Is(cause, unix.ENOSPC):
		return what + " (the disk is full)"
	case errors.Is(cause, unix.EDQUOT):
		return what + " (the user's disk quota is used up)"
	case errors.Is(cause, unix.EROFS):
		return what + " (it is read-only)"
	case errors.Is(cause, fs.ErrNotExist):
		return what + " (it was removed meanwhile)"
	case errors.Is(cause, fs.ErrPermission):
		return what + " (no permission)"
	case errors.Is(cause, unix.EMFILE), errors.Is(cause, unix.ENFILE):
		return what + " (too many open files)"
	}
	return what
}
