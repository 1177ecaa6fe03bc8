package ripgrep

import (
	"bytes"
	"slices"
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
// then dies, or waits for a worker that never was.
const threadPanic = "failed to spawn thread"

// maxNamed is how many entries a Tally remembers by name. The count goes on; a
// caller shows a few at most.
const maxNamed = 20

// maxLine bounds the memory for one line of standard error: a path (at most
// 4,096 bytes) and a reason fit many times over.
const maxLine = 64 << 10

// Tally counts diagnostics of one kind.
type Tally struct {
	Count int
	// First are the diagnostics that come first by path: threads report in any
	// order, and two equal searches must say the same.
	First []Diagnostic
}

func (t *Tally) add(c Diagnostic) {
	t.Count++
	at, _ := slices.BinarySearchFunc(t.First, c, func(a, b Diagnostic) int { return strings.Compare(a.Path, b.Path) })
	if at < maxNamed {
		t.First = slices.Insert(t.First, at, c)
		t.First = t.First[:min(len(t.First), maxNamed)]
	}
}

// Diagnostics reads standard error as it arrives: it counts diagnostics about
// single entries, which leave the rest of a search intact, and keeps whatever
// else is said. It is an io.Writer that refuses only a sidecar that cannot get
// threads, which would hang. Read the fields after Close.
type Diagnostics struct {
	// Levels is how many levels beneath the operand may hold results, or 0 for
	// any. ripgrep opens the directories of the last level, too: what it says of
	// them is counted in Beside alone.
	Levels, Beside int
	// Unreadable and Vanished count diagnostics about entries beneath the operand.
	Unreadable, Vanished Tally
	// Root is the diagnostic about the operand "." itself: nothing was searched.
	Root *Diagnostic
	// Rejected is ripgrep's reason for refusing the pattern, the line that begins
	// with "error: ". It is kept here because a long pattern, which ripgrep
	// repeats, pushes it out of any excerpt.
	Rejected string
	// Other is set when something was said that names no entry, System when it
	// was a reason of the system.
	Other, System bool

	partial []byte
	pending string // a diagnostic whose line may go on, without "rg: "
	open    bool
}

// ErrThreads is the refusal of Diagnostics: the sidecar could not start its
// threads and was stopped. One thread may still be had.
var ErrThreads = &threadError{}

type threadError struct{}

func (*threadError) Error() string { return "ripgrep could not start its threads" }

// Entries is how many diagnostics there are about entries.
func (d *Diagnostics) Entries() int { return d.Unreadable.Count + d.Vanished.Count }

func (d *Diagnostics) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			break
		}
		d.keep(p[:i])
		p = p[i+1:]
		if err := d.line(string(d.partial)); err != nil {
			return n, err
		}
		d.partial = d.partial[:0]
	}
	d.keep(p)
	return n, nil
}

// keep collects a line. One that is longer than any path is no diagnostic about
// one: its rest is let go.
func (d *Diagnostics) keep(p []byte) {
	if room := maxLine - len(d.partial); room > 0 {
		d.partial = append(d.partial, p[:min(room, len(p))]...)
	}
}

// Close reads a last line that has no end.
func (d *Diagnostics) Close() error {
	if len(d.partial) > 0 {
		if err := d.line(string(d.partial)); err != nil {
			return err
		}
		d.partial = nil
	}
	d.finish()
	return nil
}

// line takes one line. Every operand given to ripgrep is "." or starts with "./"
// or "/", so a diagnostic that starts so names an entry and nothing else does. A
// name may hold line ends: a diagnostic goes on until its reason is there.
func (d *Diagnostics) line(line string) error {
	said, begins := strings.CutPrefix(line, "rg: ")
	if d.open && (!begins || !strings.Contains(d.pending, ": ")) && !complete(d.pending) {
		if len(d.pending) < maxLine {
			d.pending += "\n" + line
		}
		return nil
	}
	d.finish()
	switch {
	case !begins:
		// Rust's panic message stands alone or behind "thread ... panicked at".
		if strings.HasPrefix(line, threadPanic) || strings.Contains(line, "panicked at") && strings.Contains(line, threadPanic) {
			return ErrThreads
		}
		if reason, ok := strings.CutPrefix(line, "error: "); ok && d.Rejected == "" {
			d.Rejected = reason
		}
		// Versions before 15 put no name before a rejection.
		if strings.HasPrefix(line, "regex parse error") || strings.HasPrefix(line, "error parsing glob") {
			d.Other = true
		}
	case strings.HasPrefix(said, "./"), strings.HasPrefix(said, "/"), strings.HasPrefix(said, ".: "):
		d.pending, d.open = said, true
	case nameless(said):
		d.Unreadable.add(diagnostic("", said))
	default:
		d.Other = true
		d.System = d.System || complete(said)
	}
	return nil
}

// complete reports whether a diagnostic has its reason, as one of the system does.
func complete(diagnostic string) bool {
	return strings.HasSuffix(diagnostic, ")") && strings.Contains(diagnostic, osError)
}

// nameless reports whether a line is nothing but a reason of the system: some
// entry could not be read (below /proc/PID/map_files, say), and the search went
// on. What stops ripgrep says what it was doing, with a colon.
func nameless(said string) bool {
	return complete(said) && !strings.Contains(said, ":")
}

func (d *Diagnostics) finish() {
	if !d.open {
		return
	}
	c := parseDiagnostic(d.pending)
	switch {
	case c.Path == ".":
		d.Root = &c
	case d.Levels > 0 && 1+strings.Count(c.Path, "/") >= d.Levels:
		d.Beside++
	case strings.HasSuffix(d.pending, noEntry):
		d.Vanished.add(c)
	default:
		d.Unreadable.add(c)
	}
	d.pending, d.open = "", false
}
