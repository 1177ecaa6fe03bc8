package tool

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/spill"
)

// A model without a shell reads on where a page says that the rest was saved.
func TestReadResultReadsOn(t *testing.T) {
	b := six(t)
	b.names = Names()
	store := b.memory()
	page := b.call(Grep, hits)
	locator := page.Page.(GrepPage).Locator
	require.NotEmpty(t, locator)
	b.policy.InlineMaxBytes = 400
	var all strings.Builder
	for offset := int64(0); ; {
		r := b.call(ReadResult, fmt.Sprintf(`{"id":%q,"offset":%d}`, locator, offset))
		require.Nil(t, r.Failure, r.Text)
		assert.LessOrEqual(t, len(r.Text), 402)
		read := r.Page.(ReadPage)
		assert.Equal(t, offset, read.Offset)
		all.WriteString(read.Text + "\n")
		if !read.More {
			assert.Equal(t, read.Size, read.Next)
			break
		}
		assert.Contains(t, r.Text, fmt.Sprintf("Read on with offset %d.)", read.Next))
		offset = read.Next
	}
	assert.Equal(t, saved(t, store, "session")[0]+"\n", all.String())
}

// What another session saved does not exist, and so does what nobody saved.
func TestReadResultIsTheOwners(t *testing.T) {
	b := newBench(t)
	b.names = Names()
	store := b.memory()
	kept, err := store.SaveText(t.Context(), spill.Meta{Owner: "them", Name: "x.txt"}, spill.Text("secret"))
	require.NoError(t, err)
	for _, id := range []string{kept.ID, kept.Locator, kept.URI(), "nothing", "../../etc/passwd", "/etc/passwd"} {
		r := b.call(ReadResult, fmt.Sprintf(`{"id":%q}`, id))
		require.NotNil(t, r.Failure, id)
		assert.Equal(t, failure.SpillNotFound, r.Failure.Code, id)
		assert.NotContains(t, r.Text, "secret")
	}
	b.session.Owner = ""
	r := b.call(ReadResult, fmt.Sprintf(`{"id":%q}`, kept.ID))
	assert.Equal(t, "Error: id: nothing is saved here, because the call has no owner; narrow the search instead", r.Text)
	b.session.Owner = "them"
	assert.Equal(t, "secret", b.call(ReadResult, fmt.Sprintf(`{"id":%q,"offset":null,"limit":null}`, kept.ID)).Text)
}

func TestArgumentsOfReadResult(t *testing.T) {
	b := newBench(t)
	b.names = Names()
	b.memory()
	const takes = "the tool takes id (a string), offset (a whole number from 0 on, optional), limit (a whole number from 0 on, optional)"
	for arguments, want := range map[string]string{
		`{}`:                      "id: it is missing; " + takes,
		`{"id":""}`:               "id: it is empty; write the path that the page names",
		`{"id":7}`:                "id: it is a number; write a string",
		`{"id":"x","offset":"7"}`: "offset: it is a string; write a whole number from 0 on",
		`{"id":"x","offset":-1}`:  "offset: it is -1; write a whole number from 0 on",
		`{"id":"x","limit":1.5}`:  "limit: it is 1.5; write a whole number from 0 on",
		`{"id":"x","limit":1e99}`: "limit: it is 1e99; write a whole number from 0 on",
		`{"id":"x","line":1}`:     `arguments: there is no argument "line"; ` + takes,
	} {
		r := b.call(ReadResult, arguments)
		assert.Equal(t, "Error: "+want, r.Text, arguments)
	}
}

// However large a page may be, a part of a saved result fits in a frame.
func TestReadResultFitsInAFrame(t *testing.T) {
	b := newBench(t)
	b.names = Names()
	b.policy.InlineMaxBytes = 1 << 40
	kept, err := b.memory().SaveText(t.Context(), spill.Meta{Owner: "session", Name: "x.txt"}, spill.Text(strings.Repeat("\x01\"", 4<<20)))
	require.NoError(t, err)
	r := b.call(ReadResult, fmt.Sprintf(`{"id":%q,"limit":9007199254740991}`, kept.ID))
	require.Nil(t, r.Failure)
	assert.LessOrEqual(t, len(r.Text), maxReadBytes+2)
	assert.True(t, r.Page.(ReadPage).More)
	assert.Contains(t, b.set().Definitions()[2].Description, "at most 262144 bytes")
}

// A tool that is not offered does not exist.
func TestReadResultIsOptIn(t *testing.T) {
	b := newBench(t)
	assert.Equal(t, `Error: name: there is no tool "read_result"; the tools are glob, grep`, b.call(ReadResult, `{"id":"x"}`).Text)
}

// stuckStore is a folder of saved results whose file system never answers.
type stuckStore struct {
	spill.Store
	hang chan struct{}
}

func (s stuckStore) Read(context.Context, spill.Scope, string, spill.Range, io.Writer) (spill.Extent, error) {
	<-s.hang
	return spill.Extent{}, nil
}

// A folder that never answers ends with the time of the call.
func TestReadResultOfAFolderThatDoesNotAnswer(t *testing.T) {
	b := newBench(t)
	b.names = Names()
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	b.store = stuckStore{Store: b.memory(), hang: hang}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	r := b.callIn(ctx, ReadResult, `{"id":"x"}`)
	require.NotNil(t, r.Failure)
	assert.Equal(t, failure.SpillFailed, r.Failure.Code)
	assert.Contains(t, r.Text, noAnswer)
}
