package harness

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// find returns the finding of a name.
func find(t *testing.T, checks []Check, name string) Check {
	t.Helper()
	for _, c := range checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no finding %s in %+v", name, checks)
	return Check{}
}

func TestDoctorTellsOfAnotherRuntime(t *testing.T) {
	assert.Contains(t, checkOverride("/other", "/this").Detail, `HYDRA_HARNESS_RUNTIME is "/other": the clients in Python use that one, not this`)
	assert.Contains(t, checkOverride("/this", "/this").Detail, "chooses this runtime for the clients in Python")
}

func TestDoctorOfAWholeInstallation(t *testing.T) {
	t.Setenv(override, "")
	in := install(t).real(t).writeManifest(t)
	root := coretest.Tree(t)
	checks := in.open(t, func(o *Options) { o.Config.Roots = []string{root} }).Doctor(t.Context())
	for _, c := range checks {
		assert.True(t, c.OK, "%+v", c)
		assert.NotEmpty(t, c.Detail)
	}
	assert.Contains(t, find(t, checks, "runtime").Detail, "version "+version+", "+runtime.GOOS+"/"+runtime.GOARCH)
	assert.Equal(t, in.manifest()+": the runtime is as it was built", find(t, checks, "manifest").Detail)
	assert.Contains(t, find(t, checks, "ripgrep").Detail, "version 15.0.0, sha256 ")
	assert.Contains(t, find(t, checks, "search").Detail, "a grep of one file took ")
	assert.Equal(t, root, find(t, checks, "root").Detail)
	assert.Equal(t, "HYDRA_HARNESS_RUNTIME is not set", find(t, checks, "override").Detail)
	find(t, checks, "spill")
	find(t, checks, "processes")
}

// foreign is the head of an executable for another machine than this one.
func foreign() []byte {
	machine := byte(183) // EM_AARCH64
	if runtime.GOARCH == "arm64" {
		machine = 62 // EM_X86_64
	}
	head := make([]byte, 64)
	copy(head, "\x7fELF\x02\x01\x01")            // 64-bit, little-endian, version 1
	head[16], head[18], head[20] = 2, machine, 1 // an executable
	head[52] = 64                                // the size of this head
	return head
}

func TestDoctorOfABadSidecar(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, in installed)
		says    string
	}{
		{"missing", func(*testing.T, installed) {}, "is missing: reinstall the package"},
		{"not executable", func(t *testing.T, in installed) {
			require.NoError(t, os.Chmod(in.real(t).sidecar(), 0o644))
		}, "is not executable (mode 0644): run chmod +x on it"},
		{"a directory", func(t *testing.T, in installed) {
			require.NoError(t, os.Mkdir(in.sidecar(), 0o755))
		}, "is not a regular file"},
		{"for smaller pages", func(t *testing.T, in installed) {
			script := "#!/bin/sh\necho '<jemalloc>: Unsupported system page size' >&2\nkill -ABRT $$\n"
			require.NoError(t, os.WriteFile(in.sidecar(), []byte(script), 0o755))
		}, "installing it again does not help: run a kernel with pages of 4096 bytes"},
		{"for another machine", func(t *testing.T, in installed) {
			require.NoError(t, os.WriteFile(in.sidecar(), foreign(), 0o755))
		}, "install the package for this platform"},
		{"not what was built", func(t *testing.T, in installed) {
			in.real(t).writeManifest(t)
			text, err := os.ReadFile(in.sidecar())
			require.NoError(t, err)
			text[len(text)-1] ^= 1
			require.NoError(t, os.WriteFile(in.sidecar(), text, 0o755))
		}, "is not the one this package was built with"},
		{"of another size", func(t *testing.T, in installed) {
			in.real(t).writeManifest(t)
			file, err := os.OpenFile(in.sidecar(), os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = file.WriteString("more")
			require.NoError(t, err)
			require.NoError(t, file.Close())
		}, "is not the one this package was built with"},
		{"an unreadable manifest", func(t *testing.T, in installed) {
			require.NoError(t, os.WriteFile(in.real(t).manifest(), []byte("{"), 0o644))
		}, "cannot be read"},
		{"crashing", func(t *testing.T, in installed) {
			require.NoError(t, coretest.Fake{Signal: "KILL"}.Install(in.sidecar()))
		}, "was ended by a signal (killed)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := install(t)
			c.prepare(t, in)
			checks := in.open(t).Doctor(t.Context())
			for _, name := range []string{"ripgrep", "search"} {
				check := find(t, checks, name)
				assert.False(t, check.OK, "%+v", check)
			}
			assert.Contains(t, find(t, checks, "ripgrep").Detail, c.says)
			assert.True(t, find(t, checks, "spill").OK, "what works is told as well")
		})
	}
}

func TestDoctorOfABadManifest(t *testing.T) {
	t.Run("none", func(t *testing.T) {
		check := find(t, install(t).real(t).open(t).Doctor(t.Context()), "manifest")
		assert.True(t, check.OK)
		assert.Contains(t, check.Detail, "a build outside a wheel")
	})
	for name, c := range map[string]struct {
		prepare func(t *testing.T, in installed)
		says    string
	}{
		"broken": {func(t *testing.T, in installed) {
			require.NoError(t, os.WriteFile(in.manifest(), []byte("[]"), 0o644))
		}, "cannot be read"},
		"another version": {func(t *testing.T, in installed) {
			require.NoError(t, os.WriteFile(in.manifest(), []byte(`{"version":"9.9.9"}`), 0o644))
		}, "is of version 9.9.9, the runtime of version 1.2.3: reinstall the package"},
		"not listed": {func(t *testing.T, in installed) {
			require.NoError(t, os.WriteFile(in.manifest(), []byte(`{"version":"1.2.3","files":[]}`), 0o644))
		}, "does not list hydra-harness-runtime: reinstall the package"},
		"another runtime": {func(t *testing.T, in installed) {
			in.writeManifest(t)
			require.NoError(t, os.WriteFile(in.runtime(), []byte("b runtime"), 0o755))
		}, "hydra-harness-runtime is not the one this package was built with"},
		"no runtime": {func(t *testing.T, in installed) {
			in.writeManifest(t)
			require.NoError(t, os.Remove(in.runtime()))
		}, "the runtime cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			in := install(t).real(t)
			c.prepare(t, in)
			check := find(t, in.open(t).Doctor(t.Context()), "manifest")
			assert.False(t, check.OK)
			assert.Contains(t, check.Detail, c.says)
		})
	}
}

// A sidecar that answers but does not find is found out.
func TestDoctorSearches(t *testing.T) {
	in := install(t)
	require.NoError(t, coretest.Fake{Stdout: "ripgrep 15.0.0\n"}.Install(in.sidecar()))
	checks := in.open(t).Doctor(t.Context())
	assert.True(t, find(t, checks, "ripgrep").OK)
	assert.False(t, find(t, checks, "search").OK)
}

func TestDoctorOfThePlacesAround(t *testing.T) {
	base := coretest.Tree(t, "file: x")
	in := install(t).real(t)
	r := in.open(t, func(o *Options) {
		o.Config.Roots = []string{base + "/none"}
		o.Config.SpillRoot = base + "/file"
	})
	checks := r.Doctor(t.Context())
	assert.Contains(t, find(t, checks, "root").Detail, "no such file or directory: make it, or take it out of roots")
	assert.False(t, find(t, checks, "root").OK)
	assert.Contains(t, find(t, checks, "spill").Detail, "results that do not fit cannot be saved: ")
	assert.False(t, find(t, checks, "spill").OK)

	r = in.open(t, func(o *Options) { o.Config.Roots = []string{base + "/file"} })
	assert.Equal(t, Check{"root", false, base + "/file is not a directory: take it out of roots"}, find(t, r.Doctor(t.Context()), "root"))

	t.Setenv("TMPDIR", base+"/none")
	check := find(t, in.open(t).Doctor(t.Context()), "search")
	assert.False(t, check.OK)
	assert.Contains(t, check.Detail, "set TMPDIR to one that can be written")
}
