package spill

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConformance holds both stores to the same contract.
func TestConformance(t *testing.T) {
	makers := map[string]func(t *testing.T, opts Options) Store{
		"dir": func(t *testing.T, opts Options) Store { return newDirStore(t, opts) },
		"memory": func(t *testing.T, opts Options) Store {
			s, err := NewMemoryStore(opts)
			require.NoError(t, err)
			return s
		},
	}
	checks := map[string]func(t *testing.T, open func(Options) Store){
		"round trip":           conformRoundTrip,
		"description":          conformDescription,
		"owners":               conformOwners,
		"ids":                  conformIDs,
		"list order":           conformListOrder,
		"delete":               conformDelete,
		"age":                  conformAge,
		"sweep by itself":      conformSweepByItself,
		"sweep during read":    conformSweepDuringRead,
		"quota":                conformQuota,
		"quota makes room":     conformQuotaMakesRoom,
		"failing content":      conformFailingContent,
		"deaf content":         conformDeafContent,
		"panicking content":    conformPanickingContent,
		"cancelled":            conformCancelled,
		"refused arguments":    conformRefusedArguments,
		"writer that fails":    conformFailingWriter,
		"ranges of both units": conformRanges,
		"read bytes":           conformReadBytes,
	}
	for store, open := range makers {
		for name, check := range checks {
			t.Run(store+"/"+name, func(t *testing.T) {
				check(t, func(o Options) Store { return open(t, o) })
			})
		}
	}
}

var ctx = context.Background()

func conformRoundTrip(t *testing.T, open func(Options) Store) {
	s := open(Options{})
	for name, text := range map[string]string{
		"empty": "", "one feed": "\n", "no last feed": "a\nb", "last feed": "a\nb\n", "crlf": "a\r\nb\r\n",
		"not utf-8": "bad\xff\xfe\n", "nul": "a\x00b", "cut character": "é"[:1],
		"several blocks": strings.Repeat("0123456789\n", 100_000),
	} {
		for way, content := range map[string]Content{
			"string": Text(text), "writer to": From(bytes.NewBufferString(text)),
			"byte by byte": func(w io.Writer) error {
				for i := range len(text) {
					if _, err := w.Write([]byte{text[i]}); err != nil {
						return err
					}
				}
				return nil
			},
		} {
			a, err := s.SaveText(ctx, Meta{Owner: "s"}, content)
			require.NoError(t, err, name)
			got, err := readAll(s, Session("s"), a.ID)
			require.NoError(t, err, name)
			assert.True(t, text == got, "%s, %s: bytes differ", name, way)
			assert.EqualValues(t, len(text), a.Bytes, name)
			lines := strings.Count(text, "\n")
			if text != "" && !strings.HasSuffix(text, "\n") {
				lines++
			}
			assert.EqualValues(t, lines, a.Lines, name)
		}
	}
}

func conformDescription(t *testing.T, open func(Options) Store) {
	c := newClock()
	s := open(Options{Now: c.now, Hint: func(id, locator string) string { return "see " + id + " at " + locator }})
	a, err := s.SaveText(ctx, Meta{Owner: "session-1", Tool: "grep", CallID: "call_7", Label: "TODO <in> \"src\"", Name: "grep-results.txt"}, Text("x\ny"))
	require.NoError(t, err)
	assert.Regexp(t, `^84097828fc31/[0-9a-f]{12}-grep-results\.txt$`, a.ID)
	assert.Equal(t, Meta{Owner: "session-1", Tool: "grep", CallID: "call_7", Label: "TODO <in> \"src\"", Name: "grep-results.txt"}, a.Meta)
	assert.Equal(t, "see "+a.ID+" at "+a.Locator, a.Hint)
	assert.Equal(t, "hydra-spill:///"+a.ID, a.URI())
	assert.True(t, c.now().Equal(a.Created))
	assert.Equal(t, time.UTC, a.Created.Location())

	stat, err := s.Stat(ctx, Session("session-1"), a.ID)
	require.NoError(t, err)
	assert.Equal(t, a, stat)
	list, err := s.List(ctx, Session("session-1"))
	require.NoError(t, err)
	assert.Equal(t, []Result{a}, list)
	list, err = s.List(ctx, AllSessions())
	require.NoError(t, err)
	assert.Equal(t, []Result{a}, list, "the owner is told to the store's owner")

	wire, err := json.Marshal(a)
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(wire, &fields))
	for _, f := range []string{"id", "locator", "hint", "owner", "tool", "callId", "label", "name", "bytes", "lines", "created"} {
		assert.Contains(t, fields, f)
	}

	long := strings.Repeat("<\"é\n\x00", 1000)
	a, err = s.SaveText(ctx, Meta{Owner: long, Tool: long, CallID: long, Label: long, Name: long}, Text(""))
	require.NoError(t, err)
	assert.Equal(t, long, a.Owner, "the owner is exact")
	for _, field := range []string{a.Tool, a.CallID, a.Label} {
		assert.LessOrEqual(t, len(field), maxMetaBytes)
		assert.NotContains(t, field, "\n")
	}
	stat, err = s.Stat(ctx, Session(long), a.ID)
	require.NoError(t, err)
	assert.Equal(t, a, stat)
}

func conformOwners(t *testing.T, open func(Options) Store) {
	s := open(Options{})
	mine := save(t, s, "mine", "a.txt", "secret")
	_, missing := s.Stat(ctx, Session("other"), strings.Replace(mine.ID, mine.ID[13:25], "000000000000", 1))
	for name, scope := range map[string]Scope{"another session": Session("other"), "zero scope": {}, "no name": Session("")} {
		for _, id := range []string{mine.ID, mine.Locator, mine.URI()} {
			_, err := readAll(s, scope, id)
			assert.ErrorIs(t, err, ErrNotFound, name)
			_, err = s.Stat(ctx, scope, id)
			assert.ErrorIs(t, err, ErrNotFound, name)
			assert.Equal(t, fmt.Sprintf("spill stat: no saved result %q", id), err.Error(), "the same words as for a missing one: %v", missing)
			assert.ErrorIs(t, s.Delete(ctx, scope, id), ErrNotFound, name)
		}
		list, err := s.List(ctx, scope)
		require.NoError(t, err)
		assert.Empty(t, list, name)
		swept, err := s.Sweep(ctx, scope)
		require.NoError(t, err)
		assert.Zero(t, swept, name)
	}
	got, err := readAll(s, AllSessions(), mine.ID)
	require.NoError(t, err)
	assert.Equal(t, "secret", got)
}

func conformIDs(t *testing.T, open func(Options) Store) {
	s := open(Options{})
	a := save(t, s, "s", "n.txt", "text")
	for _, id := range []string{a.ID, a.Locator, a.URI()} {
		got, err := readAll(s, Session("s"), id)
		require.NoError(t, err, id)
		assert.Equal(t, "text", got)
	}
	owner, file, _ := strings.Cut(a.ID, "/")
	for _, id := range []string{
		"", "/", owner, owner + "/", "/" + file, file, a.ID + "/", "/" + a.ID, a.ID + "\x00", a.ID + "\n", " " + a.ID,
		owner + "/../" + a.ID, owner + "//" + file, "../" + a.ID, "./" + a.ID, owner + "/" + file[:12], owner + "/" + file[:13],
		strings.ToUpper(owner) + "/" + file, owner + "/.tmp-" + file[:12], "/etc/passwd", "hydra-spill:///../../etc/passwd",
		"hydra-spill://" + a.ID, "session-" + owner + "/x", strings.Repeat("a", 100_000),
	} {
		_, err := readAll(s, AllSessions(), id)
		assert.ErrorIs(t, err, ErrNotFound, "%q", clip(id))
		if err != nil {
			assert.Less(t, len(err.Error()), 1000, "an id in an error is clipped")
		}
	}
}

func conformListOrder(t *testing.T, open func(Options) Store) {
	c := newClock()
	s := open(Options{Now: c.now})
	list, err := s.List(ctx, AllSessions())
	require.NoError(t, err)
	assert.NotNil(t, list, "an empty list is a list")
	assert.Empty(t, list)
	var want []string
	for i := range 5 {
		want = append(want, save(t, s, fmt.Sprint("s", i%2), "n", "x").ID)
		c.advance(time.Second)
	}
	list, err = s.List(ctx, AllSessions())
	require.NoError(t, err)
	var got []string
	for _, a := range list {
		got = append(got, a.ID)
	}
	assert.Equal(t, want, got)
	list, err = s.List(ctx, Session("s1"))
	require.NoError(t, err)
	assert.Len(t, list, 2)
}

func conformDelete(t *testing.T, open func(Options) Store) {
	s := open(Options{MaxBytes: 4})
	a := save(t, s, "s", "n", "full")
	require.NoError(t, s.Delete(ctx, Session("s"), a.Locator))
	assert.ErrorIs(t, s.Delete(ctx, Session("s"), a.ID), ErrNotFound)
	_, err := readAll(s, Session("s"), a.ID)
	assert.ErrorIs(t, err, ErrNotFound)
	save(t, s, "s", "n", "room")
}

func conformAge(t *testing.T, open func(Options) Store) {
	c := newClock()
	s := open(Options{Now: c.now, MaxAge: time.Hour})
	old, other := save(t, s, "s", "old", "12345"), save(t, s, "other", "old", "1")
	c.advance(time.Minute)
	young := save(t, s, "s", "young", "123")
	c.advance(59*time.Minute - time.Microsecond)
	swept, err := s.Sweep(ctx, AllSessions())
	require.NoError(t, err)
	assert.Equal(t, Swept{Kept: 3, KeptBytes: 9}, swept, "a microsecond younger than the age stays")
	c.advance(time.Microsecond)
	swept, err = s.Sweep(ctx, Session("s"))
	require.NoError(t, err)
	assert.Equal(t, Swept{Removed: 1, RemovedBytes: 5, Kept: 1, KeptBytes: 3}, swept)
	_, err = s.Stat(ctx, Session("s"), old.ID)
	assert.ErrorIs(t, err, ErrNotFound)
	for _, a := range []Result{young, other} {
		_, err = s.Stat(ctx, AllSessions(), a.ID)
		assert.NoError(t, err, "outside the age or outside the scope")
	}
	forever := open(Options{Now: c.now, MaxAge: Forever})
	save(t, forever, "s", "n", "x")
	c.advance(100 * 365 * 24 * time.Hour)
	swept, err = forever.Sweep(ctx, AllSessions())
	require.NoError(t, err)
	assert.Equal(t, Swept{Kept: 1, KeptBytes: 1}, swept)
}

func conformSweepByItself(t *testing.T, open func(Options) Store) {
	c := newClock()
	s := open(Options{Now: c.now, MaxAge: 2 * time.Hour})
	old := save(t, s, "gone", "n", "x")
	c.advance(3 * time.Hour)
	save(t, s, "s", "n", "x")
	list, err := s.List(ctx, AllSessions())
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.NotEqual(t, old.ID, list[0].ID)
}

func conformSweepDuringRead(t *testing.T, open func(Options) Store) {
	c := newClock()
	s := open(Options{Now: c.now, MaxAge: time.Hour})
	text := strings.Repeat("0123456789abcde\n", 1<<16) // four blocks
	a := save(t, s, "s", "n", text)
	c.advance(time.Hour)
	var got bytes.Buffer
	swept := Swept{}
	_, err := s.Read(ctx, Session("s"), a.ID, Range{}, writerFunc(func(p []byte) (int, error) {
		if got.Len() == 0 {
			var err error
			swept, err = s.Sweep(ctx, AllSessions())
			require.NoError(t, err)
		}
		return got.Write(p)
	}))
	require.NoError(t, err)
	assert.Equal(t, 1, swept.Removed)
	assert.True(t, text == got.String(), "a read that began ends with the exact bytes")
	_, err = readAll(s, Session("s"), a.ID)
	assert.ErrorIs(t, err, ErrNotFound)
}
