package gocore_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// powersOf says what uses a power: a package's name as a whole, or a function, a
// method or a constant of it. The raw ways are there, too.
var powersOf = map[string][]string{
	"end this process": {
		"os.Exit", "syscall.Exit", "unix.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Logger.Fatal", "log.Logger.Fatalf", "log.Logger.Fatalln",
		"syscall.SYS_EXIT", "syscall.SYS_EXIT_GROUP", "unix.SYS_EXIT", "unix.SYS_EXIT_GROUP",
	},
	"find the own executable": {"os.Executable"},
	"take signals":            {"signal"},
	"start or become a process": {
		"exec", "os.StartProcess", "syscall.StartProcess", "syscall.ForkExec", "syscall.Exec", "unix.Exec", "unix.Fexecve", "plugin",
		"syscall.SYS_EXECVE", "syscall.SYS_EXECVEAT", "syscall.SYS_FORK", "syscall.SYS_VFORK", "syscall.SYS_CLONE",
		"unix.SYS_EXECVE", "unix.SYS_EXECVEAT", "unix.SYS_FORK", "unix.SYS_VFORK", "unix.SYS_CLONE", "unix.SYS_CLONE3",
	},
	"signal a process": {
		"os.FindProcess", "os.Process.Kill", "os.Process.Signal", "syscall.Kill", "unix.Kill", "unix.Tgkill", "unix.PidfdSendSignal",
		"syscall.SYS_KILL", "syscall.SYS_TKILL", "syscall.SYS_TGKILL", "unix.SYS_KILL", "unix.SYS_TKILL", "unix.SYS_TGKILL", "unix.SYS_PIDFD_SEND_SIGNAL",
	},
	"call by a number": {
		"syscall.Syscall", "syscall.Syscall6", "syscall.Syscall9", "syscall.RawSyscall", "syscall.RawSyscall6", "syscall.AllThreadsSyscall", "syscall.AllThreadsSyscall6",
		"unix.Syscall", "unix.Syscall6", "unix.SyscallNoError", "unix.RawSyscall", "unix.RawSyscall6", "unix.RawSyscallNoError",
	},
	"watch files": {
		"unix.InotifyInit", "unix.InotifyInit1", "syscall.InotifyInit", "syscall.InotifyInit1", "unix.FanotifyInit",
		"unix.SYS_INOTIFY_INIT", "unix.SYS_INOTIFY_INIT1", "unix.SYS_FANOTIFY_INIT", "syscall.SYS_INOTIFY_INIT", "syscall.SYS_INOTIFY_INIT1",
	},
}

func powerNames() iter.Seq[string] { return maps.Keys(powersOf) }

func keysOf[V any](m map[string]V) []string { return slices.Collect(maps.Keys(m)) }

// powersUsed are the powers that the names of some code resolve to, each with the
// places of its use.
func powersUsed(fset *token.FileSet, info *types.Info) map[string][]string {
	used := map[string][]string{}
	for at, object := range info.Uses {
		if object.Pkg() == nil {
			continue
		}
		name := object.Pkg().Name() + "." + object.Name()
		if method, ok := object.(*types.Func); ok {
			if of := method.Signature().Recv(); of != nil {
				name = receiver(of.Type()) + "." + object.Name()
			}
		}
		if _, imported := object.(*types.PkgName); imported {
			continue // what is used of it is looked at by itself
		}
		for power, names := range powersOf {
			if slices.Contains(names, name) || slices.Contains(names, object.Pkg().Name()) && standard(object.Pkg()) {
				used[power] = append(used[power], fmt.Sprintf("%s uses %s", fset.Position(at.Pos()), name))
			}
		}
	}
	return used
}

func receiver(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Name() + "." + named.Obj().Name()
	}
	return t.String()
}

// standard reports whether a package is of the standard library: our own may have
// a name such as exec.
func standard(p *types.Package) bool {
	first, _, _ := strings.Cut(p.Path(), "/")
	return !strings.Contains(first, ".")
}

// Every name of the house is resolved, for both systems, and only the packages of
// the table in doc.go use a power.
func TestOnePlaceForEachPower(t *testing.T) {
	may := powers(t)
	for _, goos := range []string{"linux", "darwin"} {
		t.Run(goos, func(t *testing.T) {
			found := map[string]bool{}
			for path, used := range usedIn(t, goos) {
				name, _ := nameOf(path)
				for power, uses := range used {
					found[power] = true
					if !slices.Contains(may[power], name) {
						assert.Empty(t, uses, "%s may not %s: doc.go says who may", name, power)
					}
				}
			}
			for power, who := range may {
				if who[0] == "nobody," {
					continue
				}
				assert.True(t, found[power] || goos != runtime.GOOS, "nobody uses the power to %s: the test looks at nothing", power)
			}
		})
	}
}

// usedIn are the powers that each package uses on a system. On this one all names
// are resolved; for the other, where every package would have to be compiled first,
// those behind the name of a package.
func usedIn(t *testing.T, goos string) map[string]map[string][]string {
	t.Helper()
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles
	if goos == runtime.GOOS {
		mode |= packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: mode, Env: append(os.Environ(), "GOOS="+goos, "GOARCH="+runtime.GOARCH, "CGO_ENABLED=0"),
	}, module+"gocore/...", module+"pybind/...")
	require.NoError(t, err)
	all := map[string]map[string][]string{}
	for _, p := range loaded {
		if outside(p.PkgPath) {
			continue
		}
		if goos == runtime.GOOS {
			require.Empty(t, p.Errors, p.PkgPath)
			all[p.PkgPath] = powersUsed(p.Fset, p.TypesInfo)
			continue
		}
		fset, files := token.NewFileSet(), []*ast.File{}
		for _, name := range p.CompiledGoFiles {
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, file)
		}
		all[p.PkgPath] = powersNamed(fset, files)
	}
	require.Contains(t, all, module+"gocore/subprocess")
	return all
}

// unknown imports every package as one of which nothing is known but its name.
type unknown struct{}

func (unknown) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	p.MarkComplete() // else its names would not be looked at at all
	return p, nil
}

// powersNamed are the powers that are used by the name of a package and of
// something in it, whatever the package is called there.
func powersNamed(fset *token.FileSet, files []*ast.File) map[string][]string {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	lenient := &types.Config{Importer: unknown{}, Error: func(error) {}} // nothing is known of what is imported
	_, _ = lenient.Check("x", fset, files, info)
	used := map[string][]string{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := selector.X.(*ast.Ident)
			if !ok {
				return true
			}
			of, ok := info.Uses[x].(*types.PkgName)
			if !ok {
				return true
			}
			whole := of.Imported().Name()
			name := whole + "." + selector.Sel.Name
			for power, names := range powersOf {
				if slices.Contains(names, name) || slices.Contains(names, whole) && standard(of.Imported()) {
					used[power] = append(used[power], fmt.Sprintf("%s uses %s", fset.Position(x.Pos()), name))
				}
			}
			return true
		})
	}
	return used
}

// Whatever way a power is taken, it is seen.
func TestAForbiddenCallIsCaught(t *testing.T) {
	for call, power := range map[string]string{
		`syscall.ForkExec("/bin/true", nil, nil)`:         "start or become a process",
		`syscall.Exec("/bin/true", nil, nil)`:             "start or become a process",
		`syscall.RawSyscall(syscall.SYS_EXECVE, 0, 0, 0)`: "start or become a process",
		`syscall.RawSyscall(59, 0, 0, 0)`:                 "call by a number",
		`f := syscall.Syscall6; f(59, 0, 0, 0, 0, 0, 0)`:  "call by a number",
		`os.StartProcess("/bin/true", nil, nil)`:          "start or become a process",
		`exec.Command("true").Run()`:                      "start or become a process",
		`run := exec.Command; run("true")`:                "start or become a process",
		`syscall.Exit(1)`:                                 "end this process",
		`os.Exit(1)`:                                      "end this process",
		`end := os.Exit; end(1)`:                          "end this process",
		`log.Fatal("x")`:                                  "end this process",
		`log.Default().Fatalf("x")`:                       "end this process",
		`os.Executable()`:                                 "find the own executable",
		`signal.Notify(make(chan os.Signal, 1))`:          "take signals",
		`syscall.InotifyInit1(0)`:                         "watch files",
		`syscall.Kill(1, 0)`:                              "signal a process",
		`p, _ := os.FindProcess(1); p.Kill()`:             "signal a process",
		`var p *os.Process; var k interface{ Kill() error } = p; _ = k; _ = p.Signal`: "signal a process",
	} {
		source := "package x\nimport (\"log\"; \"os\"; \"os/exec\"; \"os/signal\"; \"syscall\")\nvar _, _, _, _, _ = log.Flags, os.Args, exec.ErrNotFound, signal.Ignored, syscall.EINVAL\nfunc f() { " + call + " }\n"
		used := powersUsed(check(t, source))
		without := powersUsed(check(t, strings.Replace(source, call, "", 1)))
		assert.Greater(t, len(used[power]), len(without[power]), call)
	}
	fset, info := check(t, "package x\nimport . \"os\"\nfunc f() { Exit(1) }\n")
	assert.NotEmpty(t, powersUsed(fset, info)["end this process"], "an import without a name")
	fset, info = check(t, "package x\nimport s \"syscall\"\nfunc f() { s.Exit(1) }\n")
	assert.NotEmpty(t, powersUsed(fset, info)["end this process"], "an import under another name")
	fset, info = check(t, "package x\nimport \"os\"\nfunc f() { os.Getpid(); var os struct{ Exit func(int) }; os.Exit(1) }\n")
	assert.Empty(t, powersUsed(fset, info), "a name of its own")
}

// check resolves the names of a source text.
func check(t *testing.T, source string) (*token.FileSet, *types.Info) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", source, 0)
	require.NoError(t, err)
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	_, err = (&types.Config{Importer: standardImporter(t)}).Check("x", fset, []*ast.File{file}, info)
	require.NoError(t, err)
	return fset, info
}

// imported are the packages of the standard library that the texts above import.
var imported map[string]*types.Package

type importer struct{}

func (importer) Import(path string) (*types.Package, error) {
	if p := imported[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not loaded", path)
}

func standardImporter(t *testing.T) types.Importer {
	t.Helper()
	if imported == nil {
		loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedExportFile},
			"log", "os", "os/exec", "os/signal", "syscall")
		require.NoError(t, err)
		imported = map[string]*types.Package{}
		for _, p := range loaded {
			imported[p.PkgPath] = p.Types
		}
	}
	return importer{}
}
