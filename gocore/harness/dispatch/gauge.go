package dispatch

import "sync"

// gauge counts what is going on.
type gauge struct {
	mu   sync.Mutex
	n    int
	zero []chan struct{} // closed when n is 0
}

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n += n; g.n == 0 {
		for _, zero := range g.zero {
			close(zero)
		}
		g.zero = nil
	}
}

func (g *gauge) value() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.n
}

// none returns a channel that is closed once nothing is going on.
func (g *gauge) none() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	zero := make(chan struct{})
	if g.n == 0 {
		close(zero)
	} else {
		g.zero = append(g.zero, zero)
	}
	return zero
}
