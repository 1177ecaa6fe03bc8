//go:build unix && !linux

package execenv

import "runtime"

// Darwin and the rest have no way to ask for the name of what a path reaches
// that also keeps clear of links that depend on the asker; the components are
// walked, and so every link is seen. Apple's default file systems ignore case.
var hostCapabilities = func() Capabilities {
	c := Capabilities{Authoritative: true, CanonicalStopsAtMagic: true, MaxLinks: DarwinMaxLinks, MaxPath: DarwinMaxPath}
	c.CaseInsensitive = runtime.GOOS == "darwin"
	return c
}()

func hostCanonical(path string) (string, error) {
	return hostWalk(path, func(dir, name string) bool { return dir == "/dev/fd" || dir == "/proc" })
}

func openDirNoLinks(dir string) (int, error) { return openDirPlain(dir) }
