package bundle_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/bundle"
)

const whole = `{"version":"1.2.3","target":"linux","files":[{"name":"tool","size":3,"sha256":"ab","mode":"0755"}]}`

func beside(t *testing.T, text string) (*bundle.Manifest, error) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/"+bundle.ManifestName, []byte(text), 0o600))
	return bundle.Beside(dir + "/tool")
}

func TestAManifestIsRead(t *testing.T) {
	for _, text := range []string{whole, "\ufeff" + whole} {
		m, err := beside(t, text)
		require.NoError(t, err)
		assert.Equal(t, "1.2.3", m.Version)
		file, err := m.File("/anywhere/tool")
		require.NoError(t, err)
		assert.Equal(t, bundle.File{Name: "tool", Size: 3, SHA256: "ab"}, file)
		_, err = m.File("other")
		assert.ErrorContains(t, err, m.Path+" does not list other")
	}
}

func TestNoManifestPromisesNothing(t *testing.T) {
	m, err := bundle.Beside(t.TempDir() + "/tool")
	assert.NoError(t, err)
	assert.Nil(t, m)
}

func TestABrokenManifestIsNamed(t *testing.T) {
	for text, says := range map[string]string{
		``:                                    "it ends before its JSON does",
		`[]`:                                  "it is an array; write an object",
		`{"version":1}`:                       "version: it is a number; write a string",
		`{"files":[{"name":"a"}],"files":[]}`: "files: it is given twice",
		`{"Files":[]}`:                        "Files",
		`{"files":[{"name":"a","size":"3"}]}`: "files[0].size: it is a string; write a whole number",
		strings.Repeat(" ", 2<<20):            "it has more than",
	} {
		_, err := beside(t, text)
		assert.ErrorContains(t, err, says)
		assert.ErrorContains(t, err, bundle.ManifestName+" cannot be read")
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(dir+"/"+bundle.ManifestName, 0o755))
	_, err := bundle.Beside(dir + "/tool")
	assert.Error(t, err, "a directory is none")
}

func TestSHA256(t *testing.T) {
	path := t.TempDir() + "/empty"
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	digest, err := bundle.SHA256(path)
	require.NoError(t, err)
	assert.Equal(t, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", digest)
	_, err = bundle.SHA256(path + "none")
	assert.Error(t, err)
}
