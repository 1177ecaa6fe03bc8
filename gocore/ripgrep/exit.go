package ripgrep

import (
	"bytes"
	"strings"
)

// Exit statuses of ripgrep. Status 2 comes with or without results: a search
// goes on past an entry that it cannot read.
const (
	ExitFound   = 0
	ExitNothing = 1
	ExitError   = 2
)

// threadPanic is what ripgrep prints when the system refuses it a thread; it
// then waits for a worker that never was.
const threadPanic = "failed to spawn thread"

// maxNamed is how many unreadable entries are remembered by name. The count
// goes on; a caller shows a few at most.
const maxNamed = 20

// Diagnostics reads standard error as it arrives: it counts complaints about
// single entries, which leave the rest of a search intact, and keeps whatever
// else is said. It is an io.Writer that refuses only a sidecar that cannot get
// threads, which would hang.
type Diagnostics struct {
	// Unreadable counts complaints about entries.
	Unreadable int
	// Entries are the first of those entries, in ripgrep's words without its
	// prefix: "./locked: Permission denied (os error 13)".
	Entries []string
	// Other is set when something was said that names no entry.
	Other bool

	partial []byte
}

// ErrThreads is the refusal of Diagnostics: the sidecar could not start its
// threads and was stopped. One thread may still be had.
var ErrThreads = &threadError{}

type threadError struct{}

func (*threadError) Error() string { return "ripgrep could not start its threads" }

func (d *Diagnostics) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			break
		}
		d.partial = append(d.partial, p[:i]...)
		p = p[i+1:]
		if err := d.line(string(d.partial)); err != nil {
			return n, err
		}
		d.partial = d.partial[:0]
	}
	// A line longer than any path is no complaint about one: its rest is let go.
	if len(d.partial) < maxLine {
		d.partial = append(d.partial, p...)
	}
	return n, nil
}

// maxLine bounds the memory for one line of standard error: a path (at most
// 4,096 bytes) and a reason fit many times over.
const maxLine = 64 << 10

// Close reads a last line that has no end.
func (d *Diagnostics) Close() error {
	if len(d.partial) == 0 {
		return nil
	}
	return d.line(string(d.partial))
}

// line takes one line. Every operand given to ripgrep starts with "./" or "/",
// so a complaint that starts so names an entry and nothing else does. Lines
// without ripgrep's prefix continue the complaint before them.
func (d *Diagnostics) line(line string) error {
	if strings.Contains(line, threadPanic) {
		return ErrThreads
	}
	said, ok := strings.CutPrefix(line, "rg: ")
	if !ok {
		return nil
	}
	if !strings.HasPrefix(said, "./") && !strings.HasPrefix(said, "/") {
		d.Other = true
		return nil
	}
	d.Unreadable++
	if len(d.Entries) < maxNamed {
		d.Entries = append(d.Entries, said)
	}
	return nil
}
