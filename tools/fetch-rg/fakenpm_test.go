package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The fake npm is this test binary: with fakeMode set it behaves as the npm
// client does for `npm pack NAME@VERSION`, serving tarballs from fakeStore.
const (
	fakeMode  = "FETCH_RG_FAKE_NPM"
	fakeStore = "FETCH_RG_FAKE_STORE"
	fakeLog   = "FETCH_RG_FAKE_LOG"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeMode); mode != "" {
		os.Exit(fakeNPM(mode, os.Args[1:]))
	}
	os.Exit(m.Run())
}

func fakeNPM(mode string, args []string) int {
	if len(args) != 6 || args[0] != "pack" || args[2] != "--json" || args[3] != "--ignore-scripts" || args[4] != "--pack-destination" {
		fmt.Fprintf(os.Stderr, "fake npm: unexpected arguments %q\n", args)
		return 64
	}
	spec, dest := args[1], args[5]
	if log := os.Getenv(fakeLog); log != "" {
		f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return 65
		}
		fmt.Fprintln(f, spec)
		f.Close()
	}
	switch mode {
	case "refuse":
		fmt.Printf(`{"error": {"code": "ETARGET", "summary": "No matching version found for %s."}}`, spec)
		return 1
	case "mumble":
		fmt.Fprintln(os.Stderr, strings.Repeat("x", 2*maxDiagnostic)+" the end")
		return 1
	case "nothing":
		return 0
	case "two":
		os.WriteFile(filepath.Join(dest, "other.tgz"), nil, 0o600)
	case "hang":
		// Says that it runs by making a file, then waits to be killed.
		os.WriteFile(os.Getenv(fakeStore), nil, 0o600)
		select {}
	}
	data, err := os.ReadFile(filepath.Join(os.Getenv(fakeStore), storeName(spec)))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.WriteFile(filepath.Join(dest, storeName(spec)), data, 0o600); err != nil {
		return 1
	}
	return 0
}

func storeName(spec string) string {
	return strings.NewReplacer("@", "", "/", "-").Replace(spec) + ".tgz"
}

// useFakeNPM returns the npm path to give to a fetcher.
func useFakeNPM(t *testing.T, mode, store string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(fakeMode, mode)
	t.Setenv(fakeStore, store)
	t.Setenv(fakeLog, filepath.Join(t.TempDir(), "calls"))
	return self
}

// fakeCalls lists the specs that the fake was asked for.
func fakeCalls(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(os.Getenv(fakeLog))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return strings.Fields(string(data))
}

func TestFakeNPMRefusesArgumentsOfAnotherForm(t *testing.T) {
	assert.Equal(t, 64, fakeNPM("serve", []string{"install", "x"}))
	assert.Equal(t, 64, fakeNPM("serve", []string{"pack", "x", "--json", "--pack-destination", "d", "y"}))
}
