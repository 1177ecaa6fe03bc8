package dispatch

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestErrorNumbersAreOurOwnAndUnique(t *testing.T) {
	seen := map[int64]string{}
	for code, number := range ErrorNumbers {
		assert.Greater(t, number, int64(1000), code)
		assert.Empty(t, seen[number], code)
		seen[number] = code
	}
}
