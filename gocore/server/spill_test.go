package server

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/spill"
)

// saved is a server whose store holds one text of the owner "s".
func saved(t *testing.T, text string) (*client, string) {
	t.Helper()
	root := coretest.Tree(t)
	rt := open(t, root, nil)
	return connectSaved(t, rt, root, text)
}

func connectSaved(t *testing.T, rt *harness.Runtime, root, text string) (*client, string) {
	t.Helper()
	saved, err := rt.Spill().SaveText(t.Context(), spill.Meta{Owner: "s", Tool: "grep", Name: "x.txt"}, spill.Text(text))
	require.NoError(t, err)
	c := connect(t, rt, Options{Workdir: root, Owner: "s"})
	c.initialize()
	return c, saved.ID
}

func TestALongTextIsReadInWholeCharacters(t *testing.T) {
	// A character lies across each border of a megabyte.
	text := "x" + strings.Repeat("é", 3<<19) + "€"
	c, id := saved(t, text)
	var got strings.Builder
	for offset := int64(0); ; {
		m := c.call(1, "hydra/spill/read", fmt.Sprintf(`{"id":%q,"offset":%d}`, id, offset))
		require.Nil(t, m.Error)
		var r struct {
			Text      string
			TextBytes []byte
			Next      int64
			More      bool
			Size      int
		}
		require.NoError(t, json.Unmarshal(m.Result, &r))
		require.Nil(t, r.TextBytes, "text is text")
		assert.Equal(t, len(text), r.Size)
		got.WriteString(r.Text)
		if offset = r.Next; !r.More {
			break
		}
	}
	assert.True(t, text == got.String())
}

func TestRangesOfASavedText(t *testing.T) {
	c, id := saved(t, "one\ntwo é\nthree\n")
	for params, want := range map[string]string{
		``:                       `"offset":0,"bytes":17,"size":17,"text":"one\ntwo é\nthree\n","more":false,"next":17`,
		`,"offset":4,"limit":3`:  `"offset":4,"bytes":3,"size":17,"text":"two","more":true,"next":7`,
		`,"limit":3`:             `"offset":0,"bytes":3,"size":17,"text":"one","more":true,"next":3`,
		`,"offset":99`:           `"offset":17,"bytes":0,"size":17,"text":"","more":false,"next":17`,
		`,"line":2,"lines":1`:    `"offset":4,"bytes":7,"size":17,"line":2,"lines":1,"text":"two é\n","more":true,"next":11`,
		`,"lines":1`:             `"offset":0,"bytes":4,"size":17,"line":1,"lines":1,"text":"one\n","more":true,"next":4`,
		`,"line":3`:              `"offset":11,"bytes":6,"size":17,"line":3,"lines":1,"text":"three\n","more":false,"next":17`,
		`,"line":9`:              `"offset":17,"bytes":0,"size":17,"line":9,"text":"","more":false,"next":17`,
		`,"offset":8,"limit":1`:  `"offset":8,"bytes":1,"size":17,"text":"` + "\ufffd" + `","textBytes":"` + base64.StdEncoding.EncodeToString([]byte{0xc3}) + `","more":true,"next":9`,
		`,"offset":17,"limit":1`: `"offset":17,"bytes":0,"size":17,"text":"","more":false,"next":17`,
	} {
		m := c.call(1, "hydra/spill/read", fmt.Sprintf(`{"id":%q%s}`, id, params))
		require.Nil(t, m.Error, "%+v", m.Error)
		assert.Equal(t, `{`+want+`}`, string(m.Result), params)
	}
}

func TestASavedTextIsAResource(t *testing.T) {
	c, id := saved(t, "one\ntwo é\nthree\n")
	uri := spill.URIScheme + id
	for query, want := range map[string]string{
		"":                  `"mimeType":"text/plain","text":"one\ntwo é\nthree\n"`,
		"?offset=4&limit=3": `"mimeType":"text/plain","text":"two"`,
		"?limit=3&offset=4": `"mimeType":"text/plain","text":"two"`,
		"?limit=3":          `"mimeType":"text/plain","text":"one"`,
		"?offset=11":        `"mimeType":"text/plain","text":"three\n"`,
		"?offset=8&limit=1": `"mimeType":"application/octet-stream","blob":"ww=="`,
	} {
		m := c.call(1, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri+query))
		require.Nil(t, m.Error, "%s: %+v", query, m.Error)
		assert.Contains(t, string(m.Result), want)
		var r struct {
			Contents   []struct{ URI string }
			CacheScope string
		}
		require.NoError(t, json.Unmarshal(m.Result, &r))
		assert.Equal(t, uri+query, r.Contents[0].URI)
		assert.Equal(t, "private", r.CacheScope, "it is its owner's")
	}
	m := c.call(1, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri+"?limit=3"))
	assert.Contains(t, string(m.Result), `"_meta":{"dev.hydra-harness/next":3,"dev.hydra-harness/size":17}`)
	for bad, want := range map[string]string{
		uri + "?offset=-1":       "offset: it is not a whole number from 0 on",
		uri + "?lines=1":         "uri: its query takes offset and limit, once each",
		uri + "?limit=1&limit=2": "uri: its query takes offset and limit, once each",
		uri + "?offset=%zz":      "uri: its query is badly escaped",
		uri + "x":                `spill read: no saved result "` + id + `x"`,
		"hydra-spill:///x":       "spill read: there is no such resource",
		"file:///etc/passwd":     "spill read: there is no such resource",
		"":                       "spill read: there is no such resource",
	} {
		m := c.call(1, "resources/read", fmt.Sprintf(`{"uri":%q}`, bad))
		require.NotNil(t, m.Error, bad)
		assert.Equal(t, want, m.Error.Message, bad)
	}
	assert.Contains(t, string(c.call(2, "resources/list", `{}`).Result), `"resources":[]`)
}

func TestALongListIsPaged(t *testing.T) {
	c, _ := saved(t, "x")
	store := c.srv.dispatcher.Runtime().Spill()
	for range dispatch.MaxListed + 5 {
		_, err := store.SaveText(t.Context(), spill.Meta{Owner: "s"}, spill.Text("y"))
		require.NoError(t, err)
	}
	seen := map[string]bool{}
	count := c.pages("hydra/spill/list", `{"_meta":{}`, func(text json.RawMessage) {
		var r struct{ Results []spill.Result }
		require.NoError(t, json.Unmarshal(text, &r))
		for _, a := range r.Results {
			assert.False(t, seen[a.ID])
			seen[a.ID] = true
		}
	})
	assert.Equal(t, 2, count)
	assert.Len(t, seen, dispatch.MaxListed+6)
}

func TestAnotherOwnersTextsDoNotExist(t *testing.T) {
	c, id := saved(t, "secret")
	var missing, foreign []string
	for _, method := range []string{"read", "stat", "delete"} {
		m := c.call(1, "hydra/spill/"+method, fmt.Sprintf(`{"id":%q,"_meta":{"dev.hydra-harness/owner":"t"}}`, id))
		require.NotNil(t, m.Error)
		assert.Equal(t, 1201, m.Error.Code)
		foreign = append(foreign, strings.ReplaceAll(m.Error.Message+string(m.Error.Data), id, "ID"))
		m = c.call(1, "hydra/spill/"+method, `{"id":"000000000000/000000000000-x"}`)
		require.NotNil(t, m.Error)
		missing = append(missing, strings.ReplaceAll(m.Error.Message+string(m.Error.Data), "000000000000/000000000000-x", "ID"))
	}
	assert.Equal(t, missing, foreign, "a stranger learns nothing")
	assert.Equal(t, `{"results":[]}`, string(c.call(2, "hydra/spill/list", `{"_meta":{"dev.hydra-harness/owner":"t"}}`).Result))
	m := c.call(3, "hydra/spill/list", `{"_meta":{"dev.hydra-harness/owner":""}}`)
	require.NotNil(t, m.Error, "no owner is not everybody")
	assert.Contains(t, string(c.call(4, "hydra/spill/sweep", `{}`).Result), `"kept":1`)
	assert.Equal(t, `{}`, string(c.call(5, "hydra/spill/delete", fmt.Sprintf(`{"id":%q}`, id)).Result))
	m = c.call(6, "hydra/spill/stat", fmt.Sprintf(`{"id":%q}`, id))
	require.NotNil(t, m.Error)
	assert.Equal(t, 1201, m.Error.Code)
}

// The gate lets a session read what it has saved, and nobody else.
func TestTheGateKnowsWhoseTextItIs(t *testing.T) {
	c, id := saved(t, "secret")
	locator := c.srv.dispatcher.Runtime().Config().SpillRoot + "/session-" + id
	for meta, want := range map[string]string{
		``: "allow",
		`,"_meta":{"dev.hydra-harness/owner":"s"}`: "allow",
		`,"_meta":{"dev.hydra-harness/owner":"t"}`: "ask",
		`,"_meta":{"dev.hydra-harness/owner":""}`:  "ask",
	} {
		m := c.call(1, "hydra/shell/gate", fmt.Sprintf(`{"command":"cat %s","cwd":"/","env":{"HOME":"/h"},"boundary":{"readRoots":["/usr"],"cwd":"/"}%s}`, locator, meta))
		require.Nil(t, m.Error, "%+v", m.Error)
		assert.Contains(t, string(m.Result), `"decision":"`+want+`"`, meta)
	}
}
