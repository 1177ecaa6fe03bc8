package ripgrep

import (
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Events as ripgrep 15.0.0 writes them.
const (
	realBegin = `{"type":"begin","data":{"path":{"text":"./src/a.go"}}}`
	realMatch = `{"type":"match","data":{"path":{"text":"./src/a.go"},"lines":{"text":"\tif \"x\" == y { // \u001b\n"},"line_number":4711,"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":5,"end":6},{"match":{"text":"\\"},"start":18,"end":19}]}}`
	realEnd   = `{"type":"end","data":{"path":{"text":"./src/a.go"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":34843,"human":"0.000035s"},"searches":1,"searches_with_match":1,"bytes_searched":16659,"bytes_printed":331,"matched_lines":1,"matches":2}}}`
)

// sameAsGeneral holds an event that was read by position against the other two
// decoders.
func sameAsGeneral(t *testing.T, line []byte) (quick bool) {
	t.Helper()
	var by, want Event
	by.reset()
	if !by.fast(line) {
		return false
	}
	require.True(t, json.Valid(line), "accepted what is not JSON: %s", line)
	want.reset()
	require.NoError(t, want.general(line), "%s", line)
	by.pathBuf, by.lineBuf, want.pathBuf, want.lineBuf = nil, nil, nil, nil
	assert.Equal(t, want, by, "%s", line)
	return true
}

func TestEventsOfRipgrepAreReadByPosition(t *testing.T) {
	for _, line := range []string{realBegin, realMatch, realEnd} {
		assert.True(t, sameAsGeneral(t, []byte(line)), line)
	}
}

func TestOtherEventsAreLeftToTheGeneralDecoder(t *testing.T) {
	for name, line := range map[string]string{
		"bytes for text":    `{"type":"match","data":{"path":{"bytes":"YQ=="},"lines":{"text":"x"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":0,"end":1}]}}`,
		"bytes for line":    `{"type":"match","data":{"path":{"text":"a"},"lines":{"bytes":"/w=="},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":0,"end":1}]}}`,
		"no submatch":       `{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"x"},"line_number":1,"absolute_offset":0,"submatches":[]}}`,
		"no line number":    `{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"x"},"line_number":null,"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":0,"end":1}]}}`,
		"line 0":            `{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"x"},"line_number":0,"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":0,"end":1}]}}`,
		"white space":       `{"type": "begin","data":{"path":{"text":"a"}}}`,
		"other order":       `{"data":{"path":{"text":"a"}},"type":"begin"}`,
		"another member":    `{"type":"begin","data":{"path":{"text":"a"},"later":1}}`,
		"something behind":  realBegin + "x",
		"a binary file":     `{"type":"end","data":{"path":{"text":"a"},"binary_offset":7,"stats":{}}}`,
		"a leading zero":    `{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"x"},"line_number":01,"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":0,"end":1}]}}`,
		"a huge number":     `{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"x"},"line_number":1234567890123456789,"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":0,"end":1}]}}`,
		"a bad escape":      `{"type":"begin","data":{"path":{"text":"\x"}}}`,
		"a control byte":    "{\"type\":\"begin\",\"data\":{\"path\":{\"text\":\"\t\"}}}",
		"stats cut in half": `{"type":"end","data":{"path":{"text":"a"},"binary_offset":null,"stats":{"a":}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			assert.False(t, sameAsGeneral(t, []byte(line)), line)
		})
	}
	// Every cut of a real event is refused by both.
	for _, line := range []string{realBegin, realMatch, realEnd} {
		for n := range len(line) {
			var ev Event
			assert.False(t, sameAsGeneral(t, []byte(line[:n])))
			assert.Error(t, ev.Decode([]byte(line[:n])))
		}
	}
}

func FuzzByPositionMatchesGeneral(f *testing.F) {
	f.Add(`./a`, `x\n`, "1", "0", `"start":0,"end":1}`, `{"a":[1,null]}`)
	f.Add(`\ud83d\ude00`, `\u0000\\\/\"`, "18446744073709551616", "00", `"start":0,"end":1},{"match":{"text":"\t"},"start":3,"end":4}`, `{}`)
	f.Fuzz(func(t *testing.T, path, text, number, offset, submatch, stats string) {
		for _, line := range []string{
			fmt.Sprintf(`{"type":"match","data":{"path":{"text":"%s"},"lines":{"text":"%s"},"line_number":%s,"absolute_offset":%s,"submatches":[{"match":{"text":"%s"},%s]}}`, path, text, number, offset, text, submatch),
			fmt.Sprintf(`{"type":"begin","data":{"path":{"text":"%s"}}}`, path),
			fmt.Sprintf(`{"type":"end","data":{"path":{"text":"%s"},"binary_offset":null,"stats":%s}}`, path, stats),
		} {
			if utf8.ValidString(line) {
				sameAsGeneral(t, []byte(line))
			}
		}
	})
}

func TestPlainUntilFindsWhatALoopFinds(t *testing.T) {
	slow := func(b []byte, i int) int {
		for ; i < len(b); i++ {
			if b[i] == '"' || b[i] == '\\' || b[i] < ' ' {
				break
			}
		}
		return i
	}
	for length := range 20 {
		for at := range length {
			for c := range 256 {
				for _, fill := range []byte{' ', '!', '#', '[', ']', 'a', 0x7f, 0x80, 0x9f, 0xa2, 0xdc, 0xff} {
					b := make([]byte, length)
					for i := range b {
						b[i] = fill
					}
					b[at] = byte(c)
					for from := range min(at+1, 9) {
						if got, want := plainUntil(b, from), slow(b, from); got != want {
							t.Fatalf("% x from %d: %d, want %d", b, from, got, want)
						}
					}
				}
			}
		}
	}
}
