package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// schemaKey may name the JSON schema of the file, for editors; it says nothing
// to the runtime.
const schemaKey = "$schema"

// ParseConfig reads the text of a configuration file: a JSON object in which
// comments (// and /* */) and a comma behind the last member are allowed. A key
// that is left out has its default; an unknown key, a key that stands twice and
// a value that does not fit are errors that name the key. The error is a
// *ConfigError.
func ParseConfig(text []byte) (Config, error) {
	text = plainJSON(bytes.TrimPrefix(text, []byte("\ufeff")))
	members, err := strictjson.Members(text)
	var wrong *strictjson.Error
	if errors.As(err, &wrong) {
		return Config{}, unparsable(text, wrong)
	}
	c := DefaultConfig(false)
	sample := false
	for _, m := range members {
		if m.Name == schemaKey && m.Value[0] == '"' {
			continue
		}
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == m.Name })
		if i < 0 {
			return Config{}, unknown(m.Name)
		}
		if err := keys[i].decode(&c, json.RawMessage(m.Value)); err != nil {
			return Config{}, err
		}
		sample = sample || m.Name == keySample
	}
	if !sample {
		return Config{}, &ConfigError{Key: keySample, Message: "it is required and has no default; true samples an over-cap glob page across top-level entries, false keeps its head"}
	}
	return c, nil
}

func unparsable(text []byte, wrong *strictjson.Error) error {
	bad := &ConfigError{Key: wrong.Path, Message: wrong.Message, Err: wrong}
	if wrong.Kind == strictjson.Syntax {
		line, column := position(text, int(wrong.Offset)+1)
		bad.Key, bad.Message = "", fmt.Sprintf("it is not JSON: line %d, column %d: %s", line, column, strings.TrimPrefix(wrong.Message, "it is not JSON: "))
	}
	return bad
}

// position of the byte before an offset, both counted from 1.
func position(text []byte, offset int) (line, column int) {
	before := text[:max(0, min(offset, len(text))-1)]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

// unknown names the key that was probably meant, or all of them.
func unknown(name string) error {
	if name == schemaKey {
		return &ConfigError{Key: name, Message: "it takes a string, the place of the JSON schema"}
	}
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	var all []string
	for i := range keys {
		if plain(keys[i].name) == plain(name) {
			return &ConfigError{Key: name, Message: fmt.Sprintf("there is no such key; write %s", keys[i].name)}
		}
		all = append(all, keys[i].name)
	}
	return &ConfigError{Key: name, Message: "there is no such key; the keys are " + strings.Join(all, ", ")}
}

// plainJSON puts spaces in the place of comments, and of a comma behind the last
// member, so that offsets stay. It leaves alone what it does not understand.
func plainJSON(text []byte) []byte {
	plain := bytes.Clone(text)
	comma := -1       // a comma behind a value that nothing has followed so far
	before := byte(0) // what stands before, blanks and comments apart
	for i := 0; i < len(plain); {
		c, n := plain[i], 1
		switch c {
		case ' ', '\t', '\r', '\n':
			i++
			continue
		case '/':
			if n = commentLength(plain[i:]); n == 0 {
				return plain
			}
			blank(plain[i : i+n])
			i += n
			continue
		case '"':
			n = stringLength(plain[i:])
		case '}', ']':
			if comma >= 0 {
				plain[comma] = ' '
			}
		}
		comma = -1
		if c == ',' && !strings.ContainsRune("{[,:\x00", rune(before)) {
			comma = i
		}
		before = c
		i += n
	}
	return plain
}

// stringLength is the length of the JSON string that text begins with.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// commentLength is the length of the comment that text begins with, or 0.
func commentLength(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			return end
		}
		return len(text)
	case bytes.HasPrefix(text, []byte("/*")):
		if end := bytes.Index(text[2:], []byte("*/")); end >= 0 {
			return end + 4
		}
	}
	return 0
}

// blank overwrites text with spaces, but for its line ends.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}
