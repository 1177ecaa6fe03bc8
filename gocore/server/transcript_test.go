package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// transcripts are conversations that every client may rely on. Their README says
// how they are read; docs/protocol.md shows their lines.
const transcripts = "../../tests/conformance/wire/*.jsonl"

// step is one line of a transcript: one of its members is set.
type step struct {
	About string `json:"about"`
	Given *struct {
		Files  json.RawMessage `json:"files"`
		Config json.RawMessage `json:"config"`
		Owner  string          `json:"owner"`
	} `json:"given"`
	Send     json.RawMessage `json:"send"`
	SendText string          `json:"sendText"`
	Expect   json.RawMessage `json:"expect"`
}

func readTranscript(t *testing.T, path string) []step {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var steps []step
	for line := range bytes.Lines(text) {
		var s step
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&s), "%s", line)
		steps = append(steps, s)
	}
	return steps
}

func TestTranscripts(t *testing.T) {
	paths, err := filepath.Glob(transcripts)
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl"), func(t *testing.T) {
			steps := readTranscript(t, path)
			require.NotNil(t, steps[1].Given, "the first line is about, the second given")
			replay(t, steps[2:], given(t, steps[1]))
		})
	}
}

// playback is a transcript being replayed, and the values it has named so far.
type playback struct {
	*client
	names map[string]any
}

// given makes what a transcript starts from.
func given(t *testing.T, s step) *playback {
	t.Helper()
	parent := coretest.Tree(t)
	tree := parent + "/tree"
	require.NoError(t, os.Mkdir(tree, 0o755))
	// In the order of the transcript, for their times are in that order.
	dec := json.NewDecoder(bytes.NewReader(s.Given.Files))
	_, err := dec.Token()
	require.NoError(t, err)
	for i := 0; dec.More(); i++ {
		name, err := dec.Token()
		require.NoError(t, err)
		var content string
		require.NoError(t, dec.Decode(&content))
		path := filepath.Join(tree, name.(string))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		mtime := time.Unix(1_600_000_000+int64(i), 0)
		require.NoError(t, os.Chtimes(path, mtime, mtime))
	}
	config, err := harness.ParseConfig(s.Given.Config)
	require.NoError(t, err)
	config.Roots, config.SpillRoot = []string{tree}, parent+"/spill"
	rt, err := harness.Open(harness.Options{RuntimePath: coretest.Runtime(t), Config: config, Version: "1.2.3"})
	require.NoError(t, err)
	return &playback{
		client: connect(t, rt, Options{Workdir: tree, Owner: s.Given.Owner}),
		names:  map[string]any{"WORKDIR": tree, "PARENT": parent},
	}
}

// byID puts the answers to a batch in order: they come as they are ready.
func byID(message any) any {
	if answers, ok := message.([]any); ok {
		slices.SortFunc(answers, func(a, b any) int {
			return strings.Compare(fmt.Sprint(a.(map[string]any)["id"]), fmt.Sprint(b.(map[string]any)["id"]))
		})
	}
	return message
}

func replay(t *testing.T, steps []step, p *playback) {
	t.Helper()
	for i, s := range steps {
		switch {
		case s.SendText != "":
			p.send(s.SendText)
		case s.Send != nil:
			text, err := dispatch.Marshal(p.fill(parse(t, s.Send)))
			require.NoError(t, err)
			p.send(string(text))
		case s.Expect != nil:
			line, err := p.lines.ReadBytes('\n')
			require.NoError(t, err)
			wrong := p.compare("", byID(parse(t, s.Expect)), byID(parse(t, line)))
			require.Empty(t, wrong, "line %d: want %s\ngot %s", i+3, s.Expect, line)
		}
	}
	require.NoError(t, p.write.Close())
	line, err := p.lines.ReadBytes('\n')
	assert.Error(t, err, "a transcript shows every answer; this one is missing: %s", line)
	assert.NoError(t, <-p.done)
}

func parse(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	require.NoError(t, dec.Decode(&value), "%s", text)
	return value
}

// fill puts named values where a value names them: "${NAME}" alone is the value,
// inside a longer string its text.
func (p *playback) fill(value any) any {
	switch value := value.(type) {
	case map[string]any:
		filled := map[string]any{}
		for key, member := range value {
			filled[key] = p.fill(member)
		}
		return filled
	case []any:
		filled := []any{}
		for _, element := range value {
			filled = append(filled, p.fill(element))
		}
		return filled
	case string:
		for name, named := range p.names {
			if value == "${"+name+"}" {
				return named
			}
			if text, ok := named.(string); ok {
				value = strings.ReplaceAll(value, "${"+name+"}", text)
			}
		}
		return value
	}
	return value
}

// compare returns where two values differ and how, "" for nowhere.
func (p *playback) compare(where string, want, got any) string {
	switch want := want.(type) {
	case string:
		return p.compareText(where, want, got)
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return where + " is no object"
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if key == "$more" {
				continue
			}
			if _, there := object[key]; !there {
				return where + "." + key + " is missing"
			}
			if wrong := p.compare(where+"."+key, want[key], object[key]); wrong != "" {
				return wrong
			}
		}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if _, wanted := want[key]; !wanted && want["$more"] == nil {
				return where + "." + key + " is not expected"
			}
		}
		return ""
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return where + " is no list of that length"
		}
		for i := range want {
			if wrong := p.compare(fmt.Sprintf("%s[%d]", where, i), want[i], list[i]); wrong != "" {
				return wrong
			}
		}
		return ""
	}
	if want != got {
		return fmt.Sprintf("%s is %v, not %v", where, got, want)
	}
	return ""
}

func (p *playback) compareText(where, want string, got any) string {
	right := true
	switch name, sets := strings.CutPrefix(want, "$set:"); {
	case sets:
		p.names[name] = got
	case want == "$any":
	case want == "$string":
		_, right = got.(string)
	case want == "$number":
		_, right = got.(json.Number)
	default:
		filled := p.fill(want)
		a, _ := json.Marshal(filled)
		b, _ := json.Marshal(got)
		right = bytes.Equal(a, b)
	}
	if !right {
		return fmt.Sprintf("%s is %v, not %s", where, got, want)
	}
	return ""
}
