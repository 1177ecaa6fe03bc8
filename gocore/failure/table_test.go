package failure

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the table where it is repeated")

// The places that repeat the table: the file that Python is checked against, and
// the page for people.
const (
	shared   = "../../tests/conformance/failures.json"
	protocol = "../../docs/protocol.md"
)

//go:generate go test . -run ^TestTheTableIsRepeated -update

func TestTheTableIsRepeatedForPrograms(t *testing.T) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(Rows()))
	if *update {
		require.NoError(t, os.WriteFile(shared, b.Bytes(), 0o644))
	}
	text, err := os.ReadFile(shared)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(text), "go generate ./gocore/failure writes it anew")
}

func TestTheTableIsRepeatedForPeople(t *testing.T) {
	var b strings.Builder
	b.WriteString("| number | code | can mend it | when |\n|---|---|---|---|\n")
	for _, row := range Rows() {
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", row.Number, row.Code, row.Mender, row.When)
	}
	text, err := os.ReadFile(protocol)
	require.NoError(t, err)
	table := regexp.MustCompile(`(?m)^\| number \| code \|.*\n(\|.*\n)+`)
	require.Len(t, table.FindAll(text, -1), 1, "one table has the codes")
	if *update {
		text = table.ReplaceAllLiteral(text, []byte(b.String()))
		require.NoError(t, os.WriteFile(protocol, text, 0o644))
	}
	assert.Equal(t, b.String(), string(table.Find(text)), "go generate ./gocore/failure writes it anew")
	for _, mender := range []Mender{Caller, Time, Program, Installation} {
		assert.Contains(t, string(text), "\n- `"+string(mender)+"`: ")
	}
}

// codePattern is how a code looks, in any source or page.
var codePattern = regexp.MustCompile(`\b(?:TOOL_ARGUMENT|(?:RUNTIME|SEARCH|SPILL|ESTABLISH)_[A-Z]+(?:_[A-Z]+)*)\b`)

// codesIn are the codes that stand in quotes in the files of a folder.
func codesIn(t *testing.T, dir string, wanted func(path string) bool) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !wanted(path) {
			return err
		}
		text, err := os.ReadFile(path)
		for _, code := range codePattern.FindAllString(string(text), -1) {
			found[code] = path
		}
		return err
	}))
	return found
}

// Whatever code the runtime names is in the table, and whatever is in the table
// is named by the page of the package that raises it.
func TestEveryCodeIsInTheTable(t *testing.T) {
	code := func(path string) bool { return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") }
	for _, dir := range []string{"..", "../../pybind"} {
		for code, path := range codesIn(t, dir, code) {
			assert.Contains(t, table, code, path)
		}
	}
	page := func(name string) map[string]string {
		return codesIn(t, "../../docs", func(path string) bool { return filepath.Base(path) == name })
	}
	values := page("values.md")
	for code := range table {
		if strings.HasPrefix(code, "ESTABLISH_") {
			assert.Contains(t, values, code, "docs/values.md")
		}
	}
	for code := range values {
		assert.Contains(t, table, code, "docs/values.md")
	}
	python := page("python.md")
	for code := range table {
		assert.Contains(t, python, code, "docs/python.md")
	}
}
