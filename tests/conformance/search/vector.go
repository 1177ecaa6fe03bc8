package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// A vector is one recorded search: a tree, a call, and the right answer.
type vector struct {
	ID         string          `json:"id"`
	From       string          `json:"from"` // the public report, if there is one
	Tree       []treeEntry     `json:"tree"`
	Workdir    json.RawMessage `json:"workdir"`     // absent: "ws"; null: the session has none
	ProcessCWD string          `json:"process_cwd"` // of the process, below the scratch root
	Env        map[string]string
	User       string  // "unprivileged": only as such the case means something
	FakeRG     *fakeRG `json:"fake_rg"`
	Spill      string  // on, off, failing, throws
	Session    session
	Call       struct {
		Tool string                     `json:"tool"`
		Args map[string]json.RawMessage `json:"args"`
	}
	Config     map[string]any
	Order      string // exact, ties-free, file-groups-free, page-free
	Expect     expectation
	AlsoAccept []expectation `json:"also_accept"`
	ErrorKind  string        `json:"error_kind"` // argument, config, search
}

type session struct {
	NoAgent      bool            `json:"noAgent"`
	Nested       bool            `json:"nested"`
	SessionID    json.RawMessage `json:"sessionId"`
	AbortAfterMs int             `json:"abortAfterMs"`
	PreAborted   bool            `json:"preAborted"`
}

// defaultSession is the owner of a case that names none.
const defaultSession = "session-1"

// owner is the session that owns what a case saves, or "".
func (s session) owner() string {
	if s.NoAgent || string(s.SessionID) == "null" {
		return ""
	}
	var id string
	if json.Unmarshal(s.SessionID, &id) != nil {
		return defaultSession
	}
	return id
}

type fakeRG struct {
	Stdout, Stderr string
	Exit           int
	Signal         string
	Sleep          float64
	IgnoreTerm     bool `json:"ignore_term"`
}

type expectation struct {
	Canonical *canonical `json:"canonical"`
	Error     *struct {
		Name, Code *string
		// Says are parts of the message.
		Says []string
	} `json:"error"`
	RenderFacts *renderFacts `json:"render_facts"`
	Artifact    *artifact    `json:"artifact"`
	ChildEnv    []string     `json:"child_env"`
	Rendered    *string      `json:"rendered"`
}

// canonical is the complete value of either tool.
type canonical struct {
	Root      *string           `json:"root,omitempty"`
	Paths     []string          `json:"paths,omitempty"`
	PathBytes map[string]string `json:"pathBytes,omitempty"`
	Matches   []match           `json:"matches,omitempty"`
}

type match struct {
	Path       string `json:"path"`
	PathBytes  string `json:"pathBytes,omitempty"`
	LineNumber int    `json:"lineNumber"`
	Line       string `json:"line"`
}

type renderFacts struct {
	Page       []string        `json:"page"`
	Capped     *bool           `json:"capped"`
	Shown      *int            `json:"shown"`
	Seen       *int            `json:"seen"`
	Sampled    json.RawMessage `json:"sampled"`
	NarrowHint *bool           `json:"narrow_hint"`
	Saved      *bool           `json:"saved"`
	Body       *string         `json:"body"`
	Empty      bool            `json:"empty"`
	// Notes are the codes of all notes, and Says parts of the text behind the results.
	Notes *[]string `json:"notes"`
	Says  []string  `json:"says"`
}

type artifact struct {
	Content  string
	Bytes    int
	FileMode string `json:"file_mode"`
	DirMode  string `json:"dir_mode"`
	Shape    string `json:"relpath_shape"`
}

// leftOut are vectors that contradict a rule of this project, with the rule.
var leftOut = map[string]string{
	"glob-syntax/brace-range-not-expanded": "a pattern whose literal spelling exists finds that file too",
	"grep-cap/over-spill-line-preview":     "a saved result holds its lines uncut; only the page cuts them",
}

// readVectors reads a file of vectors, one JSON object a line.
func readVectors(path string) ([]vector, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []vector
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		all = append(all, v)
	}
	return all, lines.Err()
}
