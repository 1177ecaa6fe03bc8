package subprocess

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// install returns the path of a stand-in child.
func install(t *testing.T, fake coretest.Fake) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "child")
	require.NoError(t, fake.Install(path))
	return path
}

func TestRunReportsTheEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		fake   coretest.Fake
		code   int
		signal syscall.Signal
	}{
		"exit 0":      {coretest.Fake{}, 0, 0},
		"exit 2":      {coretest.Fake{Exit: 2}, 2, 0},
		"killed":      {coretest.Fake{Signal: "KILL"}, -1, syscall.SIGKILL},
		"crashed":     {coretest.Fake{Signal: "TERM"}, -1, syscall.SIGTERM},
		"held pipe":   {coretest.Fake{HoldPipe: true, Exit: 3}, 3, 0},
		"left behind": {coretest.Fake{HoldPipe: true, Escape: true, Exit: 4}, 4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tc.fake.Stdout, tc.fake.Stderr = "out", "err"
			path := install(t, tc.fake)
			t.Cleanup(func() { killHeld(path) })
			var stdout, stderr bytes.Buffer
			var local Local
			out, err := local.Run(context.Background(), Spec{Path: path, Stdout: &stdout, Stderr: &stderr})
			require.NoError(t, err)
			assert.Equal(t, Outcome{ExitCode: tc.code, Signal: tc.signal}, out)
			assert.Equal(t, "out", stdout.String())
			assert.Equal(t, "err", stderr.String())
		})
	}
}

func killHeld(path string) {
	if text, err := os.ReadFile(path + ".held"); err == nil {
		pid, _ := strconv.Atoi(string(text))
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// signalled is a sink that tells when the first bytes came.
type signalled struct {
	once chan struct{}
	err  error
}

func (s *signalled) Write(p []byte) (int, error) {
	select {
	case <-s.once:
	default:
		close(s.once)
	}
	return len(p), s.err
}

func TestCancelClimbsTheLadder(t *testing.T) {
	for name, tc := range map[string]struct {
		fake   coretest.Fake
		grace  time.Duration
		signal syscall.Signal
	}{
		"TERM is enough":     {coretest.Fake{}, time.Minute, syscall.SIGTERM},
		"KILL after grace":   {coretest.Fake{IgnoreTerm: true}, 50 * time.Millisecond, syscall.SIGKILL},
		"no grace":           {coretest.Fake{}, 0, syscall.SIGKILL},
		"grandchild as well": {coretest.Fake{HoldPipe: true}, time.Minute, syscall.SIGTERM},
	} {
		t.Run(name, func(t *testing.T) {
			tc.fake.Stdout, tc.fake.Sleep = "ready", 60
			path := install(t, tc.fake)
			ctx, cancel := context.WithCancelCause(context.Background())
			ready := &signalled{once: make(chan struct{})}
			cause := errors.New("enough")
			go func() { <-ready.once; cancel(cause) }()
			var local Local
			out, err := local.Run(ctx, Spec{Path: path, Stdout: ready, Grace: tc.grace})
			require.NoError(t, err)
			assert.Equal(t, cause, out.Cause)
			assert.Equal(t, tc.signal, out.Signal)
			assert.True(t, out.Stopped())
			assert.False(t, out.Unreaped)
		})
	}
}

func TestSinkThatRefusesStopsTheChild(t *testing.T) {
	full := errors.New("full")
	for name, fake := range map[string]coretest.Fake{
		"while it runs":   {Stdout: "x", Sleep: 60},
		"after its end":   {Stdout: "x"},
		"while it floods": {Stdout: string(make([]byte, 1<<16)), Repeat: 1 << 12, Sleep: 60},
	} {
		t.Run(name, func(t *testing.T) {
			var local Local
			sink := &signalled{once: make(chan struct{}), err: full}
			out, err := local.Run(context.Background(), Spec{Path: install(t, fake), Stdout: sink, Grace: time.Minute})
			require.NoError(t, err)
			assert.Equal(t, full, out.SinkErr)
			assert.True(t, out.Stopped())
		})
	}
}

func TestAnUnkillableChildDoesNotHoldTheCaller(t *testing.T) {
	path := install(t, coretest.Fake{Stdout: "ready", Sleep: 60})
	var pid int
	local := Local{kill: func(group int, _ syscall.Signal) error { pid = -group; return nil }}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	ctx, cancel := context.WithCancel(context.Background())
	ready := &signalled{once: make(chan struct{})}
	var cancelled time.Time
	go func() { <-ready.once; cancelled = time.Now(); cancel() }()
	const grace = 2 * time.Second
	out, err := local.Run(ctx, Spec{Path: path, Stdout: ready, Grace: grace})
	require.NoError(t, err)
	assert.True(t, out.Unreaped)
	assert.Less(t, time.Since(cancelled), grace+grace/2, "it returns within the grace, for a machine under load")
	assert.Equal(t, context.Canceled, out.Cause)
	assert.Equal(t, -1, out.ExitCode)
}

func TestNothingStartsWhenTheContextIsDone(t *testing.T) {
	path := install(t, coretest.Fake{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var local Local
	out, err := local.Run(ctx, Spec{Path: path})
	require.NoError(t, err)
	assert.Equal(t, context.Canceled, out.Cause)
	_, err = coretest.ReadSeen(path)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestWhatTheChildGets(t *testing.T) {
	path := install(t, coretest.Fake{})
	dir := coretest.Tree(t)
	var local Local
	_, err := local.Run(context.Background(), Spec{Path: path, Args: []string{"-a", "b c"}, Dir: dir, Env: []string{"A=1"}})
	require.NoError(t, err)
	seen, err := coretest.ReadSeen(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"-a", "b c"}, seen.Args)
	assert.Equal(t, []string{"A=1"}, seen.Env)
	assert.Equal(t, dir, seen.Dir)
}

func TestStartErrorSaysWhy(t *testing.T) {
	var local Local
	missing := filepath.Join(t.TempDir(), "none")
	_, err := local.Run(context.Background(), Spec{Path: missing})
	var start *StartError
	require.ErrorAs(t, err, &start)
	assert.Equal(t, missing, start.Path)
	assert.ErrorIs(t, err, syscall.ENOENT)
}

func TestExcerpt(t *testing.T) {
	for name, tc := range map[string]struct {
		writes []string
		tail   string
		cut    bool
	}{
		"empty":            {nil, "", false},
		"fits":             {[]string{"ab", "cd"}, "abcd", false},
		"exactly":          {[]string{"abcde"}, "abcde", false},
		"one over":         {[]string{"abcdef"}, "bcdef", true},
		"wraps":            {[]string{"abcd", "efg"}, "cdefg", true},
		"one long write":   {[]string{"0123456789"}, "56789", true},
		"wraps many times": {[]string{"abc", "def", "ghi", "jkl"}, "hijkl", true},
	} {
		t.Run(name, func(t *testing.T) {
			e := NewExcerpt(5)
			for _, w := range tc.writes {
				n, err := e.Write([]byte(w))
				require.NoError(t, err)
				require.Equal(t, len(w), n)
			}
			tail, cut := e.Tail()
			assert.Equal(t, tc.tail, tail)
			assert.Equal(t, tc.cut, cut)
		})
	}
}
