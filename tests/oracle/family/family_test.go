//go:build linux

package family

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/command"
)

// The same seed and the same number give the same block, whatever was asked for before.
func TestBlocksDependOnSeedAndNumber(t *testing.T) {
	for _, name := range Names {
		o := Options{Seed: 3, Count: 1000}
		if name == "options" || name == "pairs" {
			o.Only = "cat|wc"
		}
		one, err := New(name, o)
		require.NoError(t, err)
		two, err := New(name, o)
		require.NoError(t, err)
		require.Equal(t, one.Blocks(), two.Blocks())
		cases := 0
		for i := range min(one.Blocks(), 5) {
			last := two.Block(min(one.Blocks(), 5) - 1 - i)
			assert.Equal(t, one.Block(min(one.Blocks(), 5)-1-i), last, "%s %d", name, i)
			cases += len(last.Cases)
		}
		assert.Positive(t, cases, name)
		o.Seed = 4
		other, err := New(name, o)
		require.NoError(t, err)
		if name != "proof" {
			assert.NotEqual(t, one.Block(1), other.Block(1), name)
		}
	}
	_, err := New("none", Options{})
	assert.ErrorContains(t, err, "options, pairs")
	_, err = New("options", Options{Only: "("})
	assert.Error(t, err)
}

// Each command of the table has forms, or a reason to have none.
func TestEachCommandHasForms(t *testing.T) {
	for _, row := range command.Describe() {
		for _, name := range row.Names {
			if row.Modelled && name != "git" { // git has a family of its own
				assert.NotEmpty(t, shapes()[name], name)
			}
		}
	}
}

func TestAbbreviations(t *testing.T) {
	all := []string{"all", "almost-all", "author", "b", "color"}
	assert.Equal(t, "c", abbreviation("color", all))
	assert.Equal(t, "au", abbreviation("author", all))
	assert.Empty(t, abbreviation("b", all))
	assert.Empty(t, abbreviation("allo", []string{"allo", "allow"}))
}

func TestSettingsSuitTheirWorlds(t *testing.T) {
	for _, s := range settings {
		w := s.Suits(optionsWorld)
		has := func(path string) bool {
			return slices.ContainsFunc(w.Tree, func(e entry) bool { return strings.HasPrefix(string(e.Path), path) })
		}
		for _, place := range slices.Concat([]string{s.Cwd}, s.Read, s.Write, s.Denied) {
			assert.True(t, has(place), "%s: %s", s.Name, place)
		}
	}
}
