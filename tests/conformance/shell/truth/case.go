// Package truth reads the recorded shell cases and builds their trees.
//
// A case is a command with what the kernel saw a real shell do with it. Texts
// hold placeholders: {ROOT} is the tree, {OUT} a directory beside it, {BASE}
// their parent. Names that are not UTF-8 travel as the lone surrogates
// U+DC80..U+DCFF that Python's surrogateescape makes of single bytes.
package truth

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Entry is one file of a tree.
type Entry struct {
	Path    Text   `json:"path"`
	Type    string `json:"type"`
	Content *Text  `json:"content,omitempty"`
	Target  Text   `json:"target,omitempty"`
	To      Text   `json:"to,omitempty"`
	Mode    string `json:"mode,omitempty"`
	Count   int    `json:"count,omitempty"`
	Prefix  string `json:"prefix,omitempty"`
}

// Mutation is one change to a tree between two looks.
type Mutation struct {
	Op      string `json:"op"`
	Path    Text   `json:"path"`
	Target  Text   `json:"target"`
	To      Text   `json:"to"`
	Content *Text  `json:"content"`
	Mode    string `json:"mode"`
}

// Seen is what the kernel saw.
type Seen struct {
	Reads    []Text `json:"kernel_reads"`
	Dirs     []Text `json:"kernel_dir_reads"`
	Writes   []Text `json:"kernel_writes"`
	Ops      []Text `json:"kernel_write_ops"`
	Execs    []Text `json:"kernel_execs"`
	LinkFrom []Text `json:"kernel_links_from"`
	Stats    []Text `json:"kernel_stats"`
	// Failed are [r|w, spelling, errno].
	Failed [][]Text `json:"kernel_failed"`
}

// Case is one recorded command.
type Case struct {
	ID    string  `json:"id"`
	Group string  `json:"group"`
	Kind  string  `json:"kind"`
	Shape string  `json:"shape"`
	Shell string  `json:"shell"`
	Tree  []Entry `json:"tree"`
	// Setup is a text that bash runs in the tree before anything looks at it.
	Setup   Text   `json:"setup"`
	TreeRef string `json:"tree_ref"`
	Cwd     Text   `json:"cwd"`
	Roots   []Text `json:"roots"`
	// WriteRoots are the roots themselves unless it is given, Denied are
	// refused besides what a home makes refused.
	WriteRoots []Text `json:"write_roots"`
	Denied     []Text `json:"denied"`
	// Between is what somebody else's shell runs between the two looks.
	Between Text             `json:"between"`
	Home    Text             `json:"home"`
	Env     map[string]*Text `json:"env"`
	Stdin   *Text            `json:"stdin"`
	Command Text             `json:"command"`
	Mask    string           `json:"mask"`
	Seen
	// Totals are the lengths of lists that were recorded only in part.
	Totals      map[string]int `json:"totals"`
	Exit        int            `json:"exit"`
	Escapes     bool           `json:"escapes"`
	Mutate      []Mutation     `json:"mutate"`
	Before      *Seen          `json:"before"`
	Moved       bool           `json:"moved"`
	Expect      string         `json:"expect_decision"`
	ExpectAlso  []string       `json:"expect_also"`
	ExpectWhy   string         `json:"expect_why"`
	Implicit    []Text         `json:"implicit_reads"`
	Explicit    bool           `json:"escapes_explicit"`
	Needs       []string       `json:"needs"`
	HasExplicit bool           `json:"-"`
}

// Text is a string of bytes read from JSON with lone surrogates for bytes that
// are not UTF-8.
type Text string

// UnmarshalJSON undoes surrogateescape, which encoding/json would replace.
func (t *Text) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	if len(data) < 2 || data[0] != '"' {
		return fmt.Errorf("%.40q is no string", data)
	}
	var out []byte
	for body := data[1 : len(data)-1]; len(body) > 0; {
		if body[0] != '\\' {
			i := bytes.IndexByte(body, '\\')
			if i < 0 {
				i = len(body)
			}
			out, body = append(out, body[:i]...), body[i:]
			continue
		}
		if body[1] != 'u' {
			var s string
			if err := json.Unmarshal([]byte(`"`+string(body[:2])+`"`), &s); err != nil {
				return err
			}
			out, body = append(out, s...), body[2:]
			continue
		}
		v, err := strconv.ParseUint(string(body[2:6]), 16, 32)
		if err != nil {
			return err
		}
		body = body[6:]
		switch {
		case v >= 0xDC80 && v <= 0xDCFF:
			out = append(out, byte(v-0xDC00))
		case v >= 0xD800 && v < 0xDC00 && len(body) >= 6:
			low, err := strconv.ParseUint(string(body[2:6]), 16, 32)
			if err != nil {
				return err
			}
			body = body[6:]
			out = utf8.AppendRune(out, rune((v-0xD800)<<10|(low-0xDC00))+0x10000)
		default:
			out = utf8.AppendRune(out, rune(v))
		}
	}
	*t = Text(out)
	return nil
}

// MarshalJSON writes bytes that are not UTF-8 as lone surrogates.
func (t Text) MarshalJSON() ([]byte, error) {
	out := []byte{'"'}
	for rest := string(t); rest != ""; {
		n := 0 // bytes of good text
		for n < len(rest) {
			r, size := utf8.DecodeRuneInString(rest[n:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			n += size
		}
		if n == 0 {
			out, rest = fmt.Appendf(out, `\udc%02x`, rest[0]), rest[1:]
			continue
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(rest[:n]); err != nil {
			return nil, err
		}
		out, rest = append(out, b.Bytes()[1:b.Len()-2]...), rest[n:] // without quotes and newline
	}
	return append(out, '"'), nil
}

// Load reads a file of cases, one JSON object a line. A case that names a tree
// finds it in one of the files *-trees.json beside the file.
func Load(path string) ([]*Case, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	trees := map[string][]Entry{}
	named, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*-trees.json"))
	if err != nil {
		return nil, err
	}
	for _, name := range named {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &trees); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
	}
	var out []*Case
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		c := &Case{}
		if err := json.Unmarshal(lines.Bytes(), c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		c.HasExplicit = bytes.Contains(lines.Bytes(), []byte(`"escapes_explicit"`))
		if c.TreeRef != "" {
			tree, ok := trees[c.TreeRef]
			if !ok {
				return nil, fmt.Errorf("%s:%d: there is no tree %s", path, n, c.TreeRef)
			}
			c.Tree = tree
		}
		if c.Shell == "" {
			c.Shell = "bash"
		}
		if c.Cwd == "" {
			c.Cwd = "{ROOT}"
		}
		if c.Roots == nil {
			c.Roots = []Text{"{ROOT}"}
		}
		out = append(out, c)
	}
	return out, lines.Err()
}

// EscapesExplicitly reports whether the command leaves the roots by more than
// what its program reads on its own.
func (c *Case) EscapesExplicitly() bool {
	if c.HasExplicit {
		return c.Explicit
	}
	return c.Escapes
}

// Stage is the tree of a case on disk.
type Stage struct {
	Base, Root, Out string
}

// Fill puts the stage's paths in place of the placeholders.
func (s *Stage) Fill(t Text) string {
	return strings.NewReplacer("{ROOT}", s.Root, "{OUT}", s.Out, "{BASE}", s.Base).Replace(string(t))
}

// FillAll is Fill for a list.
func (s *Stage) FillAll(list []Text) []string {
	out := make([]string, 0, len(list))
	for _, t := range list {
		out = append(out, s.Fill(t))
	}
	return out
}

// Environment is the environment that the case was recorded with.
func (s *Stage) Environment(c *Case) map[string]string {
	env := map[string]string{
		"PATH": "/usr/bin:/bin", "HOME": s.Out + "/home", "LC_ALL": "C", "USER": "nobody",
		"TERM": "dumb", "TMPDIR": s.Out + "/tmp",
	}
	for name, v := range c.Env {
		if v == nil {
			delete(env, name)
		} else {
			env[name] = s.Fill(*v)
		}
	}
	env["PWD"] = s.Fill(c.Cwd)
	return env
}
