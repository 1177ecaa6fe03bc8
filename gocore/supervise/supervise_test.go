package supervise

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestWorkThatReturnsIsReturned(t *testing.T) {
	var p Pool
	broken := errors.New("broken")
	value, err := Run(t.Context(), &p, Within(0), func() (int, error) { return 7, broken })
	assert.Equal(t, 7, value)
	assert.Equal(t, broken, err)
	assert.Zero(t, p.Lost())
}

// Rule: when the context is done, work has its grace and is then left; it
// counts as lost until it comes back.
func TestWorkIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pool
		gone := errors.New("the caller is gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		never := make(chan struct{})
		began := time.Now()
		time.AfterFunc(time.Second, func() { cancel(gone) })
		value, err := Run(ctx, &p, Within(3*time.Second), func() (string, error) { <-never; return "late", nil })
		assert.Empty(t, value)
		var left *Left
		require.ErrorAs(t, err, &left)
		assert.Equal(t, gone, left.Cause)
		assert.Equal(t, 4*time.Second, time.Since(began), "a second until the context was done, and the grace")
		assert.Equal(t, 1, p.Lost())
		close(never)
		synctest.Wait()
		assert.Zero(t, p.Lost())
	})
}

func TestWorkThatEndsWithinItsGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pool
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		value, err := Run(ctx, &p, Within(3*time.Second), func() (int, error) { <-time.After(2 * time.Second); return 5, nil })
		require.NoError(t, err)
		assert.Equal(t, 5, value)
		assert.Zero(t, p.Lost())
	})
}

// Rule: no more than MaxLost are left at once; what comes after is refused
// before it begins, until one comes back.
func TestAFullPoolRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pool
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		never := make(chan struct{})
		hang := func() (int, error) { <-never; return 0, nil }
		for range MaxLost {
			_, err := Run(ctx, &p, Within(0), hang)
			require.ErrorIs(t, err, context.Canceled)
		}
		assert.Equal(t, MaxLost, p.Lost())
		_, err := Run(ctx, &p, Within(0), func() (int, error) { t.Error("it began"); return 0, nil })
		assert.Equal(t, ErrFull, err)
		close(never)
		synctest.Wait()
		_, err = Run(t.Context(), &p, Within(0), func() (int, error) { return 1, nil })
		assert.NoError(t, err)
	})
}

// The real thing: opening a FIFO that nobody writes to never ends.
func TestAFIFOThatNobodyWrites(t *testing.T) {
	var p Pool
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, unix.Mkfifo(path, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	back := make(chan struct{})
	_, err := Run(ctx, &p, Within(0), func() (int, error) {
		defer close(back)
		fd, err := unix.Open(path, unix.O_RDONLY, 0)
		if err == nil {
			err = unix.Close(fd)
		}
		return 0, err
	})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, 1, p.Lost())
	writer, err := os.OpenFile(path, os.O_WRONLY, 0) // waits for the reader, and lets it go
	require.NoError(t, err)
	<-back
	require.NoError(t, writer.Close())
}

func TestANilPoolCountsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := make(chan struct{})
	defer close(never)
	_, err := Run(ctx, nil, Within(0), func() (int, error) { <-never; return 0, nil })
	assert.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, (*Pool)(nil).Lost())
}

func TestAPanicIsTheCallers(t *testing.T) {
	assert.PanicsWithValue(t, "boom", func() {
		_, _ = Run(t.Context(), &Pool{}, Within(0), func() (int, error) { panic("boom") })
	})
}
