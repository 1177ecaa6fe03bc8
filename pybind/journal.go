package pybind

import (
	"slices"
	"sync"
)

// maxJournal bounds what is kept of a log that nobody fetches, in bytes. The
// lines are short and few: the first ones tell most.
const maxJournal = 64 << 10

// journal keeps what a runtime logs until an answer takes it along: this package
// writes to no stream of its host.
type journal struct {
	mu   sync.Mutex
	text []byte
}

// Write takes whole lines.
func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.text)+len(line) <= maxJournal {
		j.text = append(j.text, line...)
	}
	return len(line), nil
}

func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := string(j.text)
	j.text = slices.Delete(j.text, 0, len(j.text))
	return text
}
