package main

import "fmt"

// Code names what went wrong; scripts may rely on it, the sentence beside it
// may change.
type Code string

const (
	CodeUsage           Code = "usage"            // flags that contradict each other
	CodeUnknownTarget   Code = "unknown-target"   // no such row in the platform table
	CodeLock            Code = "lock"             // rg.lock.json is broken or lacks the package
	CodeNPMMissing      Code = "npm-missing"      // no npm client on PATH
	CodePackageRefused  Code = "package-refused"  // npm ran and did not deliver
	CodeTarballMissing  Code = "tarball-missing"  // npm said it delivered, but left no single tarball
	CodeTarballDiffers  Code = "tarball-differs"  // other bytes than the lock promises
	CodeNotCached       Code = "not-cached"       // offline, and the cache has no such tarball
	CodeArchiveBroken   Code = "archive-broken"   // not a readable gzip'd tar
	CodeMemberMissing   Code = "member-missing"   // no package/bin/rg inside
	CodeMemberDuplicate Code = "member-duplicate" // package/bin/rg more than once
	CodeMemberKind      Code = "member-kind"      // package/bin/rg is a link or a device
	CodeMemberDiffers   Code = "member-differs"   // other size or sha256 than the lock promises
	CodeWrite           Code = "write"            // the file system refused
)

// Error is the one error type of this tool: a code, a sentence that says what
// to change, and the cause when there is one.
type Error struct {
	Code    Code
	Message string
	Err     error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Is matches by code alone, so errors.Is(err, &Error{Code: CodeNotCached}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

func fail(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: cause}
}
