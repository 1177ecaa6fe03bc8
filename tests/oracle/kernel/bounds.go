//go:build linux

package kernel

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

// left are the places of the system that programs open for themselves, and that
// the promise leaves out: code, the loader's files, locales, time zones, what
// describes users, terminals and formats, the kernel's own files and devices. A
// name that ends in a slash stands for what is below it, and for itself.
var left = []string{
	"/usr/lib/", "/usr/lib64/", "/usr/libexec/", "/lib/", "/lib64/", "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/",
	"/usr/share/locale/", "/usr/share/zoneinfo/", "/usr/share/misc/", "/usr/share/file/", "/usr/share/terminfo/", "/usr/share/tabset/",
	"/usr/share/git-core/", "/usr/share/perl/", "/usr/share/perl5/", "/usr/share/awk/", "/usr/share/i18n/", "/usr/share/nls/",
	"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/locale.alias", "/etc/localtime", "/etc/timezone", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group",
	"/etc/host.conf", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/gai.conf", "/etc/services", "/etc/inputrc", "/etc/magic", "/etc/magic.mime",
	"/etc/terminfo/", "/etc/gitattributes", "/etc/gitconfig", "/etc/selinux/", "/etc/lesskey", "/etc/sysless", "/etc/syslesskey", "/etc/profile", "/etc/profile.d/", "/etc/bash.bashrc",
	"/etc/perl/", "/etc/mtab", "/etc/os-release", "/etc/debian_version", "/etc/alternatives/", "/usr/local/lib/",
	"/proc/", "/sys/", "/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom", "/dev/pts/", "/dev/shm/", "/dev/fd/", "/run/utmp", "/var/run/utmp", "/run/nscd/",
	"/run/systemd/", "/var/lib/nscd/", "/var/cache/", "/var/lib/usbutils/", "/",
}

// Left says whether a path outside the tree is one of the system's.
func Left(path string) bool {
	return slices.ContainsFunc(left, func(l string) bool {
		if l == "/" {
			return path == "/"
		}
		return path == strings.TrimSuffix(l, "/") || strings.HasSuffix(l, "/") && strings.HasPrefix(path, l)
	})
}

// Bounds are where a command may read and write, as paths.
type Bounds struct {
	Read, Write, Denied []string
	// Temp is the directory for temporary files.
	Temp string
}

// temporary fits the files that sort and tac make there for themselves, under
// names of their own making; docs/security.md tells of them.
var temporary = regexp.MustCompile(`^(sort|tac)[A-Za-z0-9]{6}$`)

// Touched is what lies beyond the bounds.
type Touched struct {
	Reads, Writes []string
}

// None reports that nothing does.
func (t *Touched) None() bool { return len(t.Reads)+len(t.Writes) == 0 }

// Outside picks what a command touched beyond the bounds.
func (b *Bounds) Outside(seen *truth.Seen) *Touched {
	t := &Touched{}
	for _, list := range [][]truth.Text{seen.Reads, seen.Dirs, seen.Execs, seen.LinkFrom} {
		for _, p := range list {
			p := string(p)
			if below(p, b.Denied) || !below(p, b.Read) && !below(p, b.Write) {
				t.Reads = append(t.Reads, p)
			}
		}
	}
	for _, p := range seen.Writes {
		p := string(p)
		if filepath.Dir(p) == b.Temp && temporary.MatchString(filepath.Base(p)) {
			continue
		}
		if !Left(p) && (below(p, b.Denied) || !below(p, b.Write)) {
			t.Writes = append(t.Writes, p)
		}
	}
	slices.Sort(t.Reads)
	slices.Sort(t.Writes)
	t.Reads, t.Writes = slices.Compact(t.Reads), slices.Compact(t.Writes)
	return t
}

func below(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return p == d || strings.HasPrefix(p, strings.TrimSuffix(d, "/")+"/") })
}
