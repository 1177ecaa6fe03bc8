package planner

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Rule: the list is sorted and names each builtin once.
func TestBuiltinsAreSorted(t *testing.T) {
	assert.True(t, slices.IsSortedFunc(builtinList(), func(a, b builtin) int {
		if a.name == b.name {
			return 1
		}
		return strings.Compare(a.name, b.name)
	}))
}
