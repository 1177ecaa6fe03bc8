package pybind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// fake is a backend whose methods a test writes.
type fake struct {
	methods map[string]func(ctx context.Context) (any, error)
	busy    sync.WaitGroup
	mu      sync.Mutex
	n       int
}

func (f *fake) answer(ctx context.Context, method string, _ map[string]any, params json.RawMessage) (any, error) {
	f.mu.Lock()
	f.n++
	f.mu.Unlock()
	f.busy.Add(1)
	defer func() {
		f.mu.Lock()
		f.n--
		f.mu.Unlock()
		f.busy.Done()
	}()
	if do := f.methods[method]; do != nil {
		return do(ctx)
	}
	return params, nil
}

func (f *fake) running() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

func (f *fake) idle() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		f.busy.Wait()
		close(done)
	}()
	return done
}

// hosting returns a host with one instance over a backend.
func hosting(b backend) *host {
	h := &host{open: func(_ *host, r *instance) (backend, opened, error) {
		_, _ = r.journal.Write([]byte("opened with " + strings.Join(r.setup.environ(), " ") + "\n"))
		return b, opened{Version: "1.2.3"}, nil
	}}
	return h
}

const openParams = `{"workdir":"/w","ripgrep":"/rg","environ":"QT1iAEM9ZA==","config":{}}`

// answered is an answer of Call, taken apart.
type answered struct {
	Result json.RawMessage
	Error  *struct {
		Code    int64
		Message string
		Data    struct{ Name, Code string }
	}
	Log string
	ID  json.RawMessage
}

func parse(t *testing.T, text string) answered {
	t.Helper()
	var a answered
	require.NoError(t, json.Unmarshal([]byte(text), &a), text)
	return a
}

func (h *host) ask(t *testing.T, method, params string) answered {
	t.Helper()
	token := h.tokens.add()
	defer h.tokens.free(token)
	return parse(t, h.call(token, method, params))
}

func TestARoomOpensAnswersAndCloses(t *testing.T) {
	h := hosting(&fake{})
	a := h.ask(t, "runtime/open", openParams)
	require.Nil(t, a.Error)
	assert.JSONEq(t, `{"runtime":1,"version":"1.2.3","guidance":""}`, string(a.Result))
	assert.Equal(t, "opened with A=b C=d\n", a.Log)
	assert.JSONEq(t, `{"x":"<&>"}`, string(h.ask(t, "echo", `{"runtime":1,"params":{"x":"<&>"}}`).Result))
	assert.JSONEq(t, `{}`, string(h.ask(t, "echo", `{"runtime":1}`).Result))
	a = h.ask(t, "runtime/environ", `{"runtime":1,"environ":"RT1m"}`)
	assert.JSONEq(t, `{}`, string(a.Result))
	assert.Equal(t, "opened with E=f\n", a.Log)
	assert.JSONEq(t, `{"running":0}`, string(h.ask(t, "runtime/close", `{"runtime":1}`).Result))
	assert.Equal(t, "runtime: 1 is not open", h.ask(t, "echo", `{"runtime":1}`).Error.Message)
}

func TestMisuseIsAnError(t *testing.T) {
	h := hosting(&fake{})
	require.Nil(t, h.ask(t, "runtime/open", openParams).Error)
	for name, tc := range map[string]struct{ method, params, want string }{
		"no JSON":          {"echo", `{`, "params: it ends before its JSON does"},
		"another type":     {"echo", `{"runtime":"1"}`, "runtime: it is a string; write a whole number"},
		"no runtime":       {"echo", `{}`, "runtime: 0 is not open"},
		"stale runtime":    {"echo", `{"runtime":7}`, "runtime: 7 is not open"},
		"params a list":    {"echo", `{"runtime":1,"params":[]}`, "params: it is an array; write an object"},
		"meta a list":      {"echo", `{"runtime":1,"params":{"_meta":[]}}`, "_meta: it is an array; write an object"},
		"open nothing":     {"runtime/open", ``, "params: it ends before its JSON does"},
		"open unknown":     {"runtime/open", `{"colour":1}`, "colour: there is no such member; there are workdir, workdirBytes, ripgrep, ripgrepBytes, environ, config, owner"},
		"relative workdir": {"runtime/open", `{"workdir":"w","ripgrep":"/rg"}`, "workdir: it is not an absolute path; give one"},
		"relative sidecar": {"runtime/open", `{"workdir":"/w"}`, "ripgrep: it is not an absolute path; give that of the sidecar"},
	} {
		t.Run(name, func(t *testing.T) {
			a := h.ask(t, tc.method, tc.params)
			require.NotNil(t, a.Error)
			assert.Equal(t, tc.want, a.Error.Message)
			assert.EqualValues(t, -32602, a.Error.Code)
		})
	}
	for _, token := range []int64{0, -1, 99} {
		assert.Contains(t, parse(t, h.call(token, "echo", `{"runtime":1}`)).Error.Message, "is not live")
		assert.Empty(t, h.start(1, token, 0, `{}`))
		assert.False(t, h.tokens.cancel(token))
		assert.False(t, h.tokens.free(token))
	}
	assert.Empty(t, h.start(7, h.tokens.add(), 0, `{}`))
	assert.Empty(t, h.tokens.live, "its token is freed all the same")
	assert.Empty(t, h.wait(7))
}

// Nothing that a method does ends the process or leaves a caller without a word.
func TestFaultsOfMethodsAreErrors(t *testing.T) {
	b := &fake{methods: map[string]func(context.Context) (any, error){
		"panic":    func(context.Context) (any, error) { panic("a fault") },
		"nil":      func(context.Context) (any, error) { var s *setup; return s.Workdir, nil },
		"no form":  func(context.Context) (any, error) { return func() {}, nil },
		"error":    func(context.Context) (any, error) { return nil, errors.New("boom") },
		"search":   func(context.Context) (any, error) { return nil, &search.Error{Code: search.Failed, Message: "lost"} },
		"odd text": func(context.Context) (any, error) { return "a\x00b\xffc\u2028", nil },
	}}
	h := hosting(b)
	require.Nil(t, h.ask(t, "runtime/open", openParams).Error)
	for method, want := range map[string]struct{ code, message string }{
		"panic":   {"RUNTIME_INTERNAL", "internal error: a fault"},
		"nil":     {"RUNTIME_INTERNAL", "internal error: runtime error: invalid memory address or nil pointer dereference"},
		"no form": {"RUNTIME_INTERNAL", "the answer has no JSON form: json: unsupported type: func()"},
		"error":   {"RUNTIME_INTERNAL", "boom"},
		"search":  {"SEARCH_FAILED", "lost"},
	} {
		started := fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":%q}`, method)
		require.Empty(t, h.start(1, h.tokens.add(), 0, started))
		for _, a := range []answered{h.ask(t, method, `{"runtime":1}`), parse(t, strings.Split(h.wait(1), "\n")[0])} {
			require.NotNil(t, a.Error, method)
			assert.Equal(t, want.message, a.Error.Message)
			assert.Equal(t, want.code, a.Error.Data.Code)
		}
	}
	token := h.tokens.add()
	text := h.call(token, "odd text", `{"runtime":1}`)
	assert.True(t, utf8.ValidString(text))
	assert.NotContains(t, text, "\x00")
}

func TestStartedRequestsAreAnsweredByWait(t *testing.T) {
	h := hosting(&fake{})
	require.Nil(t, h.ask(t, "runtime/open", openParams).Error)
	for id := range 100 {
		require.Empty(t, h.start(1, h.tokens.add(), 0, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo","params":{"n":%d}}`, id, id)))
	}
	seen := map[string]string{}
	for len(seen) < 100 {
		for line := range strings.SplitSeq(h.wait(1), "\n") {
			assert.True(t, strings.HasPrefix(line, `{"jsonrpc":"2.0","id":`), "the Python side goes by this: %s", line)
			a := parse(t, line)
			seen[string(a.ID)] = string(a.Result)
		}
	}
	assert.Equal(t, `{"n":42}`, seen["42"])
	assert.Empty(t, h.tokens.live, "their tokens are freed")
	require.Empty(t, h.start(1, h.tokens.add(), 0, `no JSON`))
	assert.Equal(t, "null", string(parse(t, h.wait(1)).ID))
}

func TestAQuickAnswerComesAtOnce(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	slow := func(context.Context) (any, error) { close(begun); <-release; return "slow", nil }
	h := hosting(&fake{methods: map[string]func(context.Context) (any, error){"slow": slow}})
	require.Nil(t, h.ask(t, "runtime/open", openParams).Error)
	for id := range 100 {
		text := h.start(1, h.tokens.add(), time.Minute, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo"}`, id))
		assert.Equal(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id), text)
	}
	assert.Empty(t, h.start(1, h.tokens.add(), time.Millisecond, `{"jsonrpc":"2.0","id":7,"method":"slow"}`))
	<-begun
	assert.Equal(t, 1, h.instances[1].started, "what came at once is not waited for")
	close(release)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":7,"result":"slow"}`, h.wait(1))
	assert.Empty(t, h.tokens.live)
}

func TestCancelEndsTheRequestOfItsTokenAlone(t *testing.T) {
	begun := make(chan struct{}, 2)
	until := func(ctx context.Context) (any, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	h := hosting(&fake{methods: map[string]func(context.Context) (any, error){"until": until}})
	require.Nil(t, h.ask(t, "runtime/open", openParams).Error)
	first, second := h.tokens.add(), h.tokens.add()
	require.Empty(t, h.start(1, first, 0, `{"jsonrpc":"2.0","id":1,"method":"until"}`))
	require.Empty(t, h.start(1, second, 0, `{"jsonrpc":"2.0","id":2,"method":"until"}`))
	<-begun
	<-begun
	assert.True(t, h.tokens.cancel(first))
	a := parse(t, h.wait(1))
	assert.Equal(t, "1", string(a.ID))
	assert.Equal(t, "context canceled", a.Error.Message)
	assert.False(t, h.tokens.cancel(first), "it is stale now")
	assert.JSONEq(t, `{"running":1}`, string(h.ask(t, "runtime/close", `{"runtime":1}`).Result))
	a = parse(t, h.wait(1))
	assert.Equal(t, "2", string(a.ID))
	assert.Equal(t, search.ErrShutdown.Error(), a.Error.Message)
	assert.Empty(t, h.wait(1), "the end")
	assert.Empty(t, h.instances)
	assert.Empty(t, h.start(1, h.tokens.add(), 0, `{}`))
}

func TestWhatDoesNotEndCanBeAbandoned(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	stuck := func(context.Context) (any, error) { close(begun); <-release; return nil, nil }
	h := hosting(&fake{methods: map[string]func(context.Context) (any, error){"stuck": stuck}})
	require.Nil(t, h.ask(t, "runtime/open", openParams).Error)
	require.Empty(t, h.start(1, h.tokens.add(), 0, `{"jsonrpc":"2.0","id":1,"method":"stuck"}`))
	<-begun
	ended := make(chan string)
	go func() { ended <- h.wait(1) }()
	assert.JSONEq(t, `{"running":1}`, string(h.ask(t, "runtime/close", `{"runtime":1}`).Result))
	assert.JSONEq(t, `{"running":1}`, string(h.ask(t, "runtime/close", `{"runtime":1,"abandon":true}`).Result))
	assert.Empty(t, <-ended)
}

func TestTheJournalIsBounded(t *testing.T) {
	var j journal
	line := []byte(strings.Repeat("x", 1000))
	for range 100 {
		n, err := j.Write(line)
		require.NoError(t, err)
		assert.Equal(t, len(line), n)
	}
	assert.Len(t, j.take(), maxJournal/1000*1000)
	assert.Empty(t, j.take())
}
