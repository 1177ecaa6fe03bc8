// Package strictjsontest holds a door against everything that a second reader of
// JSON could take for something else. Tests of the doors use it.
package strictjsontest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// Door is one place where JSON is handed in.
type Door struct {
	// Valid is a text that is taken, with every member that there is.
	Valid string
	// Read reads a text; the error is what whoever handed it in is told.
	Read func(text []byte) error
	// Free tells of members whose names are nobody's: those of an environment.
	Free func(path string) bool
	// Null tells of members that may be null.
	Null func(path string) bool
	// Foreign tells of members that are not ours: they are not looked at.
	Foreign func(path string) bool
	// Whole tells of members that may be any JSON of their type, whatever is in it.
	Whole func(path string) bool
}

// megabyte is the size of what is too large for most fields.
const megabyte = 1 << 20

// Test distorts every member of the valid text in turn, and wants each text to be
// refused by an error that names the member.
func (d Door) Test(t *testing.T) {
	t.Helper()
	var value any
	dec := json.NewDecoder(strings.NewReader(d.Valid))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&value), "the valid text is JSON")
	require.NoError(t, d.Read([]byte(d.Valid)), "the valid text is taken")
	d.object(t, "", value.(map[string]any), func(inner string) string { return inner })
}

// is reports what a rule says of a path; no rule says no.
func is(rule func(string) bool, path string) bool { return rule != nil && rule(path) }

func (d Door) object(t *testing.T, at string, members map[string]any, around func(string) string) {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	write := func(name, text string) string { // the object with one member written anew
		var b strings.Builder
		for i, other := range names {
			if i > 0 {
				b.WriteByte(',')
			}
			if other == name {
				b.WriteString(text)
				continue
			}
			fmt.Fprintf(&b, "%s:%s", compact(other), compact(members[other]))
		}
		return around("{" + b.String() + "}")
	}
	for _, name := range names {
		path := strictjson.Join(at, name)
		if is(d.Foreign, path) {
			continue
		}
		quoted, value := compact(name), members[name]
		refused := func(what, member string) {
			t.Helper()
			d.refused(t, what, path, write(name, member))
		}
		if !is(d.Free, path) {
			refused("another case", compact(otherCase(name))+":"+compact(value))
			refused("beside another case", quoted+":"+compact(value)+","+compact(otherCase(name))+":"+compact(value))
		}
		refused("twice", quoted+":"+compact(value)+","+quoted+":"+compact(value))
		if !is(d.Null, path) {
			refused("null", quoted+":null")
		}
		for what, text := range distorted(value) {
			if is(d.Whole, path) && what != "deep" || what == "a megabyte" && strings.Count(path, ".") > 1 {
				continue // what lies deep is refused by the same code, and slowly
			}
			refused(what, quoted+":"+text)
		}
		if !is(d.Whole, path) {
			d.inside(t, path, value, func(inner string) string { return write(name, quoted+":"+inner) })
		}
	}
}

// inside goes on with what a member holds.
func (d Door) inside(t *testing.T, path string, value any, around func(string) string) {
	switch value := value.(type) {
	case map[string]any:
		d.object(t, path, value, around)
	case []any:
		if len(value) == 0 {
			return
		}
		item := func(text string) string {
			rest := make([]string, 0, len(value))
			for _, other := range value[1:] {
				rest = append(rest, compact(other))
			}
			return around("[" + strings.Join(append([]string{text}, rest...), ",") + "]")
		}
		first := path + "[0]"
		d.refused(t, "null", first, item("null"))
		for what, text := range distorted(value[0]) {
			d.refused(t, what, first, item(text))
		}
		d.inside(t, first, value[0], item)
	}
}

// distorted are texts that are no value of the kind of a given one.
func distorted(value any) map[string]string {
	texts := map[string]string{
		"deep":             strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
		"half a pair":      `"l\udcff"`,
		"half a pair, too": `"\ud83dl"`,
		"not UTF-8":        "\"l\xff\"",
		"beyond":           "9007199254740993",
		"far beyond":       "-123456789012345678901234567890",
		"a fraction":       "1.5",
		"a megabyte":       `"` + strings.Repeat("?", megabyte) + `"`,
	}
	switch value.(type) {
	case string:
		texts["another type"], texts["a list of it"] = "7", `["x"]`
		delete(texts, "a megabyte") // a text may be long; how long is for its owner to say
	case json.Number:
		texts["another type"], texts["in quotes"] = `"x"`, `"1"`
	case bool:
		texts["another type"], texts["in quotes"] = "1", `"true"`
	case []any:
		texts["another type"] = "{}"
	case map[string]any:
		texts["another type"] = "[]"
	}
	return texts
}

// refused wants a text to be refused under the name of the member.
func (d Door) refused(t *testing.T, what, path, text string) {
	t.Helper()
	err := d.Read([]byte(text))
	if assert.Error(t, err, "%s: %s is read", path, what) {
		said, named := strings.ToLower(err.Error()), strings.ToLower(path)
		if strings.HasPrefix(what, "deep") && !strings.Contains(said, named) {
			named = strings.ToLower(path[strings.LastIndex(path, ".")+1:])
		}
		assert.Contains(t, said, named, "%s: %s is refused without its name", path, what)
	}
}

// otherCase is a name that another reader may take for the same.
func otherCase(name string) string {
	if upper := strings.ToUpper(name); upper != name {
		return upper
	}
	return strings.ToLower(name)
}

func compact(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err) // it has just been decoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}
