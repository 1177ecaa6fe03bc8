package server

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lines reads all frames of a text; one that is too long is "!".
func lines(t *testing.T, in io.Reader) []string {
	t.Helper()
	f := newFrames(in)
	got := []string{}
	for {
		line, err := f.next()
		switch err {
		case nil:
			got = append(got, string(line))
		case errFrameTooLong:
			got = append(got, "!")
		default:
			require.ErrorIs(t, err, io.EOF)
			return got
		}
	}
}

func TestFramesAreLines(t *testing.T) {
	most := strings.Repeat("x", MaxFrameBytes-1) + "\n"
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"nothing":                 {"", []string{}},
		"two":                     {"a\nb\n", []string{"a\n", "b\n"}},
		"no end":                  {"a\nb", []string{"a\n", "b"}},
		"empty lines":             {"\n\na\n", []string{"\n", "\n", "a\n"}},
		"the longest":             {most + "b\n", []string{most, "b\n"}},
		"one too many":            {"x" + most + "b\n", []string{"!", "b\n"}},
		"much too long":           {strings.Repeat("x", 3*MaxFrameBytes) + "\nb\n", []string{"!", "b\n"}},
		"too long without end":    {strings.Repeat("x", 2*MaxFrameBytes), []string{"!"}},
		"two in a row too long":   {"x" + most + "x" + most + "b\n", []string{"!", "!", "b\n"}},
		"too long to the very \n": {"x" + most, []string{"!"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.True(t, equal(tc.want, lines(t, strings.NewReader(tc.text))))
			if len(tc.text) < 100 {
				assert.Equal(t, tc.want, lines(t, iotest.OneByteReader(strings.NewReader(tc.text))))
			}
		})
	}
}

// equal spares a failure the print of megabytes.
func equal(want, got []string) bool {
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] {
			return false
		}
	}
	return true
}
