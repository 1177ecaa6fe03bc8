package main

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	runIfChild()
	code := m.Run()
	removeOwnCopy()
	os.Exit(code)
}

func TestVectors(t *testing.T) {
	rg, err := findRipgrep()
	require.NoError(t, err)
	vectors, err := readVectors("vectors.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, vectors)
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			scratch, err := newScratch()
			require.NoError(t, err)
			one, err := newRun(v, scratch, rg, nil)
			require.NoError(t, err)
			problem, err := one.do()
			var skip errSkip
			if errors.As(err, &skip) {
				t.Skip(skip.reason)
			}
			require.NoError(t, err)
			assert.Empty(t, problem)
		})
	}
}
