package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/hydraharness/harness-runtime/wheels"
)

// update fetches the given version for every target and returns the lock that
// pins it. host is the target this machine can run: its executable is asked for
// ripgrep's own version, which the packages do not say.
func update(ctx context.Context, npm, version string, targets []wheels.Target, host wheels.Target) (Lock, error) {
	lock := Lock{PackageVersion: version, Packages: map[string]Pinned{}}
	for _, t := range targets {
		spec := t.NPMPackage + "@" + version
		tarball, err := npmPack(ctx, npm, spec)
		if err != nil {
			return Lock{}, err
		}
		rg, err := takeMember(tarball, spec)
		if err != nil {
			return Lock{}, err
		}
		lock.Packages[t.NPMPackage] = pin(tarball, rg)
		if t.Name != host.Name {
			continue
		}
		if lock.RipgrepVersion, err = askVersion(ctx, rg); err != nil {
			return Lock{}, fail(CodeLock, err, "%s does not tell its ripgrep version", spec)
		}
	}
	return lock, nil
}

func askVersion(ctx context.Context, rg []byte) (string, error) {
	dir, err := os.MkdirTemp("", "fetch-rg-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rg")
	if err := writeWhole(path, rg, executableMode); err != nil {
		return "", err
	}
	return rgVersion(ctx, path)
}

// writeLock replaces the lock file, which must already be there: a wrong
// working directory must not grow a second lock.
func writeLock(path string, lock Lock) error {
	if _, err := os.Stat(path); err != nil {
		return fail(CodeUsage, err, "there is no lock to update at %s; run from the top of the repository or name the file with --lock", path)
	}
	data, err := json.MarshalIndent(lock, "", "  ")
	if err != nil {
		return fail(CodeLock, err, "the new lock cannot be written down")
	}
	return writeWhole(path, append(data, '\n'), 0o644)
}
