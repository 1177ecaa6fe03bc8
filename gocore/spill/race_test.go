package spill

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThousandConcurrentSaves(t *testing.T) {
	memory, err := NewMemoryStore(Options{})
	require.NoError(t, err)
	for _, s := range []Store{newDirStore(t, Options{}), memory} {
		const saves = 1000
		saved := make([]Result, saves)
		errs := make([]error, saves)
		text := func(i int) string { return strings.Repeat(fmt.Sprintf("save %d\n", i), 1+i%50) }
		var wg sync.WaitGroup
		for i := range saves {
			wg.Go(func() {
				meta := Meta{Owner: fmt.Sprint("session ", i%7), CallID: fmt.Sprint(i), Name: "same-name.txt"}
				saved[i], errs[i] = s.SaveText(ctx, meta, Text(text(i)))
			})
		}
		wg.Wait()
		ids := map[string]bool{}
		for i, a := range saved {
			require.NoError(t, errs[i])
			ids[a.ID] = true
			got, err := readAll(s, Session(fmt.Sprint("session ", i%7)), a.ID)
			require.NoError(t, err)
			assert.Equal(t, text(i), got)
		}
		assert.Len(t, ids, saves)
		list, err := s.List(ctx, AllSessions())
		require.NoError(t, err)
		assert.Len(t, list, saves)
		if d, ok := s.(*DirStore); ok {
			assert.Len(t, tree(t, d), saves, "nothing but saved results")
		}
	}
}

// TestSaveReadDeleteSweepRace: saves into a session whose directory other
// goroutines keep emptying and removing, read back at once. A read gives the
// whole text or SPILL_NOT_FOUND.
func TestSaveReadDeleteSweepRace(t *testing.T) {
	s := newDirStore(t, Options{})
	text := strings.Repeat("0123456789\n", 3000)
	stop := make(chan struct{})
	var sweeps sync.WaitGroup
	sweeps.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_, err := s.Sweep(ctx, AllSessions())
			if !assert.NoError(t, err) {
				return
			}
			list, err := s.List(ctx, AllSessions())
			if !assert.NoError(t, err) {
				return
			}
			for _, a := range list {
				_ = s.Delete(ctx, AllSessions(), a.ID)
			}
		}
	})
	var work sync.WaitGroup
	for g := range 4 {
		work.Go(func() {
			owner := fmt.Sprint("s", g%2)
			for range 100 {
				a, err := s.SaveText(ctx, Meta{Owner: owner}, Text(text))
				var lost *Error
				if errors.As(err, &lost) && strings.Contains(lost.Message, "removed or replaced meanwhile") {
					continue // deleted between its rename and the last look: told, not hidden
				}
				if !assert.NoError(t, err) {
					return
				}
				got, err := readAll(s, Session(owner), a.ID)
				if err != nil {
					assert.ErrorIs(t, err, ErrNotFound)
					continue
				}
				assert.True(t, text == got)
			}
		})
	}
	work.Wait()
	close(stop)
	sweeps.Wait()
}

// So many saves have to fall between two swaps, and so many tries into one, within
// so many tries: a store that saved nothing would let nothing land elsewhere.
const (
	linkSwapSaves  = 100
	linkSwapMissed = 100
	linkSwapTries  = 100_000
)

// TestLinkSwapRace: somebody swaps the session's directory for a link to
// another place and back, all the time. Nothing ever lands there.
//
// Every other swap lasts until a whole try has met the link, and no swap begins
// before a save has landed: both sides get on however few processors there are.
func TestLinkSwapRace(t *testing.T) {
	s := newDirStore(t, Options{})
	a := save(t, s, "s", "n", "x")
	session, outside := filepath.Dir(a.Locator), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, filepath.Base(a.Locator)), []byte("planted"), 0o600))
	stop, tried, landed := make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
	var swaps sync.WaitGroup
	swaps.Go(func() {
		for long := true; ; long = !long {
			if os.Rename(session, s.Root()+"/aside") == nil {
				_ = os.Symlink(outside, session)
				for range 2 { // the first try may have begun before
					if !long {
						break
					}
					select {
					case <-stop:
					case <-tried:
					}
				}
				_ = os.Remove(session)
				for os.Rename(s.Root()+"/aside", session) != nil {
					_ = os.RemoveAll(session) // a save made it anew meanwhile
				}
			}
			select {
			case <-stop:
				return
			case <-landed:
			}
		}
	})
	saved, missed := 0, 0
	for try := 0; (saved < linkSwapSaves || missed < linkSwapMissed) && try < linkSwapTries; try++ {
		b, err := s.SaveText(ctx, Meta{Owner: "s"}, Text("mine"))
		select {
		case tried <- struct{}{}:
		default:
		}
		if err != nil {
			missed++
			continue
		}
		saved++
		select {
		case landed <- struct{}{}:
		default:
		}
		if got, err := readAll(s, Session("s"), b.ID); err == nil {
			assert.Equal(t, "mine", got)
		}
		if got, err := readAll(s, Session("s"), a.ID); err == nil {
			assert.Equal(t, "x", got)
		}
	}
	close(stop)
	swaps.Wait()
	require.GreaterOrEqual(t, saved, linkSwapSaves, "saves fall between the swaps")
	require.GreaterOrEqual(t, missed, linkSwapMissed, "and some do not: it was a race")
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Len(t, left, 1, "only what was planted")
}
