package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waiting starts the command with an input that nobody writes to and returns when
// it has read what there was.
func waiting(t *testing.T, dir, first string, shell ...string) (cmd *exec.Cmd, out *bytes.Buffer, in io.WriteCloser) {
	t.Helper()
	cmd = exec.Command(shell[0], shell[1:]...)
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=/nonexistent"}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out = &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	// A pipe takes 64 KiB without a reader: when more has gone in, somebody reads.
	_, err = io.WriteString(in, first)
	require.NoError(t, err)
	return cmd, out, in
}

// Whoever waits for input ends when it is told to, with a status that is no
// decision; a hook blocks.
func TestACommandThatWaitsForInputEndsWhenItIsTold(t *testing.T) {
	dir := build(t)
	// What this process catches is not ignored by those that it starts, also when the
	// tests themselves run below nohup.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(caught)
	blanks := strings.Repeat(" ", 200<<10)
	for _, c := range []struct {
		name   string
		args   []string
		status int
	}{
		{"batch", []string{"gate", "--batch"}, exitBroken},
		{"gate", []string{"gate", "-"}, exitBroken},
		{"plan", []string{"plan", "-"}, exitBroken},
		{"establish", []string{"establish", "--plan", "-"}, exitBroken},
		{"hook", []string{"gate", "--dialect", "codex"}, exitBlocks},
	} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(c.name+" "+s.String(), func(t *testing.T) {
				cmd, out, _ := waiting(t, dir, blanks, append([]string{filepath.Join(dir, "hydra-harness-runtime")}, c.args...)...)
				require.NoError(t, cmd.Process.Signal(s))
				_ = cmd.Wait()
				assert.Equal(t, c.status, cmd.ProcessState.ExitCode(), out.String())
				assert.Contains(t, out.String(), "it was interrupted by a signal")
			})
		}
	}
}

// A signal that was ignored at the start stays ignored: nohup means it.
func TestAHangUpThatIsIgnoredEndsNothing(t *testing.T) {
	dir := build(t)
	cmd, out, in := waiting(t, dir, strings.Repeat("\n", 200<<10), "sh", "-c", "trap '' HUP INT; exec hydra-harness-runtime serve --sample")
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	_, err := io.WriteString(in, `{"jsonrpc":"2.0","id":"still here","method":"ping"}`+"\n")
	require.NoError(t, err)
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait(), out.String())
	assert.Contains(t, out.String(), `"still here"`)
}
