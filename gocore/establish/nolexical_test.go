package establish

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A path must be resolved as it is spelled: joining by filepath.Join, Clean or
// Abs first takes `..` back in the text and names another file. And nothing may
// remember where a spelling led. This test reads the package's own source.
func TestNoLexicalCleanUpAndNoMemo(t *testing.T) {
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	seen := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		seen++
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		require.NoError(t, err)
		for _, i := range tree.Imports {
			switch i.Path.Value {
			case `"path"`, `"path/filepath"`, `"os"`:
				t.Errorf("%s imports %s: paths are resolved by package execenv alone", f.Name(), i.Path.Value)
			}
			assert.NotContains(t, i.Path.Value, "mvdan.cc/sh/v3/expand", f.Name())
			assert.NotContains(t, i.Path.Value, "mvdan.cc/sh/v3/pattern", f.Name())
		}
		for _, d := range tree.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					if g.Tok == token.VAR && keepsPaths(s) {
						t.Errorf("%s: the package variable %s could remember paths", f.Name(), s.Names[0].Name)
					}
				case *ast.TypeSpec:
					if s.Name.Name == "Establisher" || s.Name.Name == "run" {
						ast.Inspect(s, func(n ast.Node) bool {
							if m, ok := n.(*ast.MapType); ok {
								t.Errorf("%s: %s has a map: %v", f.Name(), s.Name.Name, m.Key)
							}
							if x, ok := n.(*ast.SelectorExpr); ok && x.Sel.Name == "Map" {
								t.Errorf("%s: %s has a sync.Map", f.Name(), s.Name.Name)
							}
							return true
						})
					}
				}
			}
		}
	}
	assert.Greater(t, seen, 10)
}

func keepsPaths(s *ast.ValueSpec) bool {
	keeps := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.MapType:
			keeps = true
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok && id.Name == "sync" {
				keeps = true
			}
		}
		return true
	})
	return keeps
}

// lexicalClean serves texts that stay texts. Its callers are few and known; a
// new one has to say why its result is not resolved.
func TestLexicalCleanCallers(t *testing.T) {
	want := map[string]string{
		"lexical.go": "answers that say they are lexical",
		"walk.go":    "a spelling that nobody answered for",
		"cwd.go":     "the shell's own cd, which works on the text",
		"place.go":   "its definition",
	}
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(f.Name())
		require.NoError(t, err)
		if strings.Contains(string(text), "lexicalClean(") {
			assert.Contains(t, want, f.Name())
		}
	}
}
