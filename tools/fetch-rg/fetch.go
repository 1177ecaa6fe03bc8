package main

import (
	"context"
	"path/filepath"

	"github.com/hydraharness/harness-runtime/wheels"
)

// executableMode is what the sidecar is installed with.
const executableMode = 0o755

// fetcher turns a target into a verified sidecar on disk.
type fetcher struct {
	lock    Lock
	cache   cache
	npm     string // name or path of the npm client
	offline bool
	note    func(format string, args ...any)
}

// tarball returns the pinned package, from the cache when it has the right
// bytes, else through npm.
func (f fetcher) tarball(ctx context.Context, npmPackage string, pinned PinnedTarball) ([]byte, error) {
	spec := npmPackage + "@" + f.lock.PackageVersion
	cached, err := f.cache.get(pinned)
	if err != nil {
		if f.offline {
			return nil, err
		}
		f.note("going on without the cache: %v", err)
	}
	if cached != nil {
		bad := pinned.verify(cached, "the cached file "+f.cache.path(pinned))
		if bad == nil {
			return cached, nil
		}
		if f.offline {
			return nil, fail(CodeTarballDiffers, bad, "run once without --offline to replace it")
		}
		f.note("the cached copy of %s is damaged; fetching it again", spec)
	}
	if f.offline {
		return nil, fail(CodeNotCached, nil, "%s is not in the cache %s; run once without --offline", spec, f.cache.dir)
	}
	fresh, err := npmPack(ctx, f.npm, spec)
	if err != nil {
		return nil, err
	}
	if err := pinned.verify(fresh, spec); err != nil {
		return nil, err
	}
	if err := f.cache.put(pinned, fresh); err != nil {
		f.note("not kept for --offline: %v", err)
	}
	return fresh, nil
}

// fetch writes the sidecar for one target to dir/name, mode 0755, and returns
// its path. Nothing is written before every check has passed.
func (f fetcher) fetch(ctx context.Context, t wheels.Target, dir, name string) (string, error) {
	pinned, err := f.lock.pinned(t.NPMPackage)
	if err != nil {
		return "", err
	}
	what := t.NPMPackage + "@" + f.lock.PackageVersion
	tarball, err := f.tarball(ctx, t.NPMPackage, pinned.Tarball)
	if err != nil {
		return "", err
	}
	rg, err := takeMember(tarball, what)
	if err != nil {
		return "", err
	}
	if err := pinned.Rg.verify(rg, what); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, writeWhole(path, rg, executableMode)
}
