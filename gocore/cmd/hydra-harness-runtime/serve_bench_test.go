package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// served is a running serve, and its client's side.
type served struct {
	b     testing.TB
	cmd   *exec.Cmd
	write io.WriteCloser
	lines *bufio.Reader
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`

// spawn starts serve and reads its first answer.
func spawn(b testing.TB, bin, workdir string) *served {
	b.Helper()
	cmd := exec.Command(filepath.Join(bin, "hydra-harness-runtime"), "serve", "--sample", "--workdir", workdir, "--log-level", "off")
	write, err := cmd.StdinPipe()
	require.NoError(b, err)
	read, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	s := &served{b, cmd, write, bufio.NewReader(read)}
	s.send(initialize)
	s.answer()
	return s
}

func (s *served) send(line string) {
	_, err := io.WriteString(s.write, line+"\n")
	require.NoError(s.b, err)
}

func (s *served) answer() {
	line, err := s.lines.ReadBytes('\n')
	require.NoError(s.b, err)
	var m struct{ Error json.RawMessage }
	require.NoError(s.b, json.Unmarshal(line, &m))
	require.Empty(s.b, m.Error)
}

func (s *served) close() {
	s.write.Close()
	require.NoError(s.b, s.cmd.Wait())
}

// small is a call that finds one line in ten files.
func small(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"grep","arguments":{"pattern":"needle"}}}`, id)
}

// concurrently is how many calls are made at once.
const concurrently = 100

// BenchmarkServe measures the server beside ripgrep itself, in turns on the same
// tree, and reports medians in milliseconds: machines differ, ratios less.
func BenchmarkServe(b *testing.B) {
	bin := build(b)
	var entries []string
	for i := range 10 {
		entries = append(entries, fmt.Sprintf("f%d.txt: %s", i, strings.Repeat("some text\n", 20)))
	}
	tree := coretest.Tree(b, append(entries, "g.txt: needle")...)
	rg := func() *exec.Cmd {
		cmd := exec.Command(coretest.Ripgrep(b), "--no-config", "--json", "--", "needle", ".")
		cmd.Dir = tree
		return cmd
	}
	warm := spawn(b, bin, tree)
	defer warm.close()
	took := map[string][]float64{}
	measure := func(what string, f func()) {
		began := time.Now()
		f()
		took[what] = append(took[what], float64(time.Since(began).Microseconds())/1000)
	}
	for b.Loop() {
		measure("rg-ms", func() { require.NoError(b, rg().Run()) })
		var s *served
		measure("spawn-to-answer-ms", func() { s = spawn(b, bin, tree) })
		measure("spawn-to-search-ms", func() { s.send(small(1)); s.answer() })
		s.close()
		measure("ping-ms", func() { warm.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); warm.answer() })
		measure("grep-ms", func() { warm.send(small(1)); warm.answer() })
		measure("100-greps-ms", func() {
			for id := range concurrently {
				warm.send(small(id))
			}
			for range concurrently {
				warm.answer()
			}
		})
		measure("100-rg-ms", func() { // as many at once as the server runs
			var all sync.WaitGroup
			for range min(4, runtime.NumCPU()) {
				all.Go(func() {
					for range concurrently / min(4, runtime.NumCPU()) {
						assert.NoError(b, rg().Run())
					}
				})
			}
			all.Wait()
		})
	}
	for what, times := range took {
		slices.Sort(times)
		b.ReportMetric(times[len(times)/2], what)
	}
	b.ReportMetric(0, "ns/op") // the sum of all of these says nothing
}
