package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pythonConfig is where the Python package keeps the table of keys.
const pythonConfig = "../../python/hydra_harness_runtime/_search_config.py"

// TestConfigPython compares the client's configuration with the table of keys.
// "go generate ./gocore/harness" writes it anew.
func TestConfigPython(t *testing.T) {
	text := pythonText(t)
	if *update {
		require.NoError(t, os.WriteFile(pythonConfig, []byte(text), 0o644))
	}
	got, err := os.ReadFile(pythonConfig)
	require.NoError(t, err)
	assert.Equal(t, text, string(got), "%s is out of date: run go generate ./gocore/harness", pythonConfig)
}

// pythonKey is a key as Python has it.
type pythonKey struct{ Name, Type, Check, Doc string }

func pythonText(t *testing.T) string {
	t.Helper()
	page, err := template.ParseFiles("testdata/search_config.py.tmpl")
	require.NoError(t, err)
	var rows []pythonKey
	for i := range keys {
		if !keys[i].gate {
			rows = append(rows, pythonOf(t, &keys[i]))
		}
	}
	var b strings.Builder
	require.NoError(t, page.Execute(&b, rows))
	return b.String()
}

func pythonOf(t *testing.T, k *key) pythonKey {
	t.Helper()
	typ, check := pythonType(k)
	doc := pythonDoc(k.doc)
	if k.name == keySample {
		return pythonKey{Name: snake(k.name), Type: typ, Check: check + ", required=True)", Doc: docstring(doc)}
	}
	if k.max > 0 {
		doc += fmt.Sprintf(" From 1 to %d.", k.max)
	}
	fallback := string(defaultOf(t, k))
	if value := python(fallback); value != `""` && value != "[]" {
		doc += " By default " + strings.NewReplacer(`["`, "", `"]`, "", `", "`, ", ").Replace(strings.Trim(value, `"`)) + "."
		check += ", default=" + strings.NewReplacer("[", "(", "]", ")").Replace(value)
	}
	return pythonKey{Name: snake(k.name), Type: typ + " | None = None", Check: check + ")", Doc: docstring(doc)}
}

// pythonType gives the annotation of a key and the beginning of its check. A
// kind that is not known here is left to the runtime to check.
func pythonType(k *key) (typ, check string) {
	var names []string
	for _, name := range k.enum {
		names = append(names, fmt.Sprintf("%q", name))
	}
	list := strings.Join(names, ", ")
	named := fmt.Sprintf(", names=(%s)", list)
	if len(names) == 1 {
		named = fmt.Sprintf(", names=(%s,)", list)
	}
	key := fmt.Sprintf(`Key(%q, `, k.name)
	value := reflect.TypeOf(k.value(&Config{})).Elem()
	switch {
	case value.Kind() == reflect.Bool:
		return "bool", key + `"flag"`
	case k.max > 0:
		return "int", key + fmt.Sprintf(`"number", most=%d`, k.max)
	case value.Kind() == reflect.String && k.absolute:
		return "StrPath", key + `"folder"`
	case value.Kind() == reflect.String && names != nil:
		return "Literal[" + list + "]", key + `"choice"` + named
	case value.Kind() == reflect.Slice && k.absolute:
		return "Sequence[StrPath]", key + `"folders"`
	case value.Kind() == reflect.Slice && names != nil:
		return "Sequence[str]", key + `"choices"` + named
	case value == reflect.TypeFor[[]string]():
		return "Sequence[str]", key + `"texts"`
	}
	return "object", key + `"value"`
}

var camelHump = regexp.MustCompile(`[A-Z]`)

func snake(name string) string {
	return camelHump.ReplaceAllStringFunc(name, func(hump string) string { return "_" + strings.ToLower(hump) })
}

// python spells a JSON value of this table.
func python(value string) string {
	switch value {
	case "true":
		return "True"
	case "false":
		return "False"
	}
	return value
}

var quotedWord = regexp.MustCompile("`[^`]*`")

// pythonDoc words the text of a key for its Python reader: other keys by their
// Python names, and code as docstrings mark it.
func pythonDoc(doc string) string {
	doc = strings.ReplaceAll(doc, "Empty is ", "`None` is ") // an empty path would be the working directory there
	return quotedWord.ReplaceAllStringFunc(doc, func(word string) string {
		word = strings.Trim(word, "`")
		for i := range keys {
			if keys[i].name == word {
				word = snake(word)
			}
		}
		return "``" + python(word) + "``"
	})
}

// docstring breaks a text into the lines of a docstring in a class, with its quotes.
func docstring(text string) string {
	const width, indent = 120, "    "
	if whole := indent + `"""` + text + `"""`; len(whole) <= width {
		return whole
	}
	var b strings.Builder
	line := indent + `"""`
	for i, word := range strings.Fields(text) {
		if i > 0 && len(line)+1+len(word) > width-len(`"""`) {
			b.WriteString(line + "\n")
			line = indent + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	return b.String() + line + `"""`
}

// Every key has a check in Python that says no less than the schema.
func TestPythonKnowsEveryKind(t *testing.T) {
	for i := range keys {
		if keys[i].gate {
			continue
		}
		row := pythonOf(t, &keys[i])
		assert.NotContains(t, row.Type, "object", "%s: pythonType has no case for such a key, so that Python sends it unchecked", keys[i].name)
		var spelled any
		require.NoError(t, json.Unmarshal(defaultOf(t, &keys[i]), &spelled))
	}
}
