package gocore_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/hydraharness/harness-runtime/"

// Words of the table of imports that stand for several packages.
const (
	allBelow   = "(all below)"
	vocabulary = "(vocabulary)"
)

// room is one row of the table in doc.go: a package, and what it may import.
type room struct {
	layer   int
	imports []string
}

var (
	importRow = regexp.MustCompile(`(?m)^//\t(\d)  (\S+) *(.*)$`)
	powerRow  = regexp.MustCompile(`(?m)^//\t([a-z][a-z ]*?)  +(\S.*)$`)
	wordsRow  = regexp.MustCompile(`nothing else of them: ([^.]*)\.`)
)

func mapOfTheHouse(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	return string(text)
}

// table reads who may import whom.
func table(t *testing.T) map[string]room {
	t.Helper()
	text := mapOfTheHouse(t)
	words := wordsRow.FindStringSubmatch(text)
	require.Len(t, words, 2, "doc.go names the vocabulary")
	shared := strings.Fields(strings.ReplaceAll(words[1], "//", " "))
	rooms := map[string]room{}
	for _, row := range importRow.FindAllStringSubmatch(text, -1) {
		r := room{layer: int(row[1][0] - '0')}
		behind := row[3]
		if strings.Contains(behind, vocabulary) {
			r.imports = append(r.imports, shared...)
		}
		r.imports = append(r.imports, strings.Fields(strings.NewReplacer(vocabulary, "", allBelow, "").Replace(behind))...)
		if behind == allBelow {
			for name, lower := range rooms {
				if lower.layer < r.layer {
					r.imports = append(r.imports, name)
				}
			}
		}
		rooms[row[2]] = r
	}
	require.Contains(t, rooms, "search", "the table could be read")
	return rooms
}

// nameOf is a package as the table calls it; ok is false for one of others.
func nameOf(path string) (name string, ok bool) {
	name, ok = strings.CutPrefix(path, module)
	return strings.TrimPrefix(name, "gocore/"), ok
}

// outside are packages of this module that the table says nothing about: the map,
// help for tests, tools, and tests.
func outside(path string) bool {
	own := strings.TrimPrefix(path, module)
	return own == "gocore" || strings.HasPrefix(own, "gocore/internal/") ||
		!strings.HasPrefix(own, "gocore/") && own != "pybind"
}

func TestImportsFollowTheTable(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	require.NoError(t, err)
	rooms, seen := table(t), map[string]bool{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name, _ := nameOf(fields[0])
		if outside(fields[0]) {
			continue
		}
		seen[name] = true
		r, known := rooms[name]
		if !assert.True(t, known, "%s is in no layer: give it a row in doc.go", name) {
			continue
		}
		for _, path := range fields[1:] {
			if imported, own := nameOf(path); own {
				assert.Contains(t, r.imports, imported, "%s must not import %s", name, imported)
			}
		}
	}
	for name, r := range rooms {
		assert.True(t, seen[name], "doc.go has a row for %s, which is not there", name)
		for _, imported := range r.imports {
			lower, known := rooms[imported]
			assert.True(t, known && lower.layer < r.layer, "%s lies in layer %d and names %s, which is in none below", name, r.layer, imported)
		}
	}
}

// powers reads which packages have which power.
func powers(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, row := range powerRow.FindAllStringSubmatch(mapOfTheHouse(t), -1) {
		all[row[1]] = strings.Fields(row[2])
	}
	require.ElementsMatch(t, slices.Collect(powerNames()), keysOf(all), "doc.go has the powers that the test knows")
	return all
}
