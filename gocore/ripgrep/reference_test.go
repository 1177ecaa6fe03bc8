package ripgrep

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// member is one member of an object, in the order written. encoding/json's own
// structs would match names without regard to case, and maps would lose the
// order of members that occur twice.
type member struct {
	name  string
	value json.RawMessage
}

func members(text json.RawMessage) (all []member, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		m := member{name: name.(string)}
		if dec.Decode(&m.value) != nil {
			return nil, false
		}
		all = append(all, m)
	}
	return all, true
}

func isNull(v json.RawMessage) bool { return string(v) == "null" }

// str reads a string and nothing else.
func str(v json.RawMessage) (s string, ok bool) {
	return s, v[0] == '"' && json.Unmarshal(v, &s) == nil
}

func whole(v json.RawMessage) (n int64, ok bool) {
	if isNull(v) {
		return NoOffset, true
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil
}

func textOrBytes(v json.RawMessage) (value []byte, ok bool) {
	if isNull(v) {
		return nil, true
	}
	all, ok := members(v)
	for _, m := range all {
		if !ok || m.name != "text" && m.name != "bytes" {
			continue
		}
		var s string
		if s, ok = str(m.value); ok {
			value = []byte(s)
		}
		if ok && m.name == "bytes" {
			decoded, err := base64.StdEncoding.DecodeString(s)
			value, ok = decoded, err == nil
		}
	}
	return value, ok
}

func firstStartOf(v json.RawMessage) (start int64, ok bool) {
	var list []json.RawMessage
	if v[0] != '[' || json.Unmarshal(v, &list) != nil {
		return 0, false
	}
	start, ok = NoOffset, true
	if len(list) == 0 {
		return start, true
	}
	all, ok := members(list[0])
	for _, m := range all {
		if ok && m.name == "start" {
			start, ok = whole(m.value)
		}
	}
	return start, ok
}

// reference decodes an event by way of encoding/json alone.
func reference(line []byte) (ev Event, ok bool) {
	ev.reset()
	if !json.Valid(line) {
		return ev, false
	}
	top, ok := members(line)
	var kind string
	var data json.RawMessage
	for _, m := range top {
		switch m.name {
		case "type":
			var isText bool
			kind, isText = str(m.value)
			ok = ok && isText
		case "data":
			data = m.value
		}
	}
	if !ok {
		return ev, false
	}
	var known bool
	if ev.Kind, known = kinds[kind]; !known {
		return ev, true
	}
	if data == nil && ev.Kind != KindMatch && ev.Kind != KindContext {
		ev.Kind = KindUnknown
		return ev, true
	}
	if data == nil {
		return ev, false
	}
	if ev.Kind == KindSummary {
		return ev, referenceSummary(&ev, data)
	}
	all, ok := members(data)
	for _, m := range all {
		var fine bool
		switch m.name {
		case "path":
			ev.Path, fine = textOrBytes(m.value)
		case "lines":
			ev.Line, fine = textOrBytes(m.value)
		case "line_number":
			ev.LineNumber, fine = whole(m.value)
		case "binary_offset":
			ev.BinaryOffset, fine = whole(m.value)
		case "submatches":
			ev.Hit, fine = firstStartOf(m.value)
		default:
			fine = true
		}
		ok = ok && fine
	}
	return ev, ok && ev.validate(false) == nil
}

func referenceSummary(ev *Event, data json.RawMessage) bool {
	all, ok := members(data)
	for _, m := range all {
		if m.name != "stats" {
			continue
		}
		stats, isObject := members(m.value)
		ok = ok && isObject
		for _, s := range stats {
			target := map[string]*int64{"searches": &ev.Stats.Files, "searches_with_match": &ev.Stats.FilesMatched, "bytes_searched": &ev.Stats.Bytes, "matched_lines": &ev.Stats.MatchedLines}[s.name]
			if target != nil {
				var fine bool
				*target, fine = whole(s.value)
				ok = ok && fine
			}
		}
	}
	return ok
}

// sameAsReference holds our reading of a line against that of encoding/json.
func sameAsReference(t *testing.T, line []byte) {
	t.Helper()
	var got Event
	err := got.Decode(bytes.Clone(line))
	want, ok := reference(line)
	if !ok {
		assert.Error(t, err, "accepted %q", line)
		return
	}
	if !assert.NoError(t, err, "refused %q", line) || !utf8.Valid(line) {
		return // ripgrep writes UTF-8; in what is not, encoding/json replaces bytes
	}
	got.pathBuf, got.lineBuf = nil, nil
	assert.Equal(t, want, got, "%q", line)
}

// seeds are events of all kinds, and ways to write them badly.
var seeds = []string{
	realBegin, realMatch, realEnd,
	`{"type":"end","data":{"path":{"text":"./late"},"binary_offset":70012,"stats":{}}}`,
	`{"type":"match","data":{"path":{"bytes":"YmFk/w=="},"lines":{"bytes":"/wo="},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"bytes":"/w=="},"start":0,"end":1}]}}`,
	`{"type":"context","data":{"path":{"text":"a"},"lines":{"text":"x"},"line_number":2,"absolute_offset":0,"submatches":[]}}`,
	`{"data":{"elapsed_total":{"human":"0.002s","nanos":2,"secs":0},"stats":{"bytes_printed":1,"bytes_searched":9,"matched_lines":2,"matches":2,"searches":3,"searches_with_match":1}},"type":"summary"}`,
	`{"type":"begin","data":{"path":{"text":"\ud83d\ude00\udc00\ud83dx\u0000"}}}`,
	`{"type":"match","data":{"path":null,"path":{"text":"a","bytes":"Yg=="},"lines":{"text":"x"},"line_number":-0}}`,
	`{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"x"},"line_number":1e3,"submatches":[{"start":null},7]}}`,
	` { "type" : "later" , "data" : [ 1 , -2.5E+7 , true , { } ] } `,
	`{"type":null}`, `[]`, `{}{}`, `{"type":"begin","data":[]}`, `{"\u0074ype":"begin","d\u0061ta":{"path":{"text":"a"}}}`, `{"Type":"begin","type":"end","data":{}}`, ``,
}

func TestDecodeMatchesEncodingJSON(t *testing.T) {
	for _, line := range seeds {
		sameAsReference(t, []byte(line))
		for i := range len(line) { // every byte lost, and every byte odd
			sameAsReference(t, []byte(line[:i]+line[i+1:]))
			for _, b := range []byte("\"\\{}[]:,0-u\x00\x80") {
				changed := []byte(line)
				changed[i] = b
				sameAsReference(t, changed)
			}
		}
	}
}

func FuzzDecodeMatchesEncodingJSON(f *testing.F) {
	for _, line := range seeds {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) { sameAsReference(t, line) })
}
