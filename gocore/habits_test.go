package gocore_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// longFunction is how many lines a function may have without saying why.
	longFunction = 60
	// manyFiles and manyLines are what one package may hold: more, and who opens it
	// does not see what it is about.
	manyFiles = 45
	manyLines = 7000
)

// Rule: a long function says why it is long, nothing runs before main but
// initialisers, and no package outgrows what one reads in a sitting.
func TestHabits(t *testing.T) {
	files, lines := map[string]int{}, map[string]int{}
	for _, top := range []string{".", "../pybind"} {
		require.NoError(t, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			files[filepath.Dir(path)]++
			lines[filepath.Dir(path)] += strings.Count(string(text), "\n")
			for _, fault := range habits(t, path, text) {
				assert.Fail(t, fault)
			}
			return nil
		}))
	}
	for dir, n := range files {
		assert.LessOrEqual(t, n, manyFiles, "files in %s", dir)
		assert.LessOrEqual(t, lines[dir], manyLines, "lines in %s", dir)
	}
}

// habits are the faults of one file.
func habits(t *testing.T, path string, text []byte) (faults []string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.ParseComments)
	require.NoError(t, err)
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		from, to := set.Position(f.Pos()).Line, set.Position(f.End()).Line
		if f.Name.Name == "init" && f.Recv == nil {
			faults = append(faults, fmt.Sprintf("%s:%d: an init function; make a list, or fill it at its first use", path, from))
		}
		if n := to - from; n > longFunction && !strings.Contains(flat(f.Doc.Text()), "Long because") {
			faults = append(faults, fmt.Sprintf("%s:%d: %s has %d lines and does not say why (%q)", path, from, f.Name.Name, n, "Long because ..."))
		}
	}
	return faults
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// Rule: the test above can fail.
func TestBadHabitsAreCaught(t *testing.T) {
	body := strings.Repeat("\t_ = 0\n", longFunction+1)
	assert.Len(t, habits(t, "x.go", []byte("package x\nfunc init() {}\n")), 1)
	assert.Len(t, habits(t, "x.go", []byte("package x\n// f is long.\nfunc f() {\n"+body+"}\n")), 1)
	assert.Empty(t, habits(t, "x.go", []byte("package x\n// f is a list. Long\n// because it is one.\nfunc f() {\n"+body+"}\n")))
}
