package dispatch

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
	"github.com/hydraharness/harness-runtime/gocore/strictjson/strictjsontest"
)

// everything are parameters with all members that a method takes, as far as they
// are not values of other packages, which test their own forms.
func everything(t *testing.T) map[string]string {
	t.Helper()
	rt, err := harness.Open(harness.Options{RipgrepPath: "/nowhere", Config: harness.DefaultConfig(true)})
	require.NoError(t, err)
	plan, err := rt.Plan(harness.ShellCommand{Command: "cat *.go src/[ab] >out"})
	require.NoError(t, err)
	boundary := establish.Boundary{
		ReadRoots: []string{"/r", "/\xff"}, WriteRoots: []string{"/w", "/\xff"}, DenyPaths: []string{"/d", "/\xff"},
		Home: "/h\xff", HomeViews: []string{"/v", "/\xff"}, RootsCanonical: true, Cwd: "/c\xff",
	}
	found, err := establish.Lexically(plan, boundary)
	require.NoError(t, err)
	write := func(v any) string {
		text, err := Marshal(v)
		require.NoError(t, err)
		return string(text)
	}
	command := `"command":"ls","commandBytes":"bHM=","shell":"bash","cwd":"/r","cwdBytes":"L3I=","env":{"A":"B"}`
	gate := command + `,"boundary":` + write(boundary) + `,"policy":{"opaque":"ask","unestablishable":"deny","containedTraversal":true,"confine":"opaque","trust":[{"program":"make","args":["a"],"directory":"/r","decision":"allow"}]},"confine":{"net":"none","tmp":"/t","cache":"/c","keepEnv":["A"]}`
	established := write(found)
	return map[string]string{
		"hydra/info":              `{}`,
		"hydra/search/glob":       `{"pattern":"*","path":"a","pathBytes":"YQ==","cursor":"c"}`,
		"hydra/search/grep":       `{"pattern":"x","path":"a","pathBytes":"YQ==","include":"*","case":"smart","literal":true,"multiline":false,"before":1,"after":2,"filesOnly":true,"count":false,"cursor":"c"}`,
		"hydra/shell/plan":        `{` + command + `}`,
		"hydra/shell/establish":   `{"plan":` + write(plan) + `,"boundary":` + write(boundary) + `,"lexical":true,"capabilities":{"boundaryIsTheSandbox":true}}`,
		"hydra/shell/reestablish": `{"previous":` + established + `,"boundary":` + write(boundary) + `}`,
		"hydra/shell/gate":        `{` + gate + `}`,
		"hydra/shell/confirm":     `{` + gate + `,"establishment":` + established + `,"digest":"d"}`,
		"hydra/spill/read":        `{"id":"i","offset":1,"limit":2,"line":3,"lines":4}`,
		"hydra/spill/stat":        `{"id":"i"}`,
		"hydra/spill/list":        `{"cursor":"c"}`,
		"hydra/spill/delete":      `{"id":"i"}`,
		"hydra/spill/sweep":       `{}`,
	}
}

// Every parameter of every method, whatever is wrong with it, is refused by an
// error that names it. A method or a parameter that is new is asked for here.
func TestEveryParameterIsReadInOneWay(t *testing.T) {
	rt, err := harness.Open(harness.Options{RipgrepPath: "/nowhere", Config: harness.DefaultConfig(true)})
	require.NoError(t, err)
	d := New(rt, Options{})
	valid := everything(t)
	for _, name := range d.Methods() {
		t.Run(name, func(t *testing.T) {
			m := d.methods[name]
			var given map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(valid[name]), &given), "everything has a request of this method")
			for _, parameter := range strictjson.Names(m.params) {
				assert.Contains(t, given, parameter, "everything has all parameters")
			}
			strictjsontest.Door{
				Valid: valid[name],
				Read:  func(text []byte) error { return m.parse(text) },
				Null:  func(path string) bool { return !strings.ContainsAny(path, ".[") },
				Free:  func(path string) bool { return strings.HasPrefix(path, "env.") },
			}.Test(t)
		})
	}
}

// What a request says of itself is read in one way, too; the keys of others are
// theirs.
func TestEveryKeyOfMetaIsReadInOneWay(t *testing.T) {
	rt, err := harness.Open(harness.Options{RipgrepPath: "/nowhere", Config: harness.DefaultConfig(true)})
	require.NoError(t, err)
	d := New(rt, Options{})
	valid := map[string]any{metaOwner: "o", metaWorkdir: "/", metaDeadlineMs: 1000, metaNested: true, metaProgress: 7, "somebody.else/key": map[string]any{"a": nil}}
	for _, key := range append(MetaKeys(), metaProgress) {
		assert.Contains(t, valid, key)
	}
	text, err := json.Marshal(valid)
	require.NoError(t, err)
	read := func(text []byte) error {
		if err := CheckMeta(text); err != nil {
			return err
		}
		var meta map[string]any
		if err := json.Unmarshal(text, &meta); err != nil {
			return err
		}
		delete(meta, metaWorkdir) // it has no roots here
		_, err := d.call(meta)
		return err
	}
	var keys []string
	for key := range valid {
		keys = append(keys, key)
	}
	strictjsontest.Door{
		Valid: string(text),
		Read:  read,
		Foreign: func(path string) bool {
			return path == "somebody.else/key" || path == metaWorkdir || path == metaDeadlineMs || path == metaProgress
		},
		Whole: func(path string) bool { return !slices.Contains(keys, path) },
	}.Test(t)
	for _, bad := range []string{`9007199254740993`, `1.5`, `null`, `[1]`, `true`} {
		assert.Error(t, CheckMeta(json.RawMessage(`{"progressToken":`+bad+`}`)), bad)
	}
	for _, key := range append(MetaKeys(), metaProgress) {
		assert.ErrorContains(t, CheckMeta(json.RawMessage(`{"`+strings.ToUpper(key)+`":"o"}`)), strings.ToUpper(key))
		assert.ErrorContains(t, CheckMeta(json.RawMessage(`{"`+key+`":1,"`+key+`":2}`)), key)
	}
	assert.NoError(t, CheckMeta(json.RawMessage(`{"progressToken":9007199254740991}`)))
	assert.NoError(t, CheckMeta(json.RawMessage(`null`)))
}
