package subprocess

import "strings"

// headBytes is how much of the beginning an Excerpt keeps beside its tail:
// enough for the first diagnostic of any tool, whatever floods in after it.
const headBytes = 8 << 10

// Excerpt is an io.Writer that keeps the beginning and the end of what is
// written, within a budget, and never refuses.
type Excerpt struct {
	max     int
	head    []byte
	tail    []byte // ring of at most max bytes once full
	next    int    // where the ring is written next
	written int64
}

// NewExcerpt keeps a tail of at most maxTail bytes.
func NewExcerpt(maxTail int) *Excerpt { return &Excerpt{max: maxTail} }

func (e *Excerpt) Write(p []byte) (int, error) {
	n := len(p)
	e.written += int64(n)
	if room := headBytes - len(e.head); room > 0 {
		e.head = append(e.head, p[:min(room, n)]...)
	}
	if len(p) > e.max {
		p = p[len(p)-e.max:]
	}
	if room := e.max - len(e.tail); room > 0 {
		k := min(room, len(p))
		e.tail = append(e.tail, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(e.tail[e.next:], p)
		e.next = (e.next + k) % e.max
		p = p[k:]
	}
	return n, nil
}

// Head returns the first bytes written, at most 8 KiB.
func (e *Excerpt) Head() string { return string(e.head) }

// Tail returns the last bytes written, and whether earlier ones were dropped.
func (e *Excerpt) Tail() (text string, truncated bool) {
	var b strings.Builder
	b.Write(e.tail[e.next:])
	b.Write(e.tail[:e.next])
	return b.String(), e.written > int64(len(e.tail))
}
