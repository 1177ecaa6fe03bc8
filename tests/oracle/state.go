//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
	"github.com/hydraharness/harness-runtime/tests/oracle/engine"
)

// state says which blocks are done, in a file that a later run goes on from.
type state struct {
	file  string
	saved time.Time
	runs  map[string]*progress
	now   *progress
}

// progress is that of one family with one seed.
type progress struct {
	Blocks int
	Done   string // 1 for each block that is done
	Cases  int
	engine.Counts

	set []byte // one for each block
}

// savedEvery bounds how much is done again after a run was cut off.
const savedEvery = 5 * time.Second

func (o *settings) state(p part, blocks int) (*state, error) {
	s := &state{file: o.resume, runs: map[string]*progress{}}
	if o.resume != "" {
		data, err := os.ReadFile(o.resume)
		if err == nil {
			err = json.Unmarshal(data, &s.runs)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", o.resume, err)
		}
	}
	key := fmt.Sprintf("%s seed=%d count=%d only=%s", p.name, p.Seed, p.Count, p.Only)
	s.now = s.runs[key]
	if s.now == nil {
		s.now = &progress{Blocks: blocks}
		s.runs[key] = s.now
	}
	if s.now.Blocks != blocks {
		return nil, fmt.Errorf("%s: %s had %d blocks and has %d now; begin a new file", o.resume, key, s.now.Blocks, blocks)
	}
	s.now.set = make([]byte, blocks)
	for i := range s.now.set {
		if i < len(s.now.Done) && s.now.Done[i] == '1' {
			s.now.set[i] = 1
		}
	}
	return s, nil
}

func (s *state) isDone(block int) bool { return s.now.set[block] == 1 }

func (s *state) done(block int, t *tally) error {
	s.now.set[block] = 1
	if s.file == "" || time.Since(s.saved) < savedEvery && !s.complete() {
		return nil
	}
	s.saved = time.Now()
	var b strings.Builder
	for _, d := range s.now.set {
		b.WriteByte('0' + d)
	}
	s.now.Done = b.String()
	s.now.Cases += t.cases - t.saved.cases
	plus(&s.now.Counts, minus(&t.total, &t.saved.total))
	t.saved.cases, t.saved.total = t.cases, t.total
	data, err := json.MarshalIndent(s.runs, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.file+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(s.file+".new", s.file)
}

func (s *state) complete() bool {
	for _, d := range s.now.set {
		if d == 0 {
			return false
		}
	}
	return true
}

// record appends a hit to the file of hits, and its tree to the trees beside it,
// unless they are there.
func (o *settings) record(r *engine.Hit) error {
	if o.out == "" {
		return nil
	}
	trees := map[string][]truth.Entry{}
	beside := strings.TrimSuffix(o.out, filepath.Ext(o.out)) + "-trees.json"
	data, err := os.ReadFile(beside)
	if err == nil {
		err = json.Unmarshal(data, &trees)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", beside, err)
	}
	if trees[r.TreeRef] == nil {
		trees[r.TreeRef] = r.Tree
		if data, err = json.Marshal(trees); err == nil {
			err = os.WriteFile(beside, data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if there, err := os.ReadFile(o.out); err == nil && strings.Contains(string(there), `"id":"`+r.ID+`"`) {
		return nil
	}
	f, err := os.OpenFile(o.out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(r.Line, '\n')); err != nil {
		return err
	}
	return f.Close()
}
