package ripgrep

import "strings"

// Diagnostic is what ripgrep says of one entry that it could not search.
type Diagnostic struct {
	// Path is the entry relative to the directory that ripgrep runs in, or ".".
	Path string
	// Reason is ripgrep's or the system's: "Permission denied".
	Reason string
}

const (
	// osError begins the number that Rust puts behind a reason of the system.
	osError = " (os error "
	// noEntry is ENOENT, which has the same number on all systems.
	noEntry = osError + "2)"
	// operation stands between the path and its repetition when a single thread
	// walks.
	operation = ": IO error for operation on "
)

// parseDiagnostic reads "./locked: Permission denied (os error 13)". A path may
// hold ": " itself; a reason of the system does not.
func parseDiagnostic(text string) Diagnostic {
	for rest, from := text, 0; ; {
		i := strings.Index(rest, operation)
		if i < 0 {
			break
		}
		path := text[:from+i]
		if reason, ok := strings.CutPrefix(text[from+i+len(operation):], path+": "); ok {
			return diagnostic(path, reason)
		}
		from += i + 1
		rest = text[from:]
	}
	at := strings.Index(text, ": ")
	if strings.Contains(text, osError) {
		at = strings.LastIndex(text, ": ")
	}
	if at < 0 {
		return diagnostic(text, "")
	}
	return diagnostic(text[:at], text[at+2:])
}

func diagnostic(path, reason string) Diagnostic {
	if path != "." {
		path = strings.TrimPrefix(path, "./")
	}
	if at := strings.LastIndex(reason, osError); at >= 0 && strings.HasSuffix(reason, ")") {
		reason = reason[:at]
	}
	return Diagnostic{Path: path, Reason: reason}
}
