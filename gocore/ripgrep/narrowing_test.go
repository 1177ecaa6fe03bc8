package ripgrep_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// often is how many times a random test tries: a bounded number, and by hand as
// many as HYDRA_LONG says.
func often(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("HYDRA_LONG")); err == nil && n > 0 {
		return n
	}
	return usual
}

// answer is ripgrep's JSON by file, without what varies.
type answer struct {
	files map[string]string
	said  []string
	exit  int
}

var elapsed = regexp.MustCompile(`"elapsed":\{[^}]*\}`)

func ask(t *testing.T, rg, dir string, extra []*os.File, args ...string) answer {
	t.Helper()
	cmd := exec.Command(rg, args...)
	cmd.Dir, cmd.ExtraFiles = dir, extra
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	a := answer{files: map[string]string{}, exit: cmd.ProcessState.ExitCode()}
	for line := range strings.Lines(errs.String()) {
		a.said = append(a.said, line)
	}
	slices.Sort(a.said)
	begin, text := "", ""
	for line := range strings.Lines(out.String()) {
		switch {
		case strings.HasPrefix(line, `{"type":"begin"`):
			begin, text = line, ""
		case strings.HasPrefix(line, `{"type":"end"`):
			if _, twice := a.files[begin]; !twice {
				a.files[begin] = text + elapsed.ReplaceAllString(line, "")
			}
		case strings.HasPrefix(line, `{"data":{"elapsed_total"`):
		default:
			text += line
		}
	}
	return a
}

// bufferBytes is ripgrep's first buffer. Of a file whose first NUL may lie behind it
// ripgrep does not always say the same.
const bufferBytes = 64 << 10

// Rule: about the files that it is narrowed to, ripgrep says what it says of them when
// it searches everything, and of no other file does it say anything else.
func TestNarrowing(t *testing.T) {
	rg := coretest.Ripgrep(t)
	random := rand.New(rand.NewPCG(uint64(often(1)), 9))
	matched, left, wanted := 0, 0, 0
	for tree := range often(40) {
		base := t.TempDir()
		top := base + "/top"
		require.NoError(t, os.Mkdir(top, 0o755))
		coretest.NastyTree(t, random, top)
		walked := map[string]bool{}
		list := exec.Command(rg, "--no-config", "--files", "--null", "--no-ignore-global", "--no-ignore-messages", "--", ".")
		list.Dir = top
		listed, _ := list.Output()
		for path := range strings.SplitSeq(string(listed), "\x00") {
			if path != "" {
				walked[strings.TrimPrefix(path, "./")] = true
			}
		}
		roots := []string{""}
		for path := range walked {
			if at := strings.LastIndexByte(path, '/'); at > 0 && random.IntN(4) == 0 {
				roots = append(roots, path[:at+1])
			}
		}
		for _, root := range roots {
			common := []string{"--no-config", "--json", "--no-ignore-global", "--no-ignore-messages", "--crlf"}
			common = append(common, [][]string{nil, {"--ignore-case"}, {"--multiline"}, {"--max-count=1"}, {"--before-context=2", "--after-context=1"}, {"--multiline", "--pcre2"}}[random.IntN(6)]...)
			common = append(common, "--regexp="+[]string{"foo", "a", ".", "needle", "filler", "é", "^", "xxx", "foo(", "Foo bar", "[^a]"}[random.IntN(11)])
			plain := ask(t, rg, top+"/"+root, nil, append(slices.Clone(common), "--", ".")...)

			var n ripgrep.Narrowing
			_ = filepath.WalkDir(top+"/"+strings.TrimSuffix(root, "/"), func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || random.IntN(3) == 0 {
					return nil
				}
				rel := strings.TrimPrefix(path, top+"/"+root)
				var text []byte
				if d.Type().IsRegular() {
					text, _ = os.ReadFile(path)
				}
				nul := bytes.IndexByte(text, 0) >= 0
				if nul && len(text) > bufferBytes/2 {
					return nil // ripgrep's own answer varies
				}
				if d.Type().IsRegular() && walked[root+rel] && !nul && random.IntN(4) > 0 {
					n.Named = append(n.Named, rel)
				} else {
					n.Walked = append(n.Walked, rel)
				}
				return nil
			})
			r, w, err := os.Pipe()
			require.NoError(t, err)
			go func() { w.Write(n.IgnoreFile()); w.Close() }()
			args := append(append(slices.Clone(common), n.Args("/dev/fd/3")...), "--")
			narrow := ask(t, rg, top+"/"+root, []*os.File{r}, append(args, n.Operands()...)...)
			r.Close()

			if plain.exit == ripgrep.ExitError && len(plain.files) == 0 {
				assert.Equal(t, plain, narrow, "tree %d, %q: a rejected pattern", tree, common)
				continue
			}
			want := map[string]string{}
			for _, path := range slices.Concat(n.Named, n.Walked) {
				begin := beginOf(t, "./"+path)
				if text, ok := plain.files[begin]; ok {
					want[begin] = text
				}
			}
			wanted += len(want)
			for begin, text := range narrow.files {
				if !assert.Equal(t, plain.files[begin], text, "tree %d, root %q, %q", tree, root, common) {
					return
				}
				delete(want, begin)
			}
			if !assert.Empty(t, want, "tree %d, root %q, %q: named %q, walked %q", tree, root, common, n.Named, n.Walked) {
				return
			}
			matched += len(narrow.files)
			left += len(plain.files) - len(narrow.files)
		}
		os.RemoveAll(base)
	}
	assert.Positive(t, matched)
	assert.Positive(t, wanted)
	assert.Positive(t, left, "something was left out")
	t.Logf("%d files with matches, %d left out", matched, left)
}

// beginOf is the event that begins a file.
func beginOf(t *testing.T, path string) string {
	t.Helper()
	return `{"type":"begin","data":{"path":` + jsonText(path) + "}}\n"
}

func TestIgnoreFile(t *testing.T) {
	n := ripgrep.Narrowing{Walked: []string{"a/b c/d ", "a/#x", "[y]", "n\nl", "b\\s", "p\xff/q*"}}
	assert.Equal(t, "*\n!/a/\n!/a/b c/\n!/a/b c/d?\n!/a/\\#x\n!/\\[y\\]\n!/n?l\n!/b?s\n!/*/\n!/*/q\\*\n.*[!.]\n", string(n.IgnoreFile()))
	assert.Equal(t, []string{"."}, n.Operands())
	assert.Equal(t, []string{"--no-mmap", "--ignore-file=/f"}, n.Args("/f"))

	n = ripgrep.Narrowing{Named: []string{"a", "b/c"}}
	assert.Equal(t, []string{"./a", "./b/c"}, n.Operands())
	assert.Equal(t, []string{"--no-mmap"}, n.Args("/f"))
	assert.Equal(t, len(". ./a ./b/c "), n.Bytes())

	n = ripgrep.Narrowing{}
	assert.Equal(t, []string{"."}, n.Operands(), "ripgrep runs, and looks at nothing")
	assert.Equal(t, "*\n.*[!.]\n", string(n.IgnoreFile()))
}

// jsonText writes a path as ripgrep does.
func jsonText(path string) string {
	if !utf8.ValidString(path) {
		return `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(path)) + `"}`
	}
	text, _ := json.Marshal(path)
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(text))
	return `{"text":` + plain + `}`
}
