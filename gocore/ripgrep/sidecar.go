package ripgrep

import (
	"cmp"
	"debug/elf"
	"debug/macho"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
)

// Suffix is appended to the path of the runtime executable to name its sidecar.
const Suffix = "-rg"

// Problem says why a sidecar cannot be used.
type Problem struct {
	// Code is one of: missing, not-a-file, mode, noexec, denied, platform, digest,
	// manifest, replaced, not-ripgrep.
	Code string
	// Path is the sidecar.
	Path string
	// Detail is one sentence that ends with what to do.
	Detail string
	// Err is the system's error, if one was the reason.
	Err error
}

func (p *Problem) Error() string { return p.Detail }

// Unwrap returns the system's error.
func (p *Problem) Unwrap() error { return p.Err }

// Sidecar is the ripgrep executable that belongs to one runtime executable.
//
// What counts is what lay there when it was named, not what an upgrade puts in
// its place while the runtime runs: two releases must not answer one call.
// Naming one never fails; a bad sidecar is a fault of the call that needs it.
type Sidecar struct {
	path     string
	promise  promise
	promised bool     // the promise must be kept from the beginning
	named    identity // the file when it was named without a promise; zero if there was none

	mu      sync.Mutex
	checked identity // the file that passed Check last
	proven  identity // the file that has shown to be ripgrep
}

// identity tells a file from its replacement.
type identity struct {
	dev, ino  uint64
	size      int64
	mtimeNano int64
	// ctimeNano changes with whatever is done to the file, also by those who put its
	// modification time back.
	ctimeNano int64
	mode      fs.FileMode
}

// Locate names the sidecar of the runtime executable at runtimePath, as the
// manifest beside it promises it. It never looks anywhere else: not on PATH, not
// in a working directory.
func Locate(runtimePath string) *Sidecar {
	path := runtimePath + Suffix
	return &Sidecar{path: path, promise: readPromise(path), promised: true}
}

// At names a sidecar by its own path. The caller vouches for the file that lies
// there now; for one that replaces it, only a manifest that lies beside it now.
// A relative path is one from the working directory of now: ripgrep is started in
// the directories that it searches.
func At(path string) *Sidecar {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	s := &Sidecar{path: path, promise: readPromise(path)}
	if info, err := os.Stat(path); err == nil {
		s.named = identify(info)
	}
	return s
}

// Path is where the sidecar is, or should be.
func (s *Sidecar) Path() string { return s.path }

// Check reports whether the sidecar can be run now: it is a regular executable
// file for this platform and has the size and SHA-256 of its manifest, or is the
// file that was there when it was named. The bytes are read once per file state.
// The error is a *Problem.
func (s *Sidecar) Check() error {
	info, err := os.Stat(s.path)
	if err != nil {
		return s.statProblem(err)
	}
	if !info.Mode().IsRegular() {
		return s.problem("not-a-file", nil, "the ripgrep sidecar %s is not a regular file: %s", s.path, s.Advice())
	}
	id := identify(info)
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == s.checked {
		return nil
	}
	if err := syscall.Access(s.path, 1 /* X_OK */); err != nil || info.Mode().Perm()&0o111 == 0 {
		return s.notExecutable(info, err)
	}
	if err := s.checkPlatform(); err != nil {
		return err
	}
	if err := s.checkBytes(id); err != nil {
		return err
	}
	s.checked = id
	return nil
}

func identify(info fs.FileInfo) identity {
	id := identity{size: info.Size(), mtimeNano: info.ModTime().UnixNano(), mode: info.Mode()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.dev, id.ino = uint64(st.Dev), st.Ino //nolint:unconvert // Dev is an int32 on darwin
		id.ctimeNano = changed(st)
	}
	return id
}

func (s *Sidecar) problem(code string, cause error, format string, args ...any) *Problem {
	return &Problem{Code: code, Path: s.path, Detail: fmt.Sprintf(format, args...), Err: cause}
}

func (s *Sidecar) statProblem(err error) *Problem {
	if errors.Is(err, fs.ErrNotExist) {
		return s.problem("missing", err, "the ripgrep sidecar %s is missing: %s (a host rg is never used)", s.path, s.Advice())
	}
	return s.problem("missing", err, "the ripgrep sidecar %s cannot be examined: %v", s.path, err)
}

// Architectures as the two executable formats and Go name them.
var (
	elfMachines   = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}
	machoMachines = map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}
)

// checkPlatform reads the header. Scripts and unknown formats pass: whether the
// system runs them, it says itself at the start.
func (s *Sidecar) checkPlatform() error {
	var goos, goarch string
	if file, err := elf.Open(s.path); err == nil {
		goos, goarch = "linux", cmp.Or(elfMachines[file.Machine], file.Machine.String())
		file.Close()
	} else if file, err := macho.Open(s.path); err == nil {
		goos, goarch = "darwin", cmp.Or(machoMachines[file.Cpu], file.Cpu.String())
		file.Close()
	} else {
		return nil
	}
	// macOS runs amd64 executables on arm64 (Rosetta).
	rosetta := goos == "darwin" && runtime.GOOS == "darwin"
	if goos != runtime.GOOS || goarch != runtime.GOARCH && !rosetta {
		return s.problem("platform", nil, "the ripgrep sidecar %s is built for %s/%s, this machine is %s/%s: install the package for this platform",
			s.path, goos, goarch, runtime.GOOS, runtime.GOARCH)
	}
	return nil
}
