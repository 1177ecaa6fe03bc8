package harness

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"text/template"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/judge"
)

var update = flag.Bool("update", false, "write the files that are generated")

const docs = "../../docs"

// TestConfigDocs compares what docs says of the file with the table of keys.
// "go generate ./gocore/harness" writes it anew.
func TestConfigDocs(t *testing.T) {
	for name, text := range map[string]string{
		"config.schema.json":   schemaText(t),
		"config.example.jsonc": exampleText(t),
		"config.md":            pageText(t),
	} {
		path := filepath.Join(docs, name)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, text, string(got), "%s is out of date: run go generate ./gocore/harness", name)
	}
}

func defaultOf(t *testing.T, k *key) json.RawMessage {
	t.Helper()
	c := DefaultConfig(true)
	text, err := json.Marshal(k.value(&c))
	require.NoError(t, err)
	return json.RawMessage(strings.ReplaceAll(string(text), `","`, `", "`))
}

// schemaOf makes the schema from the Go types and the table of keys.
func schemaOf(t *testing.T) *jsonschema.Schema {
	t.Helper()
	decisions := &jsonschema.Schema{Type: "string"}
	for d := judge.RuleDeny; d <= judge.RuleAllow; d++ {
		decisions.Enum = append(decisions.Enum, d.String())
	}
	s, err := jsonschema.For[Config](&jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[judge.RuleDecision](): decisions},
	})
	require.NoError(t, err)
	s.Title = "hydra-harness-runtime configuration"
	s.Required = []string{keySample}
	for i := range keys {
		k := &keys[i]
		p := s.Properties[k.name]
		require.NotNil(t, p, "%s is no field of Config", k.name)
		p.Description = strings.ReplaceAll(k.doc, "`", "")
		if k.name != keySample {
			p.Default = defaultOf(t, k)
		}
		if k.max > 0 {
			p.Minimum, p.Maximum = number64(k.min), number64(k.max)
		}
		strings := p
		if p.Items != nil {
			p.Types, p.Type = nil, "array" // a Go slice may be null, a value here not
			strings = p.Items
			for _, field := range p.Items.Properties {
				if field.Items != nil {
					field.Types, field.Type = nil, "array"
				}
			}
		}
		for _, name := range k.enum {
			strings.Enum = append(strings.Enum, name)
		}
		if k.absolute {
			strings.Pattern = "^/"
			if p.Items == nil {
				strings.Pattern = "^(/|$)"
			}
		}
	}
	s.Properties[schemaKey] = &jsonschema.Schema{Type: "string", Description: "Where this schema is, for editors."}
	s.PropertyOrder = append([]string{schemaKey}, s.PropertyOrder...)
	return s
}

func number64(n int64) *float64 {
	f := float64(n)
	return &f
}

func schemaText(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(schemaOf(t))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, text, "", "  "))
	return b.String() + "\n"
}

// wrap breaks text into lines of at most 76 characters.
func wrap(text, prefix string) string {
	var b strings.Builder
	line := prefix
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > 76 && line != prefix {
			b.WriteString(line + "\n")
			line = prefix
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}

func exampleText(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("// Every key of the configuration file, at its default. The file is JSON with\n// comments. Only sampleOverCapGlobResults has to be there.\n{\n")
	b.WriteString("  // For editors.\n  \"" + schemaKey + "\": \"config.schema.json\",\n")
	for i := range keys {
		k := &keys[i]
		b.WriteString("\n" + wrap(strings.ReplaceAll(k.doc, "`", ""), "  //"))
		b.WriteString(wrap("It takes "+k.takes+".", "  //"))
		comma := ","
		if i == len(keys)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "  %q: %s%s\n", k.name, defaultOf(t, k), comma)
	}
	return b.String() + "}\n"
}

func pageText(t *testing.T) string {
	t.Helper()
	page, err := template.ParseFiles("testdata/config.md.tmpl")
	require.NoError(t, err)
	rows := "| key | default | meaning |\n|---|---|---|\n"
	for i := range keys {
		k := &keys[i]
		fallback := "`" + string(defaultOf(t, k)) + "`"
		if k.name == keySample {
			fallback = "none"
		}
		doc := k.doc
		if k.enum != nil {
			doc += " It takes " + k.takes + "."
		}
		rows += fmt.Sprintf("| `%s` | %s | %s |\n", k.name, fallback, doc)
	}
	var b strings.Builder
	require.NoError(t, page.Execute(&b, map[string]any{
		"Keys": strings.TrimSpace(rows), "MaxTimerMs": MaxTimerMs, "MaxCount": int64(maxCount),
	}))
	return b.String()
}

// The table has each field of Config, in its order.
func TestTheTableHasEveryField(t *testing.T) {
	fields := reflect.TypeFor[Config]()
	require.Equal(t, fields.NumField(), len(keys))
	c := DefaultConfig(true)
	for i := range keys {
		assert.Equal(t, fields.Field(i).Tag.Get("json"), keys[i].name)
		assert.Equal(t, reflect.ValueOf(&c).Elem().Field(i).Addr().Interface(), keys[i].value(&c), "%s points to another field", keys[i].name)
		assert.NotEmpty(t, keys[i].doc)
		assert.NotEmpty(t, keys[i].takes)
	}
}

func TestTheExampleIsTheDefault(t *testing.T) {
	got, err := LoadConfig(filepath.Join(docs, "config.example.jsonc"))
	require.NoError(t, err)
	assert.Equal(t, DefaultConfig(true), got)
	text, err := os.ReadFile(filepath.Join(docs, "config.example.jsonc"))
	require.NoError(t, err)
	for i := range keys {
		assert.Equal(t, 1, strings.Count(string(text), "\n  \""+keys[i].name+`": `), keys[i].name)
	}
}

// The schema and the loader agree on every value of every key.
func TestTheSchemaAgreesWithTheLoader(t *testing.T) {
	schema, err := schemaOf(t).Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	require.NoError(t, err)
	agree := func(text string) {
		t.Helper()
		var value any
		require.NoError(t, json.Unmarshal([]byte(text), &value))
		_, loadErr := ParseConfig([]byte(text))
		schemaErr := schema.Validate(value)
		assert.Equal(t, loadErr == nil, schemaErr == nil, "%s: the loader says %v, the schema %v", text, loadErr, schemaErr)
	}
	values := []string{
		`null`, `true`, `false`, `0`, `1`, `-1`, `1.5`, `2.0`, `1e3`, `2147483647`, `2147483648`, `9007199254740991`, `9007199254740992`, `1e300`,
		`""`, `"warn"`, `"fail"`, `"page"`, `"modified"`, `"modified-desc"`, `"path"`, `"x"`, `"/abs"`, `"rel"`, `"1"`,
		`[]`, `["glob"]`, `["grep","glob"]`, `["bash"]`, `["/abs"]`, `["/a","rel"]`, `[""]`, `[null]`, `[1]`, `{}`,
	}
	for i := range keys {
		for _, value := range values {
			text := fmt.Sprintf(`{%q:true,%q:%s}`, keySample, keys[i].name, value)
			if keys[i].name == keySample {
				text = fmt.Sprintf(`{%q:%s}`, keySample, value)
			}
			agree(text)
		}
	}
	agree(`{}`)
	agree(`{"sampleOverCapGlobResults":true,"other":1}`)
	agree(`{"sampleOverCapGlobResults":true,"$schema":"x"}`)
	agree(`{"sampleOverCapGlobResults":true,"$schema":1}`)
}
