package establish

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
)

// randomTree fills dir with directories, files and links of every kind a
// workspace can hold: relative, absolute, up and out, dangling, looping, long
// chains, with slashes and dots in their texts.
func randomTree(t testing.TB, r *rand.Rand, dir string) (names []string) {
	names = []string{"a", "b", "c", "d", "e", "l", "m", "n", "x", "y"}
	var dirs []string
	var grow func(at string, depth int)
	grow = func(at string, depth int) {
		dirs = append(dirs, at)
		for _, n := range names {
			p := at + "/" + n
			switch r.IntN(6) {
			case 0:
				require.NoError(t, os.WriteFile(p, nil, 0o644))
			case 1:
				if depth < 3 {
					require.NoError(t, os.Mkdir(p, 0o755))
					grow(p, depth+1)
				}
			case 2, 3:
				require.NoError(t, os.Symlink(randomPath(r, names, dirs, dir, 4), p))
			}
		}
	}
	grow(dir, 0)
	for i := range 45 {
		next := fmt.Sprintf("k%02d", i+1)
		if i == 44 {
			next = "a"
		}
		require.NoError(t, os.Symlink(next, fmt.Sprintf("%s/k%02d", dir, i)))
	}
	return append(names, "k03", "k04", "k05", "k06", "k20", "k44", strings.Repeat("n", 256))
}

// randomPath is relative or, now and then, absolute.
func randomPath(r *rand.Rand, names, dirs []string, root string, most int) string {
	var b strings.Builder
	if r.IntN(8) == 0 {
		b.WriteString(dirs[r.IntN(len(dirs))] + "/")
	}
	for n := 1 + r.IntN(most); n > 0; n-- {
		switch r.IntN(9) {
		case 0, 1:
			b.WriteString("..")
		case 2:
			b.WriteString(".")
		default:
			b.WriteString(names[r.IntN(len(names))])
		}
		if n > 1 || r.IntN(10) == 0 {
			b.WriteString("/")
		}
		if r.IntN(20) == 0 {
			b.WriteString("/")
		}
	}
	return b.String()
}

// kernelOpen is the kernel's own name for what a path leads to.
func kernelOpen(path string, flags int) (string, error) {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
}

// The walk against the kernel's: existing targets, dangling writes that are
// really made, entries that are not followed.
func TestOracleWalk(t *testing.T) {
	total := oracleCount(t, "ESTABLISH_ORACLE_PATHS", 6000)
	const perTree = 10_000
	r := rand.New(rand.NewPCG(oracleSeed(t), 12))
	var existing, created, entries, failed int
	for done := 0; done < total; {
		base, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		root := base + "/r"
		require.NoError(t, os.MkdirAll(root+"/w", 0o755))
		names := randomTree(t, r, root)
		dirs := []string{root, base}
		run := newRun(context.Background(), execenv.Host{}, &Boundary{}, defaultBounds)
		from := resolve.Dir{Base: root + "/w", State: Canonical}
		t.Chdir(from.Base)
		for range min(perTree, total-done) {
			done++
			word := randomPath(r, names, dirs, root, 7)
			got, err := run.resolve(&from, word, resolve.Options{Follow: true, Record: true})
			require.NoError(t, err)
			want, kerr := kernelOpen(word, unix.O_PATH)
			if !sameAsKernel(got, want, kerr) {
				t.Fatalf("%q: kernel %q %v, walk %+v", word, want, kerr, got)
			}
			short, err := run.resolve(&from, word, resolve.Options{Follow: true})
			require.NoError(t, err)
			if short.Path != got.Path || short.State != got.State || short.Tail != got.Tail {
				t.Fatalf("%q: the short way says %+v, the walk %+v", word, short, got)
			}
			switch {
			case kerr == nil:
				existing++
			case kerr == unix.ENOENT:
				if made, err := kernelOpen(word, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY); err == nil {
					// O_EXCL does not follow; the plain open below does.
					require.NoError(t, os.Remove(made))
				}
				if made, err := kernelOpen(word, unix.O_CREAT|unix.O_WRONLY); err == nil {
					created++
					require.NoError(t, os.Remove(made))
					if got.Path != made || got.State != AbsentTail {
						t.Fatalf("%q: a write lands at %q, walk %+v", word, made, got)
					}
				}
			default:
				failed++
			}
			entry, err := run.resolve(&from, word, resolve.Options{Record: true})
			require.NoError(t, err)
			kentry, kerr := kernelOpen(word, unix.O_PATH|unix.O_NOFOLLOW)
			if kerr == nil && (entry.Path != kentry || entry.State != Canonical) {
				t.Fatalf("%q: the entry is %q, walk %+v", word, kentry, entry)
			}
			if kerr == nil {
				entries++
			}
			quick, err := run.resolve(&from, word, resolve.Options{})
			require.NoError(t, err)
			if quick.Path != entry.Path || quick.State != entry.State {
				t.Fatalf("%q: the short way to the entry says %+v, the walk %+v", word, quick, entry)
			}
		}
		t.Chdir("/")
		require.NoError(t, os.RemoveAll(base))
	}
	t.Logf("%d paths: %d exist, %d writes created, %d entries, %d refused by the kernel", total, existing, created, entries, failed)
	assert.Positive(t, existing)
	assert.Positive(t, created)
	assert.Positive(t, failed)
}

// sameAsKernel compares a walk with what the kernel says of an open.
func sameAsKernel(got resolve.Place, want string, err error) bool {
	switch err {
	case nil:
		return got.State == Canonical && got.Path == want
	case unix.ENOENT:
		// After a missing component the kernel stops; the walk goes on for
		// programs that make directories.
		return got.State == AbsentTail && (got.Reason == NoReason || got.DotDot) || got.DotDot && got.State == Unestablishable
	case unix.ENOTDIR:
		return got.State == AbsentTail && got.Reason == NotDirectory
	case unix.ELOOP:
		return got.State == Unestablishable && got.Reason == LinkHops
	case unix.ENAMETOOLONG:
		return got.State == AbsentTail && got.Reason == PathTooLong && got.Path == ""
	}
	return false
}

// mkdir -p makes what is missing, so that a `..` behind it works: the landing
// of the walk is the directory it makes.
func TestOracleMkdir(t *testing.T) {
	mkdir, err := exec.LookPath("mkdir")
	if err != nil {
		t.Skip("no mkdir on this machine: the oracle for missing directories needs it")
	}
	r := rand.New(rand.NewPCG(oracleSeed(t), 6))
	compared := 0
	for i := range oracleCount(t, "ESTABLISH_ORACLE_MKDIR", 120) {
		base, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(base+"/out/d", 0o755))
		require.NoError(t, os.MkdirAll(base+"/r/s/t", 0o755))
		require.NoError(t, os.Symlink("../out/d", base+"/r/l"))
		require.NoError(t, os.Symlink("s/t", base+"/r/up"))
		var b strings.Builder
		for range 2 + r.IntN(5) {
			b.WriteString([]string{"..", "n", "m", "l", "up", "s", "..", "."}[r.IntN(8)] + "/")
		}
		word := strings.TrimSuffix(b.String(), "/") + "/n"
		run := newRun(context.Background(), execenv.Host{}, &Boundary{}, defaultBounds)
		from := resolve.Dir{Base: base + "/r", State: Canonical}
		got, err := run.resolve(&from, word, resolve.Options{})
		require.NoError(t, err)
		cmd := exec.Command(mkdir, "-p", "--", word)
		cmd.Dir = from.Base
		if cmd.Run() != nil {
			continue
		}
		after, err := filepath.EvalSymlinks(from.Base + "/" + word)
		require.NoError(t, err)
		compared++
		assert.Equal(t, after, got.Path, "case %d: mkdir -p %s", i, word)
	}
	assert.Positive(t, compared)
}
