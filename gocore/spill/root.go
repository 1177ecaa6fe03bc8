package spill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// folder is where saved results lie below a state home.
const folder = "hydra-harness/spill"

// DefaultRoot is the spill folder when none is configured: below the state home
// of the XDG base directory specification, which is XDG_STATE_HOME, else
// .local/state below the home (HOME, else the account's). Only an account
// without a home gets a folder below /tmp: there anybody may have made it
// first, and it may be memory. getenv is os.Getenv or the like. Variables that
// are not absolute paths count as unset, as the specification wants.
func DefaultRoot(getenv func(string) string) string {
	if base := getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, folder)
	}
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		home = accountHome()
	}
	if filepath.IsAbs(home) && filepath.Clean(home) != "/" {
		return filepath.Join(home, ".local/state", folder)
	}
	return "/tmp/hydra-harness-spill-" + strconv.Itoa(os.Geteuid())
}

// accountHome is the home of the account, "" when it is not known; tests
// replace it.
var accountHome = func() string {
	account, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil || account.HomeDir == "/nonexistent" { // what Debian gives accounts without one
		return ""
	}
	return account.HomeDir
}

// checkRootName refuses a root whose locators could not stand in a page.
func checkRootName(root string) error {
	switch {
	case !filepath.IsAbs(root):
		return badOption(fmt.Sprintf("the spill folder %q is not an absolute path; give one", root))
	case filepath.Clean(root) == "/":
		return badOption("the spill folder is the root directory; give a folder of its own")
	case !utf8.ValidString(root) || strings.ContainsFunc(root, func(r rune) bool { return !unicode.IsPrint(r) }):
		return badOption(fmt.Sprintf("the spill folder %q cannot be shown as one line of text, as a locator must be; choose another", root))
	}
	return nil
}

// openRoot opens the folder anew for every operation and checks it every
// time, so that a store holds no descriptor, does not keep a file system from
// being unmounted, and notices what was done to the folder since.
//
// With create a missing folder is made. But a folder that was there and is not
// any more (cleaned up, unmounted) fails that save, by name: writing into
// whatever now lies beneath is no answer. The save after it begins afresh.
//
// Without create a folder that never was is errAbsent.
func (s *DirStore) openRoot(op string, create bool) (*dirHandle, error) {
	seen := s.seen.Load() // before the look: a first save may make the folder right behind it
	root, err := openDir(s.root)
	if errors.Is(err, fs.ErrNotExist) {
		if seen {
			if create {
				s.seen.Store(false)
			}
			return nil, failed(op, "the spill folder "+s.root+" is gone", err)
		}
		if !create {
			return nil, errAbsent
		}
		if err := makeRoot(s.root); err != nil {
			return nil, failed(op, describe("the spill folder "+s.root+" cannot be made", err), err)
		}
		root, err = openDir(s.root)
	}
	if isLinkError(err) {
		return nil, failed(op, "the spill folder "+s.root+" is a symbolic link or no directory; configure the directory itself", err)
	}
	if err != nil {
		return nil, failed(op, describe("the spill folder "+s.root+" cannot be opened", err), err)
	}
	if err := s.checkRoot(op, root); err != nil {
		root.close()
		return nil, err
	}
	s.seen.Store(true)
	return root, nil
}

func makeRoot(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return err
	}
	err := os.Mkdir(path, dirMode)
	if errors.Is(err, fs.ErrExist) { // another process was first
		return nil
	}
	return err
}

// checkRoot trusts a folder only when no other user can change what is in it.
func (s *DirStore) checkRoot(op string, root *dirHandle) error {
	st, err := root.stat()
	if err != nil {
		return failed(op, "the spill folder "+s.root+" cannot be examined", err)
	}
	if int(st.Uid) != s.uid {
		return failed(op, fmt.Sprintf("the spill folder %s belongs to user %d, not to user %d who runs this; change its owner or configure another spillRoot",
			s.root, st.Uid, s.uid), unix.EPERM)
	}
	if perm(&st)&0o022 != 0 {
		return failed(op, fmt.Sprintf("the spill folder %s may be written by other users (mode %04o); run chmod go-w on it or configure another spillRoot",
			s.root, perm(&st)), unix.EPERM)
	}
	return nil
}

const sessionPrefix = "session-"

// sessionOwner is the owner key in the name of a session's directory.
func sessionOwner(name string) (string, bool) {
	owner, ok := strings.CutPrefix(name, sessionPrefix)
	return owner, ok && len(owner) == ownerKeyDigits && isHex(owner)
}

// openSession opens a session's directory: a real one, of this user, that
// nobody else may enter. A mode that was loosened is tightened.
func (s *DirStore) openSession(root *dirHandle, owner string) (*dirHandle, error) {
	name := sessionPrefix + owner
	d, err := root.openDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errAbsent
	}
	if err != nil {
		return nil, err
	}
	st, err := d.stat()
	if err == nil && int(st.Uid) != s.uid {
		err = fmt.Errorf("%s belongs to user %d: %w", name, st.Uid, unix.EPERM)
	}
	if err == nil && perm(&st)&0o077 != 0 {
		if err = d.f.Chmod(dirMode); errors.Is(err, unix.EROFS) {
			err = nil // the files have modes of their own
		}
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}
