package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTakeMemberOfBrokenArchives(t *testing.T) {
	whole := makeTarball(t, member{name: "package/README.md", body: "x"}, member{name: memberPath, body: testRg})
	got, err := takeMember(whole, "the archive")
	require.NoError(t, err)
	require.Equal(t, testRg, string(got))

	for name, data := range map[string][]byte{
		"empty":       nil,
		"not gzip":    []byte("package/bin/rg"),
		"gzip header": whole[:10],
		"half":        whole[:len(whole)/2],
		"no trailer":  whole[:len(whole)-8],
	} {
		t.Run(name, func(t *testing.T) {
			got, err := takeMember(data, "the archive")
			assert.ErrorIs(t, err, &Error{Code: CodeArchiveBroken})
			assert.Nil(t, got)
		})
	}
}

func FuzzTakeMember(f *testing.F) {
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := takeMember(data, "the archive")
		if (err == nil) != (got != nil) {
			t.Fatalf("bytes %v with error %v", got, err)
		}
	})
}
