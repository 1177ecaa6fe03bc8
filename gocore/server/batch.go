package server

import (
	"bytes"
	"sync"
)

// batch collects the answers to the messages that came on one line as an array.
// They go back as an array, once all of them are there.
type batch struct {
	out *outbox

	mu      sync.Mutex
	due     int // messages without an answer, and 1 while the line is taken apart
	answers [][]byte
	bytes   int
}

func newBatch(out *outbox) *batch { return &batch{out: out, due: 1} }

// expect announces one more answer.
func (b *batch) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.due++
}

// answer takes an answer that was due, nil for none: its call was cancelled.
func (b *batch) answer(text []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.due--
	if len(text) > 0 {
		// What does not fit on one line goes out on several.
		if b.bytes += len(text) + 1; b.bytes+1 > MaxFrameBytes && len(b.answers) > 0 {
			if err := b.flush(); err != nil {
				return err
			}
			b.bytes = len(text) + 1
		}
		b.answers = append(b.answers, text)
	}
	if b.due > 0 {
		return nil
	}
	return b.flush()
}

func (b *batch) flush() error {
	if len(b.answers) == 0 {
		return nil // JSON-RPC: nothing at all, rather than an empty array
	}
	line := append([]byte{'['}, bytes.Join(b.answers, []byte{','})...)
	b.answers = nil
	return b.out.send(append(line, ']'))
}
