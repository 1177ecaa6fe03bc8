package pybind

import (
	"sync/atomic"
	"time"
)

// handover gives a text to somebody who waits for it for a while only: either it
// is taken, or it is not given.
type handover struct {
	over atomic.Bool // given, or given up
	text chan string
}

func newHandover() *handover { return &handover{text: make(chan string, 1)} }

// give hands the text over; it reports false when nobody waits any more.
func (h *handover) give(text string) bool {
	if !h.over.CompareAndSwap(false, true) {
		return false
	}
	h.text <- text
	return true
}

// take waits for the text, and gives up when patience is over.
func (h *handover) take(patience time.Duration) (text string, given bool) {
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case text = <-h.text:
			return text, true
		case <-timer.C:
		}
	}
	if h.over.CompareAndSwap(false, true) {
		return "", false
	}
	return <-h.text, true // it was given at the same moment
}
