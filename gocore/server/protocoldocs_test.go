package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

func protocolDocs(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/protocol.md")
	require.NoError(t, err)
	return string(text)
}

// compact writes a message as the documentation does.
func compact(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, text))
	return b.String()
}

func TestTheDocumentationShowsLinesOfTheTranscripts(t *testing.T) {
	recorded := map[string]bool{}
	paths, err := filepath.Glob(transcripts)
	require.NoError(t, err)
	for _, path := range paths {
		for _, s := range readTranscript(t, path) {
			switch {
			case s.Send != nil:
				recorded["→ "+compact(t, s.Send)] = true
			case s.SendText != "":
				recorded["→ "+s.SendText] = true
			case s.Expect != nil:
				recorded["← "+compact(t, s.Expect)] = true
			}
		}
	}
	shown := map[string]bool{}
	for line := range strings.Lines(protocolDocs(t)) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "→ ") && !strings.HasPrefix(line, "← ") {
			continue
		}
		assert.True(t, recorded[line], "no transcript has %s", line)
		var m message
		if json.Unmarshal([]byte(line[len("→ "):]), &m) == nil && strings.HasPrefix(line, "→ ") {
			shown[m.Method] = true
		}
	}
	root := coretest.Tree(t)
	srv, err := New(open(t, root, nil), Options{Workdir: root})
	require.NoError(t, err)
	for _, method := range append(srv.dispatcher.Methods(),
		"initialize", "notifications/initialized", "notifications/cancelled", "server/discover", "ping",
		"tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read") {
		assert.True(t, shown[method], "%s has no example", method)
	}
}

func TestTheDocumentationHasAllNumbers(t *testing.T) {
	docs := protocolDocs(t)
	for _, key := range dispatch.MetaKeys() {
		assert.Contains(t, docs, "\n| `"+key+"` |")
	}
	for _, key := range []string{dispatch.MetaError, dispatch.MetaNext, dispatch.MetaSize, dispatch.MetaResource} {
		assert.Contains(t, docs, "\n| `"+key+"` |")
	}
	for what, most := range map[string]string{
		"a message, either direction":                                   mebibytes(MaxFrameBytes),
		"results in one answer of `hydra/search`":                       mebibytes(dispatch.MaxPageBytes),
		"text in one answer of `hydra/spill/read` and `resources/read`": mebibytes(dispatch.MaxSpillRead),
		"messages of a batch":                                           fmt.Sprint(maxBatch),
		"searches at once":                                              fmt.Sprintf("%d, or the number of processors", dispatch.MaxSidecars),
		"searches that wait, of one owner / together":                   fmt.Sprintf("%d / %d", dispatch.MaxQueuedByOwner, dispatch.MaxQueued),
		"calls without an answer":                                       fmt.Sprintf("%d, with %s of parameters", maxPending, mebibytes(maxPendingBytes)),
		"a pattern, an include":                                         fmt.Sprintf("%d,000 bytes", search.MaxPatternBytes/1000),
		"an owner":                                                      fmt.Sprintf("%d bytes", dispatch.MaxOwnerBytes),
		"`deadlineMs`":                                                  fmt.Sprint(harness.MaxTimerMs),
	} {
		assert.Contains(t, docs, fmt.Sprintf("\n| %s | %s |", what, most))
	}
	assert.Contains(t, docs, fmt.Sprintf("| `before`, `after` | whole number, at most %d |", search.MaxContext))
	assert.Contains(t, docs, fmt.Sprintf("more than %s of answers unread", mebibytes(maxBacklog)))
	assert.Contains(t, docs, fmt.Sprintf("have %.1f s to finish", answerWait.Seconds()))
	assert.Contains(t, docs, fmt.Sprintf("at most %d ms)", dispatch.AnswerTime.Milliseconds()))
}

func mebibytes(n int) string { return fmt.Sprintf("%d MiB", n>>20) }
