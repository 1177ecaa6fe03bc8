package spill

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestLedger: whatever somebody did to the ledger or behind its back, a text
// that fits is kept and one that does not is refused.
func TestLedger(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, root string, first Result){
		"untouched": func(*testing.T, string, Result) {},
		"missing":   func(t *testing.T, root string, _ Result) { _ = unix.Removexattr(root, ledgerAttribute) },
		"nonsense":  func(t *testing.T, root string, _ Result) { setLedger(t, root, "{") },
		"negative": func(t *testing.T, root string, _ Result) {
			setLedger(t, root, `{"bytes":-9,"counted":9000000000000000}`)
		},
		"enormous": func(t *testing.T, root string, _ Result) {
			setLedger(t, root, `{"bytes":9223372036854775807,"counted":0}`)
		},
		"too old": func(t *testing.T, root string, _ Result) { setLedger(t, root, `{"bytes":0,"counted":0}`) },
		"from the future": func(t *testing.T, root string, _ Result) {
			setLedger(t, root, `{"bytes":0,"counted":9000000000000000}`)
		},
	} {
		s := newDirStore(t, Options{MaxBytes: 10})
		first := save(t, s, "s", "n", "123456")
		harm(t, s.Root(), first)
		_, err := s.SaveText(ctx, Meta{Owner: "s"}, Text("12345"))
		assert.ErrorIs(t, err, ErrQuota, name)
		save(t, s, "s", "n", "1234")
	}

	s := newDirStore(t, Options{MaxBytes: 10})
	require.NoError(t, os.Remove(save(t, s, "s", "n", "1234567890").Locator)) // by hand
	save(t, s, "s", "n", "1234567890")
}

func setLedger(t *testing.T, root, text string) {
	t.Helper()
	if err := unix.Setxattr(root, ledgerAttribute, []byte(text), 0); err != nil {
		t.Logf("the file system has no extended attributes, every save counts: %v", err)
	}
}

// TestQuotaWhileAnotherHoldsTheTurn: a process that stopped in its turn does
// not stop the others for good, and a caller's deadline is kept.
func TestQuotaWhileAnotherHoldsTheTurn(t *testing.T) {
	s := newDirStore(t, Options{MaxBytes: 10})
	save(t, s, "s", "n", "1")
	d, err := openDir(s.Root())
	require.NoError(t, err)
	defer d.close()
	require.NoError(t, unix.Flock(d.fd(), unix.LOCK_EX))
	waiting, cancel := context.WithCancel(ctx)
	s.step = func(at string) {
		if at == "flushed" {
			cancel()
		}
	}
	s.patience = time.Hour
	_, err = s.SaveText(waiting, Meta{Owner: "s"}, Text("2"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Len(t, tree(t, s), 1)

	s.patience = lockPoll
	save(t, s, "s", "n", "2")
	_, err = s.SaveText(ctx, Meta{Owner: "s"}, Text("123456789"))
	assert.ErrorIs(t, err, ErrQuota, "the quota holds without the turn")
}

// TestUnremovableExpired: what cannot be swept still weighs, and the refusal
// tells why there is no room.
func TestUnremovableExpired(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("modes do not bind root; run as another user to see this")
	}
	c := newClock()
	s := newDirStore(t, Options{MaxBytes: 10, MaxAge: time.Hour, Now: c.now})
	a := save(t, s, "s", "n", "1234567890")
	c.advance(time.Hour)
	require.NoError(t, os.Chmod(filepath.Dir(a.Locator), 0o500))
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(a.Locator), 0o700) })
	_, err := s.SaveText(ctx, Meta{Owner: "t"}, Text("1"))
	assert.ErrorIs(t, err, ErrQuota)
	assert.ErrorIs(t, err, unix.EACCES)
	assert.True(t, strings.Contains(err.Error(), "10 of 10 bytes"))
}
