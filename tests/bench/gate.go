package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// limitGate is what an agent may wait for a decision, in milliseconds: the
	// median over the commands. What is walked through takes longer.
	limitGate = 1.0
	// gateTurns is how many decisions a median is taken of.
	gateTurns = 501
	// batchLines is how many commands the batch is asked about.
	batchLines = 10_000
)

// everyday are commands as coding agents run them.
var everyday = []string{
	"cat README.md",
	"grep -rn foo src | head",
	"ls -la src",
	"git status --short",
	"git diff HEAD -- src | head -50",
	"find . -name '*.go' -type f",
	"cd src && sed -n '1,40p' mod07/file03.go",
	"sed -i 's/foo/bar/' src/mod01/file01.go",
	"rg -n 'func main' -g '*.go' src",
	"wc -l src/mod0*/*.go | sort -n | tail -5",
}

// decisions is what the gate takes for one command. Times are medians.
type decisions struct {
	command           string
	decision          string
	time              time.Duration
	quarter, quarter3 time.Duration
}

// typical is the median over the commands.
func typical(all []decisions) time.Duration {
	times := make([]time.Duration, 0, len(all))
	for _, v := range all {
		times = append(times, v.time)
	}
	return middle(times)
}

// makeRepo makes a repository of 200 files in twenty directories.
func makeRepo(root string) error {
	for i := range 200 {
		dir := filepath.Join(root, "src", fmt.Sprintf("mod%02d", i/10))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%02d.go", i%10)), []byte("package mod // foo\n"), 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(root, "README.md"), []byte("a repository\n"), 0o644); err != nil {
		return err
	}
	if out, err := exec.Command("git", "init", "--quiet", root).CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %s", err, out)
	}
	return nil
}

func (w *world) gateEnv() map[string]string {
	return map[string]string{"HOME": w.scratch, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
}

// gates measures decisions of a running runtime, and of one batch from its start
// to its end.
func (w *world) gates() (all []decisions, batch time.Duration, err error) {
	if !strings.Contains("gate", w.only) && w.only != "" {
		return nil, 0, nil
	}
	repo := filepath.Join(w.scratch, "repo")
	if err := makeRepo(repo); err != nil {
		return nil, 0, err
	}
	for _, command := range everyday {
		v, err := w.gate(repo, command)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", command, err)
		}
		fmt.Fprintf(os.Stderr, "%-55s gate %9.3f ms  %s\n", command, ms(v.time), v.decision)
		all = append(all, v)
	}
	batch, err = w.batch(repo)
	return all, batch, err
}

func (w *world) gate(repo, command string) (decisions, error) {
	v := decisions{command: command}
	s, err := w.server(repo, "--sample")
	if err != nil {
		return v, err
	}
	params := map[string]any{
		"command": command, "cwd": repo, "env": w.gateEnv(),
		"boundary": map[string]any{"readRoots": []string{repo}, "writeRoots": []string{repo}, "cwd": repo, "home": w.scratch},
	}
	turns := gateTurns
	if w.quick {
		turns = quickPairs
	}
	times := make([]time.Duration, 0, turns)
	for i := range turns + 2 { // two to warm
		start := time.Now()
		text, err := s.Call("hydra/shell/gate", params)
		took := time.Since(start)
		if err != nil {
			return v, err
		}
		if i < 2 {
			var answer struct{ Decision string }
			if err := json.Unmarshal(text, &answer); err != nil {
				return v, err
			}
			v.decision = answer.Decision
			continue
		}
		times = append(times, took)
	}
	slices.Sort(times)
	v.time, v.quarter, v.quarter3 = middle(times), times[turns/4], times[turns*3/4]
	return v, nil
}

func (w *world) batch(repo string) (time.Duration, error) {
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for i := range batchLines {
		if err := encoder.Encode(map[string]any{"command": everyday[i%len(everyday)], "cwd": repo, "env": w.gateEnv(), "writeRoots": []string{repo}}); err != nil {
			return 0, err
		}
	}
	cmd := exec.Command(w.runtimePath, "gate", "--batch")
	cmd.Stdin, cmd.Env = &in, w.environ
	start := time.Now()
	out, err := cmd.Output()
	if err != nil {
		return 0, err
	}
	took := time.Since(start)
	if lines := bytes.Count(out, []byte("\n")); lines != batchLines {
		return 0, fmt.Errorf("the batch gave %d answers to %d lines", lines, batchLines)
	}
	return took, nil
}

func gateTable(all []decisions, batch time.Duration) string {
	if all == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("| gate of an everyday command | answer | median (ms) | middle half | at most |\n|---|---|--:|--:|--:|\n")
	for _, v := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %.2f | %.2f to %.2f | |\n", strings.ReplaceAll(v.command, "|", `\|`), v.decision, ms(v.time), ms(v.quarter), ms(v.quarter3))
	}
	median := fmt.Sprintf("%.2f", ms(typical(all)))
	if ms(typical(all)) > limitGate {
		median = "**" + median + "**"
	}
	fmt.Fprintf(&b, "| median of these | | %s | | %.0f |\n", median, limitGate)
	fmt.Fprintf(&b, "\n`gate --batch` answers %d such lines in %.1f s, %.2f ms each, its start included.\n", batchLines, batch.Seconds(), ms(batch)/batchLines)
	return b.String()
}
