package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxResident is what the server may take of memory, whatever a client asks for
// and leaves unread.
const maxResident = 128 << 20

// statusOf reads a number of kilobytes from /proc.
func statusOf(t *testing.T, pid int, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			require.NoError(t, err)
			return n << 10
		}
	}
	t.Fatalf("no %s", name)
	return 0
}

// A client that asks ten thousand times whether a command may run, and reads no
// answer, does not make the server large.
func TestTenThousandUnreadCallsStaySmall(t *testing.T) {
	dir, root := build(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "a.txt"), []byte("x"), 0o600))
	for name, command := range map[string]string{"short": "cat a.txt", "long": strings.Repeat("cat a.txt; ", 500)} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(filepath.Join(dir, "hydra-harness-runtime"), "serve", "--no-sample")
			cmd.Dir = root
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"flood","version":"1"}}}`)
			_, err = bufio.NewReaderSize(out, 16).ReadSlice(' ')
			require.ErrorIs(t, err, bufio.ErrBufferFull, "it serves; nothing more is read")
			var sent atomic.Int64
			go func() {
				for i := range 10_000 {
					if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"hydra/shell/gate","params":{"command":%q,"cwd":%q,"env":{"HOME":"/home/x"},"boundary":{"readRoots":[%q]}}}`+"\n", i, command, root, root); err != nil {
						return
					}
					sent.Add(1)
				}
			}()
			// Nothing tells when it has come to rest: it has when nothing changes.
			ticker := time.NewTicker(100 * time.Millisecond)
			defer ticker.Stop()
			for last, same := "", 0; same < 10; {
				<-ticker.C
				now := fmt.Sprint(sent.Load(), statusOf(t, cmd.Process.Pid, "VmHWM"))
				if same++; now != last {
					last, same = now, 0
				}
			}
			peak := statusOf(t, cmd.Process.Pid, "VmHWM")
			t.Logf("%d calls sent, %d MiB at most", sent.Load(), peak>>20)
			assert.Less(t, peak, maxResident)
		})
	}
}
