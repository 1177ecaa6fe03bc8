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
		// What does not fit on one line, or would be kept too long with what other
		// batches keep, goes out on several.
		size := len(text) + 1
		waiting := b.out.batched.Add(int64(size))
		if (b.bytes+size+1 > MaxFrameBytes || waiting > maxBacklog) && len(b.answers) > 0 {
			if err := b.flush(); err != nil {
				return err
			}
		}
		b.bytes += size
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
	defer b.out.batched.Add(-int64(b.bytes)) // once it is read
	b.answers, b.bytes = nil, 0
	return b.out.send(append(line, ']'))
}
