package gocore_test

import (
	"go/ast"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// looks are the functions that may wait for a file system, or for what tells of
// accounts, for good.
var looks = strings.Fields(`
	os.Stat os.Lstat os.Open os.OpenFile os.Create os.CreateTemp os.ReadFile os.WriteFile os.ReadDir os.Readlink os.Getwd os.Mkdir os.MkdirAll
	os.MkdirTemp os.Remove os.RemoveAll os.Rename os.Link os.Symlink os.Chmod os.Chown os.Chtimes os.Truncate os.Chdir os.DirFS os.OpenRoot
	os.CopyFS os.SameFile filepath.EvalSymlinks filepath.Abs filepath.Walk filepath.WalkDir filepath.Glob fs.WalkDir fs.Stat fs.ReadFile fs.ReadDir fs.Glob
	user.Current user.Lookup user.LookupId user.LookupGroup user.LookupGroupId exec.LookPath elf.Open macho.Open
	unix.Open unix.Openat unix.Openat2 unix.Stat unix.Lstat unix.Fstatat unix.Statx unix.Statfs unix.Fstatfs unix.Access unix.Faccessat unix.Readlink
	unix.Readlinkat unix.Flock unix.Fsync unix.Mkdirat unix.Renameat unix.Unlinkat unix.Getcwd
	syscall.Open syscall.Stat syscall.Lstat syscall.Statfs syscall.Access syscall.Readlink syscall.Flock syscall.Getcwd syscall.Mkdir`)

// workers are the packages whose looks are the work of a call: whoever enters them
// has put them under a supervisor, which leaves them when the time of the call is
// over.
var workers = map[string]string{
	"search":     "Searcher.Glob and Grep run all of it under supervise",
	"ripgrep":    "asked by search under supervise, and by harness in Open and Doctor",
	"subprocess": "starts what search and doctor run under supervise",
	"spill":      "asked by tool and dispatch under supervise; at the start by lookAtSpill",
	"bundle":     "read where ripgrep is",
	"index":      "asked by search, and in threads of its own that no call waits for",
	"fresh":      "as index",
	"execenv":    "asked by establish, which dispatch and the command run under supervise",
	"confine":    "looks where the program would look next, in a process of its own, which is the caller's to end",
}

// allowed are the other functions that look, and who bounds the look.
var allowed = map[string]string{
	"harness.readConfig":                        "the command, by looked",
	"harness.Workdir":                           "dispatch, in perform; serve, by looked",
	"harness.landing":                           "in Gate, as execenv",
	"harness.accountOf":                         "in Gate, as execenv",
	"harness.checkSearch":                       "Doctor, by bounded",
	"harness.checkRoot":                         "by itself",
	"cmd/hydra-harness-runtime.run":             "serve, by looked",
	"cmd/hydra-harness-runtime.checkWorkdir":    "by looked",
	"cmd/hydra-harness-runtime.realPath":        "by looked",
	"cmd/hydra-harness-runtime.workdirOf":       "by looked",
	"cmd/hydra-harness-runtime.readPolicy":      "as confine",
	"cmd/hydra-harness-runtime.readFileOrInput": "by whileWaiting",
	"cmd/hydra-harness-runtime.startTime":       "the kernel's own files",
	"cmd/hydra-harness-runtime.keepInherited":   "the kernel's own files",
}

// Every look that the house makes outside of those packages is one that somebody
// bounds; a new one has to be thought of, here.
func TestEveryLookIsBounded(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile,
		Env:  append(os.Environ(), "CGO_ENABLED=0"),
	}, module+"gocore/...", module+"pybind/...")
	require.NoError(t, err)
	used := map[string]bool{}
	for _, p := range loaded {
		name, _ := nameOf(p.PkgPath)
		if outside(p.PkgPath) || workers[name] != "" {
			used[name] = true
			continue
		}
		require.Empty(t, p.Errors, p.PkgPath)
		for _, file := range p.Syntax {
			for _, declared := range file.Decls {
				for what, at := range looksIn(p.TypesInfo, declared) {
					place := name + "." + declaredName(declared)
					used[place] = true
					assert.NotEmpty(t, allowed[place], "%s uses %s (%s): put it under supervise, and say here who bounds it", place, what, p.Fset.Position(at.Pos()))
				}
			}
		}
	}
	for place := range allowed {
		assert.True(t, used[place], "%s looks at nothing any more", place)
	}
	for name := range workers {
		assert.True(t, used[name], "there is no package %s", name)
	}
}

// looksIn are the looks that a declaration uses, by their name.
func looksIn(info *types.Info, declared ast.Decl) map[string]*ast.Ident {
	found := map[string]*ast.Ident{}
	ast.Inspect(declared, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		f, ok := info.Uses[id].(*types.Func)
		if ok && f.Pkg() != nil && f.Signature().Recv() == nil {
			if name := f.Pkg().Name() + "." + f.Name(); slices.Contains(looks, name) {
				found[name] = id
			}
		}
		return true
	})
	return found
}

func declaredName(declared ast.Decl) string {
	switch d := declared.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				return v.Names[0].Name
			}
		}
	}
	return "?"
}

// Whatever way a look is taken, it is seen.
func TestALookIsSeen(t *testing.T) {
	for _, call := range []string{`os.Stat("x")`, `look := os.Open; look("x")`, `syscall.Access("x", 1)`} {
		_, info := check(t, "package x\nimport (\"os\"; \"syscall\")\nvar _, _ = os.Args, syscall.EINVAL\nfunc f() { "+call+" }\n")
		seen := slices.ContainsFunc(slices.Collect(maps.Values(info.Uses)), func(o types.Object) bool {
			f, ok := o.(*types.Func)
			return ok && f.Pkg() != nil && slices.Contains(looks, f.Pkg().Name()+"."+f.Name())
		})
		assert.True(t, seen, call)
	}
}
