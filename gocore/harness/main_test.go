package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/bundle"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

func TestMain(m *testing.M) {
	coretest.RunIfFake()
	os.Exit(m.Run())
}

// version is what the tests' runtimes say they are.
const version = "1.2.3"

// installed is a directory as a wheel fills it: a runtime, whose bytes do not
// matter, and a place for its sidecar.
type installed struct{ dir string }

func install(t *testing.T) installed {
	t.Helper()
	in := installed{coretest.Tree(t)}
	require.NoError(t, os.WriteFile(in.runtime(), []byte("a runtime"), 0o755))
	return in
}

func (in installed) runtime() string  { return filepath.Join(in.dir, "hydra-harness-runtime") }
func (in installed) sidecar() string  { return in.runtime() + "-rg" }
func (in installed) manifest() string { return filepath.Join(in.dir, "manifest.json") }

// real puts the pinned ripgrep in its place.
func (in installed) real(t *testing.T) installed {
	t.Helper()
	text, err := os.ReadFile(coretest.Ripgrep(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(in.sidecar(), text, 0o755))
	return in
}

// writeManifest lists what is installed, as it is now.
func (in installed) writeManifest(t *testing.T) installed {
	t.Helper()
	m := bundle.Manifest{Version: version}
	for _, path := range []string{in.runtime(), in.sidecar()} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		sum := sha256.Sum256(text)
		m.Files = append(m.Files, bundle.File{Name: filepath.Base(path), Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])})
	}
	text, err := json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(in.manifest(), text, 0o644))
	return in
}

// open makes a runtime of what is installed. Its spill folder is a fresh one.
func (in installed) open(t *testing.T, change ...func(*Options)) *Runtime {
	t.Helper()
	o := Options{RuntimePath: in.runtime(), Config: DefaultConfig(true), Environ: os.Environ(), Version: version}
	o.Config.SpillRoot = filepath.Join(coretest.Tree(t), "spill")
	for _, c := range change {
		c(&o)
	}
	r, err := Open(o)
	require.NoError(t, err)
	return r
}
