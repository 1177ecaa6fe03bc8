package spill

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// childRole makes the test binary play another process; see process_test.go.
const childRole = "SPILL_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(childRole); role {
	case "":
		os.Exit(m.Run())
	case "saver":
		childSaver()
	case "stopper":
		childStopper()
	default:
		panic("unknown role " + role)
	}
}

// child starts this test binary in a role, with a clean environment.
func child(t testing.TB, role string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append([]string{childRole + "=" + role}, env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock {
	return &clock{at: time.Now().Truncate(time.Microsecond)}
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newDirStore(t testing.TB, opts Options) *DirStore {
	t.Helper()
	s, err := OpenDirStore(t.TempDir()+"/spill", opts)
	require.NoError(t, err)
	return s
}

func save(t testing.TB, s Store, owner, name, text string) Result {
	t.Helper()
	a, err := s.SaveText(context.Background(), Meta{Owner: owner, Name: name}, Text(text))
	require.NoError(t, err)
	return a
}

func readAll(s Store, scope Scope, id string) (string, error) {
	var b bytes.Buffer
	_, err := s.Read(context.Background(), scope, id, Range{}, &b)
	return b.String(), err
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

var _ io.Writer = writerFunc(nil)
