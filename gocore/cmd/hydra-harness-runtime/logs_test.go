package main

import (
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gate lets writes through when it is opened.
type gate struct {
	open chan struct{}
	mu   sync.Mutex
	text strings.Builder
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.Write(p)
}

func TestLogsThatNobodyReadsHoldNothingUp(t *testing.T) {
	g := &gate{open: make(chan struct{})}
	l := newLogs(g)
	const more = 500
	for range maxLogLines + 1 + more { // one is being written
		n, err := io.WriteString(l, "line\n")
		require.NoError(t, err)
		require.Equal(t, 5, n)
	}
	began := time.Now()
	l.flush() // does not wait for somebody to read, either
	assert.Less(t, time.Since(began), 10*logWait)
	close(g.open)
	l.lines <- nil
	<-l.done
	text := g.text.String()
	lines := strings.Count(text, "line\n")
	assert.LessOrEqual(t, maxLogLines, lines)
	assert.LessOrEqual(t, lines, maxLogLines+1)
	assert.Contains(t, text, `"@message":"log lines were dropped: nobody read them","count":`)
}

func TestLogsAreWrittenBeforeTheEnd(t *testing.T) {
	var b strings.Builder
	l := newLogs(&b)
	_, _ = io.WriteString(l, "one\n")
	_, _ = io.WriteString(l, "two\n")
	l.flush()
	assert.Equal(t, "one\ntwo\n", b.String())
}
