package spill

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// childStopper saves a text and stops at a step, until it is killed or its
// standard input ends.
func childStopper() {
	s, err := OpenDirStore(os.Getenv("ROOT"), Options{})
	if err != nil {
		panic(err)
	}
	s.step = func(at string) {
		if at == os.Getenv("STEP") {
			fmt.Println(at)
			_, _ = io.Copy(io.Discard, os.Stdin)
		}
	}
	_, err = s.SaveText(ctx, Meta{Owner: "child", Name: "big.txt"}, func(w io.Writer) error {
		for range len(childText) / 1000 {
			if _, err := io.WriteString(w, childText[:1000]); err != nil {
				return err
			}
			s.at("inside")
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
}

var childText = strings.Repeat("0123456789abcdefghi\n", 50_000) // a million bytes

// TestKilledDuringSave kills a process at every step of a save. What another
// process sees is the whole text or none of it.
func TestKilledDuringSave(t *testing.T) {
	for _, step := range []string{"created", "inside", "written", "flushed", "renamed"} {
		t.Run(step, func(t *testing.T) {
			c := newClock()
			s := newDirStore(t, Options{Now: c.now})
			cmd := child(t, "stopper", "ROOT="+s.Root(), "STEP="+step)
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			defer stdin.Close()
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			line, err := bufio.NewReader(stdout).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, step+"\n", line)

			visible := func() {
				list, err := s.List(ctx, AllSessions())
				require.NoError(t, err)
				if step != "renamed" {
					assert.Empty(t, list)
					return
				}
				require.Len(t, list, 1)
				got, err := readAll(s, Session("child"), list[0].ID)
				require.NoError(t, err)
				assert.True(t, childText == got, "the text is whole")
				assert.EqualValues(t, 50_000, list[0].Lines)
			}
			visible()
			c.advance(48 * time.Hour) // longer than any grace, shorter than the age
			swept, err := s.Sweep(ctx, AllSessions())
			require.NoError(t, err)
			assert.Zero(t, swept.Temps, "a live save is left alone, however long it takes")

			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			visible()
			swept, err = s.Sweep(ctx, AllSessions())
			require.NoError(t, err)
			visible()
			if step == "renamed" {
				assert.Equal(t, Swept{Kept: 1, KeptBytes: int64(len(childText))}, swept)
			} else {
				assert.Equal(t, Swept{Temps: 1}, swept)
				assert.Empty(t, tree(t, s))
			}
		})
	}
}

func TestYoungOrphanWaits(t *testing.T) {
	c := newClock()
	s := newDirStore(t, Options{Now: c.now})
	a := save(t, s, "s", "n", "x")
	temp := a.Locator[:strings.LastIndex(a.Locator, "/")] + "/.tmp-0123456789ab"
	require.NoError(t, os.WriteFile(temp, []byte("half"), 0o600))
	require.NoError(t, os.Chtimes(temp, c.now(), c.now()))
	for _, step := range []struct {
		wait  time.Duration
		temps int
	}{{orphanGrace - time.Microsecond, 0}, {time.Microsecond, 1}} {
		c.advance(step.wait)
		swept, err := s.Sweep(ctx, Session("s"))
		require.NoError(t, err)
		assert.Equal(t, step.temps, swept.Temps)
	}
}

// childSaver saves COUNT texts of SIZE bytes and prints how many were kept.
func childSaver() {
	limit, _ := strconv.ParseInt(os.Getenv("LIMIT"), 10, 64)
	count, _ := strconv.Atoi(os.Getenv("COUNT"))
	size, _ := strconv.Atoi(os.Getenv("SIZE"))
	s, err := OpenDirStore(os.Getenv("ROOT"), Options{MaxBytes: limit})
	if err != nil {
		panic(err)
	}
	fmt.Println(saveMany(s, os.Getenv("OWNER"), count, size))
}

func saveMany(s *DirStore, owner string, count, size int) (kept, refused int) {
	for range count {
		_, err := s.SaveText(ctx, Meta{Owner: owner}, Text(strings.Repeat("x", size)))
		switch e, _ := err.(*Error); {
		case err == nil:
			kept++
		case e.Code == Quota:
			refused++
		default:
			panic(err)
		}
	}
	return kept, refused
}

// TestTwoProcessesOneFolder: three stores in three processes save at once, with
// a quota that holds two thirds of it.
func TestTwoProcessesOneFolder(t *testing.T) {
	const count, size, fit = 40, 1000, 80
	s := newDirStore(t, Options{MaxBytes: fit * size})
	var cmds []*exec.Cmd
	var outs []*strings.Builder
	for _, owner := range []string{"one", "shared"} {
		cmd := child(t, "saver", "ROOT="+s.Root(), "OWNER="+owner,
			fmt.Sprint("COUNT=", count), fmt.Sprint("SIZE=", size), fmt.Sprint("LIMIT=", fit*size))
		out := &strings.Builder{}
		cmd.Stdout = out
		require.NoError(t, cmd.Start())
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	kept, refused := saveMany(s, "shared", count, size)
	for i, cmd := range cmds {
		require.NoError(t, cmd.Wait())
		var k, r int
		_, err := fmt.Sscan(outs[i].String(), &k, &r)
		require.NoError(t, err)
		kept, refused = kept+k, refused+r
	}
	assert.Equal(t, fit, kept, "the quota is one for all processes")
	assert.Equal(t, 3*count-fit, refused)
	list, err := s.List(ctx, AllSessions())
	require.NoError(t, err)
	assert.Len(t, list, fit)
	for _, a := range list {
		assert.EqualValues(t, size, a.Bytes)
	}
}
