package ripgrep

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecode(t *testing.T) {
	for name, tc := range map[string]struct {
		line string
		want Event
	}{
		"match": {
			`{"type":"match","data":{"path":{"text":"./a"},"lines":{"text":"x \"y\"\n"},"line_number":7,"absolute_offset":0,"submatches":[{"match":{"text":"y"},"start":3,"end":4},{"match":{"text":"z"},"start":9,"end":10}]}}`,
			Event{Kind: KindMatch, Path: []byte("./a"), Line: []byte("x \"y\"\n"), LineNumber: 7, Hit: 3, BinaryOffset: NoOffset},
		},
		"bytes": {
			`{"data":{"lines":{"bytes":"/wo="},"path":{"bytes":"YmFk/w=="},"line_number":1,"submatches":[]},"type":"match"}`,
			Event{Kind: KindMatch, Path: []byte("bad\xff"), Line: []byte("\xff\n"), LineNumber: 1, Hit: NoOffset, BinaryOffset: NoOffset},
		},
		"end with binary data": {
			`{"type":"end","data":{"path":{"text":"./a"},"binary_offset":70012,"stats":{"searches":1}}}`,
			Event{Kind: KindEnd, Path: []byte("./a"), Hit: NoOffset, BinaryOffset: 70012},
		},
		"summary": {
			`{"data":{"elapsed_total":{"secs":0},"stats":{"bytes_searched":9,"matched_lines":2,"searches":3,"searches_with_match":1}},"type":"summary"}`,
			Event{Kind: KindSummary, Hit: NoOffset, BinaryOffset: NoOffset, Stats: Stats{Files: 3, FilesMatched: 1, Bytes: 9, MatchedLines: 2}},
		},
		"unknown type": {`{"type":"later","data":[1,2]}`, Event{Hit: NoOffset, BinaryOffset: NoOffset}},
		"surrogates": {
			`{"type":"begin","data":{"path":{"text":"\ud83d\ude00\u00e9\ud800x"}}}`,
			Event{Kind: KindBegin, Path: []byte("😀é\ufffdx"), Hit: NoOffset, BinaryOffset: NoOffset},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var ev Event
			require.NoError(t, ev.Decode([]byte(tc.line)))
			ev.pathBuf, ev.lineBuf = nil, nil
			assert.Equal(t, tc.want, ev)
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, line := range map[string]string{
		"no JSON":             "needle",
		"cut":                 `{"type":"match","data":{"path":{"te`,
		"two objects":         `{}{}`,
		"neither text":        `{"type":"match","data":{"path":{"text":"a"},"lines":{},"line_number":1}}`,
		"no path":             `{"type":"match","data":{"lines":{"text":"x"},"line_number":1}}`,
		"no line number":      `{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"x"}}}`,
		"no data":             `{"type":"match"}`,
		"number for text":     `{"type":"begin","data":{"path":{"text":1}}}`,
		"no base64":           `{"type":"begin","data":{"path":{"bytes":"*"}}}`,
		"control character":   "{\"type\":\"begin\",\"data\":{\"path\":{\"text\":\"\t\"}}}",
		"deeper than allowed": strings.Repeat("[", maxDepth+1),
	} {
		t.Run(name, func(t *testing.T) {
			var ev Event
			err := ev.Decode([]byte(line))
			var format *FormatError
			require.ErrorAs(t, err, &format)
		})
	}
}

func TestEventsInPiecesOfAnySize(t *testing.T) {
	stream := `{"type":"begin","data":{"path":{"text":"./a"}}}
{"type":"match","data":{"path":{"text":"./a"},"lines":{"text":"one\n"},"line_number":1,"submatches":[{"start":0}]}}
{"type":"end","data":{"path":{"text":"./a"},"binary_offset":null}}
{"type":"summary","data":{"stats":{"searches":1}}}
`
	for size := 1; size <= len(stream); size++ {
		var got []string
		events := Events{On: func(ev *Event) error {
			got = append(got, fmt.Sprintf("%d %s %s", ev.Kind, ev.Path, ev.Line))
			return nil
		}}
		for rest := stream; rest != ""; {
			n := min(size, len(rest))
			_, err := events.Write([]byte(rest[:n]))
			require.NoError(t, err)
			rest = rest[n:]
		}
		require.NoError(t, events.Close())
		require.Equal(t, []string{"1 ./a ", "2 ./a one\n", "4 ./a ", "5  "}, got, "pieces of %d bytes", size)
		require.Equal(t, int64(3), events.Paths)
		require.True(t, events.Summary)
	}
}

func BenchmarkDecode(b *testing.B) {
	line := []byte(`{"type":"match","data":{"path":{"text":"./src/cmd/compile/internal/ssa/rewriteAMD64.go"},"lines":{"text":"\t\tif v_0.Op != OpAMD64MOVLconst {\n"},"line_number":4711,"absolute_offset":123456,"submatches":[{"match":{"text":"Op"},"start":9,"end":11}]}}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	var ev Event
	for b.Loop() {
		if err := ev.Decode(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodingJSON(b *testing.B) {
	line := []byte(`{"type":"match","data":{"path":{"text":"./src/cmd/compile/internal/ssa/rewriteAMD64.go"},"lines":{"text":"\t\tif v_0.Op != OpAMD64MOVLconst {\n"},"line_number":4711,"absolute_offset":123456,"submatches":[{"match":{"text":"Op"},"start":9,"end":11}]}}`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		reference(line)
	}
}
