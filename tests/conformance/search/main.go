// Command search runs recorded searches against the runtime and says which
// answers are wrong:
//
//	go run ./tests/conformance/search [--indexed] [--serve RUNTIME | --driver 'COMMAND ARG...' [--resident]] [FILE...]
//
// Without a FILE it runs the vectors beside its source. Without a flag it calls
// the Go API. --serve starts an installed runtime for each vector and asks it
// over MCP, once as a model does (tools/call) and once as a program does
// (hydra/search/*):
//
//	go run ./tests/conformance/search --serve "$(command -v hydra-harness-runtime)"
//
// A driver is any program that answers one question (question.go) per process:
//
//	go run ./tests/conformance/search --driver 'python3 my_driver.py' my-vectors.jsonl
//
// With --resident it is started once, and answers one errand (resident.go) a line.
//
// The last line is "N passed, N failed, N skipped".
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// ownFiles lie beside the source: vectors.jsonl was recorded, more.jsonl asks what
// those leave out, answers.jsonl what is said beside the results, and of empty ones.
var ownFiles = []string{"vectors.jsonl", "more.jsonl", "answers.jsonl"}

func main() {
	runIfChild()
	driver := flag.String("driver", "", "a program that answers questions; default: this one, through the Go API")
	stays := flag.Bool("resident", false, "the driver is started once for all vectors")
	indexed := flag.Bool("indexed", false, "the runtime has an index of each tree before it is asked")
	serve := flag.String("serve", "", "a runtime executable to ask over MCP")
	only := flag.String("only", "", "run only vectors whose id contains this")
	flag.Parse()
	files := flag.Args()
	if len(files) == 0 {
		for _, name := range ownFiles {
			files = append(files, "tests/conformance/search/"+name)
		}
	}
	rg, err := findRipgrep()
	if err != nil {
		fatal(err)
	}
	r := runner{rg: rg, driver: strings.Fields(*driver), only: *only, indexed: *indexed}
	if *serve != "" {
		if r.serve, err = filepath.Abs(*serve); err != nil {
			fatal(err)
		}
	}
	if *stays {
		if r.resident, err = startResident(r.driver); err != nil {
			fatal(err)
		}
	}
	for _, file := range files {
		if err := r.file(file); err != nil {
			fatal(err)
		}
	}
	if r.resident != nil {
		if err := r.resident.end(); err != nil {
			fatal(fmt.Errorf("the driver: %w", err))
		}
	}
	removeOwnCopy()
	fmt.Printf("%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)
	if r.failed > 0 {
		os.Exit(1)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "conformance:", err)
	os.Exit(2)
}

type runner struct {
	rg, only, serve         string
	driver                  []string
	indexed                 bool
	resident                *resident
	passed, failed, skipped int
}

func (r *runner) file(path string) error {
	vectors, err := readVectors(path)
	if err != nil {
		return err
	}
	for _, v := range vectors {
		if !strings.Contains(v.ID, r.only) {
			continue
		}
		scratch, err := newScratch()
		if err != nil {
			return err
		}
		one, err := newRun(v, scratch, r.rg, r.driver, r.serve)
		if err != nil {
			return err
		}
		one.resident, one.indexed = r.resident, r.indexed
		problem, err := one.do()
		var skip errSkip
		switch {
		case errors.As(err, &skip):
			r.skipped++
			fmt.Printf("SKIP %s: %s\n", v.ID, skip.reason)
		case err != nil:
			r.failed++
			fmt.Printf("FAIL %s: %v\n", v.ID, err)
		case problem != "":
			r.failed++
			fmt.Printf("FAIL %s: %s\n", v.ID, problem)
		default:
			r.passed++
		}
	}
	return nil
}

func newScratch() (string, error) {
	dir, err := os.MkdirTemp("", "hydra-conformance-")
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

func newRun(v vector, scratch, rg string, driver []string, serve string) (*run, error) {
	if len(driver) == 0 {
		self, err := ownCopy()
		if err != nil {
			return nil, err
		}
		driver = []string{self}
	}
	return &run{vector: v, root: scratch, rg: rg, driver: driver, serve: serve}, nil
}

// findRipgrep returns the pinned sidecar, fetched on first use.
func findRipgrep() (string, error) {
	if path := os.Getenv("HYDRA_TEST_RG"); path != "" {
		return path, nil
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	root := strings.TrimSpace(string(out))
	dir := filepath.Join(root, ".cache", "rg")
	path := filepath.Join(dir, "hydra-harness-runtime-rg")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	fetch := exec.Command("go", "run", "./tools/fetch-rg", "--out", dir)
	fetch.Dir = root
	if text, err := fetch.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fetch the pinned ripgrep: %w\n%s", err, text)
	}
	return path, nil
}

// ownCopy returns a copy of this program that another user can start: the go
// command builds it where only its own user can go.
var ownCopy = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	path := filepath.Join(os.TempDir(), fmt.Sprintf("hydra-conformance-driver-%d", os.Getpid()))
	return path, errors.Join(os.WriteFile(path, text, 0o755), os.Chmod(path, 0o755))
})

// removeOwnCopy takes the copy away again.
func removeOwnCopy() {
	_ = os.Remove(filepath.Join(os.TempDir(), fmt.Sprintf("hydra-conformance-driver-%d", os.Getpid())))
}
