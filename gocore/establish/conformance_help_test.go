//go:build unix

package establish

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// vector is one recorded command with what the kernel saw.
type vector struct {
	ID, Group, Shape, Shell, Cwd, Home, Command string
	Roots                                       []string
	Tree                                        []vectorEntry
	KernelReads                                 []string `json:"kernel_reads"`
	KernelDirReads                              []string `json:"kernel_dir_reads"`
	KernelWrites                                []string `json:"kernel_writes"`
	Totals                                      map[string]int
	Mutate                                      []vectorEntry
	Moved                                       bool
	Escapes                                     bool
}

type vectorEntry struct {
	Op, Path, Type, Content, Target, To, Mode, Prefix string
	Count                                             int
}

var surrogate = regexp.MustCompile(`(\\ud[89ab][0-9a-f]{2})?\\udc([89a-f][0-9a-f])`)

// loadVectors reads the recorded cases. Bytes that are no UTF-8 are written as
// lone surrogates there; they pass the JSON decoder as private characters.
func loadVectors(t testing.TB) map[string]vector {
	f, err := os.Open("../../tests/conformance/shell/shell.jsonl")
	require.NoError(t, err)
	defer f.Close()
	out := map[string]vector{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		text := surrogate.ReplaceAllStringFunc(lines.Text(), func(s string) string {
			if len(s) > 6 {
				return s
			}
			return `\ue0` + s[4:]
		})
		var v vector
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		out[v.ID] = v
	}
	require.NoError(t, lines.Err())
	return out
}

// stage is a case laid out on the disk.
type stage struct{ base string }

func (s stage) path(text string) string {
	text = strings.NewReplacer("{ROOT}", s.base+"/root", "{OUT}", s.base+"/out", "{BASE}", s.base).Replace(text)
	var b strings.Builder
	for _, r := range text {
		if r >= 0xe080 && r <= 0xe0ff {
			b.WriteByte(byte(r))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (s stage) paths(list []string) (out []string) {
	for _, p := range list {
		out = append(out, s.path(p))
	}
	return out
}

func build(t testing.TB, v vector) stage {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := stage{base}
	for _, d := range []string{"/root", "/out/home"} {
		require.NoError(t, os.MkdirAll(base+d, 0o755))
	}
	modes := map[string]os.FileMode{}
	for _, e := range v.Tree {
		p := s.path(e.Path)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		switch e.Type {
		case "dir":
			require.NoError(t, os.MkdirAll(p, 0o755))
		case "file", "":
			require.NoError(t, os.WriteFile(p, []byte(s.path(e.Content)), 0o644))
		case "symlink":
			require.NoError(t, os.Symlink(s.path(e.Target), p))
		case "hardlink":
			require.NoError(t, os.Link(s.path(e.To), p))
		case "fifo":
			require.NoError(t, unix.Mkfifo(p, 0o600))
		case "manyfiles", "manydirs":
			require.NoError(t, os.MkdirAll(p, 0o755))
			for i := range e.Count {
				if e.Type == "manydirs" {
					require.NoError(t, os.Mkdir(fmt.Sprintf("%s/%s%05d", p, or(e.Prefix, "d"), i), 0o755))
				} else {
					require.NoError(t, os.WriteFile(fmt.Sprintf("%s/%s%05d", p, or(e.Prefix, "f"), i), nil, 0o644))
				}
			}
		case "linkchain":
			require.NoError(t, os.MkdirAll(p, 0o755))
			for i := range e.Count {
				next := s.path(e.Target)
				if i+1 < e.Count {
					next = fmt.Sprintf("%s%02d", e.Prefix, i+1)
				}
				require.NoError(t, os.Symlink(next, fmt.Sprintf("%s/%s%02d", p, e.Prefix, i)))
			}
		default:
			t.Fatalf("%s: no entry of type %q", v.ID, e.Type)
		}
		if e.Mode != "" {
			var m uint32
			_, err := fmt.Sscanf(e.Mode, "%o", &m)
			require.NoError(t, err)
			modes[p] = os.FileMode(m)
		}
	}
	for p, m := range modes {
		require.NoError(t, os.Chmod(p, m))
		t.Cleanup(func() { os.Chmod(p, 0o755) })
	}
	return s
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// mutate makes the change of a race case.
func (s stage) mutate(t testing.TB, ops []vectorEntry) {
	for _, e := range ops {
		p := s.path(e.Path)
		switch e.Op {
		case "relink", "to-link", "remove":
			require.NoError(t, os.RemoveAll(p))
			if e.Op != "remove" {
				require.NoError(t, os.Symlink(s.path(e.Target), p))
			}
		case "create":
			require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
			require.NoError(t, os.WriteFile(p, []byte("x"), 0o644))
		case "mkdir":
			require.NoError(t, os.MkdirAll(p, 0o755))
		case "rename":
			require.NoError(t, os.Rename(p, s.path(e.To)))
		default:
			t.Fatalf("no mutation %q", e.Op)
		}
	}
}

func (s stage) boundary(v vector) Boundary {
	return Boundary{ReadRoots: s.paths(v.Roots), WriteRoots: s.paths(v.Roots), Home: s.path(v.Home), Cwd: s.path(v.Cwd)}
}

func hostEstablisher(t testing.TB, b Boundary) *Establisher {
	e, err := New(execenv.Host{}, b)
	require.NoError(t, err)
	return e
}
