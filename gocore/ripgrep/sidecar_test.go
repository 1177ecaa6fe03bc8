package ripgrep_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/bundle"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

func problem(t *testing.T, err error) *ripgrep.Problem {
	t.Helper()
	var p *ripgrep.Problem
	require.ErrorAs(t, err, &p)
	return p
}

// wheel lays the pinned sidecar out as a wheel does, with a manifest of the given
// text, or none.
func wheel(t *testing.T, manifest string) (runtimePath string) {
	t.Helper()
	dir := t.TempDir()
	runtimePath = filepath.Join(dir, "hydra-harness-runtime")
	rg, err := os.ReadFile(coretest.Ripgrep(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(runtimePath+ripgrep.Suffix, rg, 0o755))
	if manifest != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(manifest), 0o644))
	}
	return runtimePath
}

func manifestOf(t *testing.T, size int, digest string) string {
	t.Helper()
	rg := coretest.Ripgrep(t)
	if digest == "" {
		var err error
		digest, err = bundle.SHA256(rg)
		require.NoError(t, err)
	}
	info, err := os.Stat(rg)
	require.NoError(t, err)
	return fmt.Sprintf(`{"files":[{"name":"other","size":1,"sha256":"00"},{"name":"hydra-harness-runtime-rg","size":%d,"sha256":"%s"}]}`, int(info.Size())+size, digest)
}

func TestSidecarIsBesideItsRuntimeAndNowhereElse(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, os.Symlink(coretest.Ripgrep(t), filepath.Join(bin, "rg")))
	t.Setenv("PATH", bin)
	s := ripgrep.Locate("/nowhere/hydra-harness-runtime")
	assert.Equal(t, "/nowhere/hydra-harness-runtime-rg", s.Path(), "locating looks at nothing")
	p := problem(t, s.Check())
	assert.Equal(t, "missing", p.Code)
	assert.Equal(t, s.Path(), p.Path)
	assert.Equal(t, "the ripgrep sidecar /nowhere/hydra-harness-runtime-rg is missing: reinstall the package (a host rg is never used)", p.Error())
	assert.ErrorIs(t, p, fs.ErrNotExist)
}

func TestSidecarWithAManifest(t *testing.T) {
	for name, tc := range map[string]struct{ manifest, code, message string }{
		"none":          {"", "", ""},
		"right":         {manifestOf(t, 0, ""), "", ""},
		"another size":  {manifestOf(t, 1, ""), "digest", "is not the one this package was built with"},
		"another hash":  {manifestOf(t, 0, "00ff"), "digest", "expected 00ff...): reinstall the package"},
		"not listed":    {`{"files":[]}`, "manifest", "does not list hydra-harness-runtime-rg: reinstall the package"},
		"no JSON":       {`{`, "manifest", "cannot be read"},
		"another shape": {`{"files":{}}`, "manifest", "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			runtimePath := wheel(t, tc.manifest)
			err := ripgrep.Locate(runtimePath).Check()
			if tc.code == "" {
				require.NoError(t, err)
				return
			}
			p := problem(t, err)
			assert.Equal(t, tc.code, p.Code)
			assert.Contains(t, p.Error(), tc.message)
			assert.NoError(t, ripgrep.At(runtimePath+ripgrep.Suffix).Check(), "named by itself, no manifest vouches for it")
		})
	}
}

// A sidecar that is replaced while the runtime runs must match again.
func TestSidecarThatIsReplaced(t *testing.T) {
	runtimePath := wheel(t, manifestOf(t, 0, ""))
	s := ripgrep.Locate(runtimePath)
	require.NoError(t, s.Check())
	require.NoError(t, s.Check())
	path := runtimePath + ripgrep.Suffix
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text[len(text)-1] ^= 1
	require.NoError(t, os.WriteFile(path+".new", text, 0o755))
	require.NoError(t, os.Rename(path+".new", path))
	assert.Equal(t, "digest", problem(t, s.Check()).Code)
	require.NoError(t, os.Chmod(path, 0o600))
	assert.Equal(t, "mode", problem(t, s.Check()).Code)
	require.NoError(t, os.Remove(path))
	assert.Equal(t, "missing", problem(t, s.Check()).Code)
	require.NoError(t, os.Mkdir(path, 0o755))
	assert.Equal(t, "not-a-file", problem(t, s.Check()).Code)
}

// The bytes are read once for each state of the file, not for each call.
func TestSidecarIsReadOnce(t *testing.T) {
	runtimePath := wheel(t, manifestOf(t, 0, ""))
	s := ripgrep.Locate(runtimePath)
	require.NoError(t, s.Check())
	path := runtimePath + ripgrep.Suffix
	info, err := os.Stat(path)
	require.NoError(t, err)
	change := func() {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		text[len(text)-1] ^= 1
		require.NoError(t, os.WriteFile(path, text, 0o755))
	}
	// In the same state they are not read again ...
	was := bytesRead(t)
	require.NoError(t, s.Check())
	assert.Less(t, bytesRead(t)-was, info.Size())
	// ... and whoever puts the modification time back does not hide a change.
	change()
	require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime()))
	assert.Equal(t, "digest", problem(t, s.Check()).Code)
}

// bytesRead is how many bytes this process has read so far.
func bytesRead(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip("there is no /proc/self/io, which counts what a process reads")
	}
	var n int64
	_, err = fmt.Sscanf(string(text), "rchar: %d", &n)
	require.NoError(t, err)
	return n
}

// An upgrade puts another sidecar in place, with a manifest that is true: that
// of another release, which this runtime must not start.
func TestSidecarOfAnUpgrade(t *testing.T) {
	for name, tc := range map[string]struct {
		open   func(runtimePath string) *ripgrep.Sidecar
		before bool // a call came before the upgrade
		code   string
	}{
		"located, used before":  {ripgrep.Locate, true, "digest"},
		"located, first used":   {ripgrep.Locate, false, "digest"},
		"named, used before":    {at, true, "replaced"},
		"named, used first now": {at, false, "replaced"},
	} {
		t.Run(name, func(t *testing.T) {
			runtimePath := wheel(t, manifestOf(t, 0, ""))
			path := runtimePath + ripgrep.Suffix
			old, err := os.ReadFile(path)
			require.NoError(t, err)
			replace := func(text []byte) {
				require.NoError(t, os.WriteFile(path+".new", text, 0o755))
				require.NoError(t, os.Rename(path+".new", path))
			}
			s := tc.open(runtimePath)
			if tc.before {
				require.NoError(t, s.Check())
			}

			newer := append(slices.Clone(old), "newer"...)
			replace(newer)
			text := fmt.Sprintf(`{"version":"2","files":[{"name":%q,"size":%d,"sha256":"%x"}]}`, filepath.Base(path), len(newer), sha256.Sum256(newer))
			require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "manifest.json"), []byte(text), 0o644))
			p := problem(t, s.Check())
			assert.Equal(t, tc.code, p.Code)
			assert.Contains(t, p.Error(), "start the runtime again")
			require.NoError(t, tc.open(runtimePath).Check(), "a runtime that is started now takes it")

			replace(old)
			assert.NoError(t, s.Check(), "the same bytes in another file, as a reinstallation leaves them")
		})
	}
}

func at(runtimePath string) *ripgrep.Sidecar { return ripgrep.At(runtimePath + ripgrep.Suffix) }

// A sidecar for which no manifest vouches may be mended, not exchanged.
func TestSidecarThatIsNamed(t *testing.T) {
	runtimePath := wheel(t, "")
	path := runtimePath + ripgrep.Suffix
	require.NoError(t, os.Chmod(path, 0o600))
	s := ripgrep.At(path)
	assert.Equal(t, "mode", problem(t, s.Check()).Code)
	require.NoError(t, os.Chmod(path, 0o755))
	require.NoError(t, s.Check())
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
	assert.Equal(t, "replaced", problem(t, s.Check()).Code)

	require.NoError(t, os.Rename(path, path+".away"))
	s = ripgrep.At(path)
	assert.Equal(t, "missing", problem(t, s.Check()).Code)
	require.NoError(t, os.Rename(path+".away", path))
	assert.NoError(t, s.Check(), "there was none that could have been meant")
}

func TestSidecarOfAnotherMachine(t *testing.T) {
	rg, err := os.ReadFile(coretest.Ripgrep(t))
	require.NoError(t, err)
	if string(rg[:4]) != "\x7fELF" {
		t.Skip("the pinned ripgrep of this machine is no ELF file")
	}
	for name, tc := range map[string]struct {
		machine byte
		named   string
	}{
		"arm64": {183, "linux/arm64"}, "riscv": {243, "linux/EM_RISCV"},
	} {
		t.Run(name, func(t *testing.T) {
			other := append([]byte{}, rg...)
			other[18], other[19] = tc.machine, 0
			path := filepath.Join(t.TempDir(), "rt-rg")
			require.NoError(t, os.WriteFile(path, other, 0o755))
			p := problem(t, ripgrep.At(path).Check())
			assert.Equal(t, "platform", p.Code)
			assert.Contains(t, p.Error(), "is built for "+tc.named+", this machine is")
		})
	}
	// Apple's header.
	path := filepath.Join(t.TempDir(), "rt-rg")
	macho := make([]byte, 4096)
	copy(macho, "\xcf\xfa\xed\xfe\x0c\x00\x00\x01\x00\x00\x00\x00\x02\x00\x00\x00")
	require.NoError(t, os.WriteFile(path, macho, 0o755))
	assert.Contains(t, problem(t, ripgrep.At(path).Check()).Error(), "is built for darwin/arm64")
}

func TestSidecarWhoseFolderIsClosed(t *testing.T) {
	if !coretest.AsNobody(t) {
		return
	}
	runtimePath := wheel(t, "")
	coretest.Lock(t, filepath.Dir(runtimePath), 0)
	p := problem(t, ripgrep.Locate(runtimePath).Check())
	assert.Equal(t, "missing", p.Code)
	assert.Contains(t, p.Error(), "cannot be examined")
	assert.ErrorIs(t, p, fs.ErrPermission)
}
