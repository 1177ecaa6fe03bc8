package ripgrep

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestListInPiecesOfAnySize(t *testing.T) {
	text := "./a\nb\x00./.hidden\x00./ \x00./bad\xff\x00plain\x00././x\x00"
	want := []string{"a\nb", ".hidden", " ", "bad\xff", "plain", "./x"}
	for size := 1; size <= len(text); size++ {
		var got []string
		list := List{Path: func(rel []byte) error { got = append(got, string(rel)); return nil }}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			_, err := list.Write([]byte(rest[:n]))
			require.NoError(t, err)
			rest = rest[n:]
		}
		require.NoError(t, list.Close())
		require.Equal(t, want, got, "pieces of %d bytes", size)
	}
}

func TestListEndsInsideAPath(t *testing.T) {
	list := List{Path: func([]byte) error { return nil }}
	_, err := list.Write([]byte("./a\x00./b"))
	require.NoError(t, err)
	var format *FormatError
	require.ErrorAs(t, list.Close(), &format)
	assert.Contains(t, format.Error(), "ends inside a path")
}

func TestListHandsOnARefusal(t *testing.T) {
	full := errors.New("full")
	list := List{Path: func([]byte) error { return full }}
	_, err := list.Write([]byte("./a\x00"))
	assert.Equal(t, full, err)
}
