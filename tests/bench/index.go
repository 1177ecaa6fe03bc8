package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hydraharness/harness-runtime/tests/internal/live"
)

// Limits of an indexed runtime. Words that few files have gain most; nothing may
// lose.
//
// The limit on names is on the request and its page: the time that the disk takes
// to keep what does not fit on the page is shown in a row of its own.
const (
	limitRare = 0.03
	limitSome = 0.12
	limitTodo = 0.35
	// limitErrorf is what ripgrep itself takes for the files that hold the word, named
	// one by one, and a tenth of that for the request, the reading of its 21,637 matches
	// and the page.
	limitErrorf   = 0.45
	limitLost     = 1.10
	limitNames    = 0.10
	limitIndexMiB = 256
	leastBuild    = 60 // MB of text a second, Go source
	leastManySize = 25 // where opening files takes the time
)

// indexRows are rows of a runtime that has an index. Its answers are those of the
// others.
func (w *world) indexRows() []row {
	json := func(pattern string) []string {
		return []string{"--no-config", "--json", "--regexp=" + pattern, "--", "."}
	}
	var rows []row
	grep := func(tree, name, pattern string, limit float64) {
		rows = append(rows, row{title: "indexed grep " + pattern + ", " + name, tree: tree, kind: "grep", pattern: pattern, limit: limit,
			ours: "tools/call", against: "rg --json", raw: json(pattern), call: w.indexed("grep", tree, pattern, unsaved)})
	}
	grep(w.many, "many files", "rarity", limitRare)
	grep(w.many, "many files", "zzzqqq", limitRare)
	grep(w.many, "many files", `handler\b`, limitSome)
	grep(w.many, "many files", "last", limitLost)
	grep(w.golang, "Go source", "zzzqqq", limitSome)
	grep(w.golang, "Go source", "TODO", limitTodo)
	grep(w.golang, "Go source", "Errorf", limitErrorf)
	for _, pattern := range []string{`\bErr[A-Z]\w+ =`, "func.*context", "func New", "func Test|package ", `\d+ms`, "(?i)lockosthread"} {
		grep(w.golang, "Go source", pattern, limitLost)
	}
	for _, of := range []struct{ tree, name, pattern string }{{w.golang, "Go source", "**/*.go"}, {w.many, "many files", "*-007.txt"}, {w.many, "many files", "*"}} {
		args := append([]string{"--no-config", "--files", "--null", "--no-ignore", "--hidden", "--sort=modified", "--glob=" + of.pattern}, excludes()...)
		limit := limitNames
		if of.pattern == "*" {
			limit = limitNone // it says what a page of 100,000 results costs
		}
		r := row{title: "indexed glob " + of.pattern + ", " + of.name, tree: of.tree, kind: "glob", pattern: of.pattern, limit: limit,
			ours: "tools/call", against: "rg --files --sort=modified", raw: append(args, "--", "."), call: w.indexed("glob", of.tree, of.pattern, unsaved)}
		rows = append(rows, r)
		// Of what does not fit on the page the disk keeps the rest, and is waited for.
		r.title, r.limit, r.call = r.title+", saved", limitNone, w.indexed("glob", of.tree, of.pattern)
		rows = append(rows, r)
	}
	return rows
}

// unsaved is the flag of a runtime that saves nothing.
const unsaved = "--owner="

// indexed makes a call to a runtime, with more flags, that has an index of the tree.
func (w *world) indexed(name, tree, pattern string, flags ...string) func() (int, error) {
	flags = append([]string{"--config", w.indexConfig}, flags...)
	call := w.tool(name, tree, map[string]string{"pattern": pattern}, flags...)
	made := false
	return func() (int, error) {
		if !made {
			if _, err := w.makeIndex(tree, flags...); err != nil {
				return 0, err
			}
			made = true
		}
		return call()
	}
}

// indexTime bounds the making of an index.
const indexTime = 10 * time.Minute

// makeIndex searches a tree until its index is there, and returns how long that took.
func (w *world) makeIndex(tree string, flags ...string) (time.Duration, error) {
	s, err := w.server(tree, flags...)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	for time.Since(start) < indexTime {
		state, err := indexState(s)
		if err != nil {
			return 0, err
		}
		switch state {
		case "ready":
			return time.Since(start), nil
		case "", "building", "ignore-changed":
			if _, err := s.Call("hydra/search/glob", map[string]string{"pattern": "/none"}); err != nil {
				return 0, err
			}
			time.Sleep(5 * time.Millisecond)
		default:
			return 0, fmt.Errorf("%s has no index: %s", tree, state)
		}
	}
	return 0, errors.New("the index was not made")
}

// indexState is that of the first root.
func indexState(s *live.Server) (string, error) {
	text, err := s.Call("hydra/info", map[string]string{})
	if err != nil {
		return "", err
	}
	var info struct {
		Index struct{ Roots []struct{ State string } }
	}
	if err := json.Unmarshal(text, &info); err != nil || len(info.Index.Roots) == 0 {
		return "", err
	}
	return info.Index.Roots[0].State, nil
}

// built is how an index was made.
type built struct {
	title string
	mb    float64 // of text
	took  time.Duration
	mib   float64 // resident, behind it
	least float64 // MB a second
	limit int     // MiB
}

func (b built) rate() float64 { return b.mb / b.took.Seconds() }

func (b built) reached() bool {
	return b.rate() >= b.least && (b.limit == 0 || b.mib <= float64(b.limit))
}

// builds makes the index of each large tree in a runtime of its own.
func (w *world) builds() ([]built, error) {
	if w.only != "" && !strings.Contains("index builds", w.only) {
		return nil, nil
	}
	trees := []built{{title: w.golang, least: leastBuild, limit: limitIndexMiB}, {title: w.many, least: leastManySize / 10.0, limit: limitIndexMiB}}
	if cache, err := exec.Command("go", "env", "GOMODCACHE").Output(); err == nil {
		if dir := strings.TrimSpace(string(cache)); dir != "" {
			trees = append(trees, built{title: dir, limit: limitIndexMiB})
		}
	}
	for i := range trees {
		b := &trees[i]
		for key, s := range w.servers {
			_ = s.Close()
			delete(w.servers, key)
		}
		var err error
		if b.mb, err = textOf(b.title); err != nil {
			return nil, err
		}
		if b.took, err = w.makeIndex(b.title, "--config", w.indexConfig); err != nil {
			return nil, err
		}
		s, err := w.server(b.title, "--config", w.indexConfig)
		if err != nil {
			return nil, err
		}
		kib, err := live.Status(s.PID(), "VmRSS")
		if err != nil {
			return nil, err
		}
		b.mib = float64(kib) / 1024
	}
	trees[0].title, trees[1].title = "Go source", "many files"
	if len(trees) > 2 {
		trees[2].title = "module cache"
	}
	return trees, nil
}

// textOf is how many MB of files a tree has.
func textOf(dir string) (mb float64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			mb += float64(info.Size()) / 1e6
		}
		return err
	})
	return mb, err
}

func buildTable(all []built) string {
	var b strings.Builder
	b.WriteString("| index of | text (MB) | made in (s) | MB a second | at least | resident (MiB) | at most |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, one := range all {
		fmt.Fprintf(&b, "| %s | %.0f | %.1f | %.0f | %.0f | %.0f | %d |\n", one.title, one.mb, one.took.Seconds(), one.rate(), one.least, one.mib, one.limit)
	}
	return b.String()
}
