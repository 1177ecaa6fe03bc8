package pybind

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A panic that no recover of its own goroutine meets ends the process, which is
// somebody else's here. So each goroutine of the packages that this one reaches
// begins by deferring a recover, or is on this list with the reason why nothing
// in it can panic.
var harmless = map[string]string{
	"context.AfterFunc in pybind/instance.go": "calls nothing but a cancel function",
	"go in gocore/confine/command_linux.go":   "runs a program for the command confine; the extension compiles policies alone",
	"go in gocore/search/dates.go":            "waits and closes a channel; the workers it waits for recover",
}

// starters are functions of the standard library that run a function in a
// goroutine of their own.
var starters = []string{"AfterFunc", "Go"}

func TestEachGoroutineRecovers(t *testing.T) {
	format := `{{if .Module}}{{if .Module.Main}}{{.Dir}}{{range .GoFiles}} {{.}}{{end}}{{end}}{{end}}`
	out, err := exec.Command("go", "list", "-deps", "-f", format, ".").Output()
	require.NoError(t, err)
	found := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		files := parseAll(t, fields[0], fields[1:])
		recovers := recovering(files)
		for name, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				what, run := launched(n)
				if run == nil {
					return true
				}
				found++
				where := what + " in " + strings.TrimPrefix(name, filepath.Dir(mustAbs(t))+"/")
				if _, listed := harmless[where]; !listed {
					assert.True(t, begins(run, recovers), "%s: its function must begin with a deferred recover", where)
				}
				return true
			})
		}
	}
	assert.GreaterOrEqual(t, found, 4, "goroutines of this package, the dispatcher and the sidecar's pump were looked at")
}

func mustAbs(t *testing.T) string {
	t.Helper()
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	return here
}

func parseAll(t *testing.T, folder string, names []string) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	for _, name := range names {
		path := filepath.Join(folder, name)
		file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		files[path] = file
	}
	return files
}

// launched returns what runs in a goroutine of its own by a node: a call of it,
// or a function.
func launched(n ast.Node) (what string, run ast.Expr) {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "go", n.Call.Fun
	case *ast.CallExpr:
		selector, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || len(n.Args) == 0 {
			return "", nil
		}
		for _, name := range starters {
			if selector.Sel.Name == name {
				if pkg, ok := selector.X.(*ast.Ident); ok {
					return pkg.Name + "." + name, n.Args[len(n.Args)-1]
				}
				return name, n.Args[len(n.Args)-1]
			}
		}
	}
	return "", nil
}

// recovering names the functions and methods of a package that begin with a
// deferred recover, or are one.
func recovering(files map[string]*ast.File) map[string]bool {
	names := map[string]bool{}
	for range 2 { // functions that defer a function that recovers come second
		for _, file := range files {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil && (defersRecover(f.Body, names) || callsRecover(f.Body)) {
					names[f.Name.Name] = true
				}
			}
		}
	}
	return names
}

func begins(run ast.Expr, recovers map[string]bool) bool {
	switch run := run.(type) {
	case *ast.FuncLit:
		return defersRecover(run.Body, recovers)
	case *ast.Ident:
		return recovers[run.Name]
	case *ast.SelectorExpr:
		return recovers[run.Sel.Name]
	}
	return false
}

// defersRecover reports whether a recover is deferred before anything but
// declarations, assignments and other defers has run.
func defersRecover(body *ast.BlockStmt, recovers map[string]bool) bool {
	for _, statement := range body.List {
		switch statement := statement.(type) {
		case *ast.DeclStmt:
		case *ast.DeferStmt:
			if literal, ok := statement.Call.Fun.(*ast.FuncLit); ok && callsRecover(literal.Body) || begins(statement.Call.Fun, recovers) {
				return true
			}
		default:
			return false
		}
	}
	return false
}

func callsRecover(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "recover" {
				found = true
			}
		}
		return !found
	})
	return found
}
