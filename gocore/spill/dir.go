package spill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// DirStore keeps saved results as private files below one folder. Any number of
// stores and processes of one user may share the folder. A DirStore holds
// nothing open, so there is nothing to close.
type DirStore struct {
	root string
	uid  int
	opts Options

	seen   atomic.Bool   // the folder was there once
	slots  chan struct{} // saves in progress
	commit chan struct{} // one at a time asks for room

	patience time.Duration // lockWait; shorter in tests
	step     func(string)  // tests stop a save here; nil otherwise
}

var _ Store = (*DirStore)(nil)

// OpenDirStore makes a store of the folder root and checks the folder at once.
func OpenDirStore(root string, opts Options) (*DirStore, error) {
	s, err := NewDirStore(root, opts)
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// NewDirStore makes a store of the folder root, an absolute path. It does not
// look at the folder: each operation does, so that what is mended works again.
// The error says what to change.
func NewDirStore(root string, opts Options) (*DirStore, error) {
	if err := checkRootName(root); err != nil {
		return nil, err
	}
	filled, err := opts.filled(func(_, locator string) string { return Hint("hydra-harness-runtime", locator) })
	if err != nil {
		return nil, err
	}
	return &DirStore{
		root: filepath.Clean(root), uid: os.Geteuid(), opts: filled,
		slots: make(chan struct{}, maxSaves), commit: make(chan struct{}, 1), patience: lockWait,
	}, nil
}

// Check looks at the folder: it must be a real directory that belongs to this
// user and that nobody else may write. A missing one is made with the first
// save. The error says what to change.
func (s *DirStore) Check() error {
	d, err := s.openRoot("open", false)
	if err == errAbsent {
		return nil
	}
	if err == nil {
		d.close()
	}
	return err
}

// Root is the folder of the store.
func (s *DirStore) Root() string { return s.root }

// Folder is where the saved results of a session lie; false when it has none, or
// when the folder is not one that the store would use.
func (s *DirStore) Folder(session string) (string, bool) {
	if session == "" {
		return "", false
	}
	key := ownerKey(session)
	d, err := s.session("open", key)
	if err != nil {
		return "", false
	}
	d.close()
	return s.root + "/" + sessionPrefix + key, true
}

// FolderName is the name of that folder.
func FolderName(session string) string { return sessionPrefix + ownerKey(session) }

func (s *DirStore) locator(owner, file string) string {
	return s.root + "/" + sessionPrefix + owner + "/" + file
}

// opened is a saved result that was found, checked and may be read.
type opened struct {
	f           *os.File
	st          unix.Stat_t
	owner, file string
	record      record
	known       bool
}

// find opens a saved result that the scope sees.
func (s *DirStore) find(ctx context.Context, op string, scope Scope, id string) (*opened, error) {
	if err := stopped(ctx, op); err != nil {
		return nil, err
	}
	owner, file, ok := splitID(id, s.root+"/"+sessionPrefix)
	if !ok || !scope.sees(owner) {
		return nil, notFound(op, id)
	}
	session, err := s.session(op, owner)
	if err == errAbsent {
		return nil, notFound(op, id)
	}
	if err != nil {
		return nil, err
	}
	defer session.close()
	o, err := s.open(session, scope, owner, file)
	if err == errAbsent {
		return nil, notFound(op, id)
	}
	if err != nil {
		return nil, failed(op, describe("the saved result "+owner+"/"+file+" cannot be read", err), err)
	}
	return o, nil
}

// session opens an owner's directory; a missing one is errAbsent.
func (s *DirStore) session(op, owner string) (*dirHandle, error) {
	root, err := s.openRoot(op, false)
	if err != nil {
		return nil, err
	}
	defer root.close()
	session, err := s.openSession(root, owner)
	if err != nil && err != errAbsent {
		return nil, failed(op, describe("the session's folder in "+s.root+" cannot be used", err), err)
	}
	return session, err
}

// errAbsent is "there is none", and nothing else: an *Error may wrap ENOENT
// for a folder that vanished, and that is a failure.
var errAbsent = errors.New("absent")

var errNotOurs = errors.New("it is not a plain file of the store's own: a link, or something else was put in its place")

// open takes a file only when it is what the store would have made: a regular
// file of this user under one name. errAbsent also means "another owner's".
func (s *DirStore) open(session *dirHandle, scope Scope, owner, file string) (*opened, error) {
	f, err := session.open(file)
	if isLinkError(err) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.EOPNOTSUPP) { // a link; a socket
		return nil, errNotOurs
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errAbsent
	}
	if err != nil {
		return nil, err
	}
	o := &opened{f: f, owner: owner, file: file}
	if o.st, err = fstat(f); err == nil && (!isRegular(&o.st) || int(o.st.Uid) != s.uid || o.st.Nlink > 1) {
		err = errNotOurs
	}
	if err == nil && o.st.Nlink == 0 { // deleted between the two calls
		err = errAbsent
	}
	if err == nil {
		o.record, o.known = readRecord(f)
		if o.known && !scope.all && o.record.OwnerSum != ownerSum(scope.session) {
			err = errAbsent
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return o, nil
}

// Read is Store's. It has the file open, so that neither a delete nor a sweep
// takes away what is being read.
func (s *DirStore) Read(ctx context.Context, scope Scope, id string, r Range, w io.Writer) (Extent, error) {
	if err := r.check(); err != nil {
		return Extent{}, err
	}
	o, err := s.find(ctx, "read", scope, id)
	if err != nil {
		return Extent{}, err
	}
	defer func() { _ = o.f.Close() }()
	return copyRange(ctx, o.f, o.st.Size, r, w)
}

// Stat is Store's.
func (s *DirStore) Stat(ctx context.Context, scope Scope, id string) (Result, error) {
	o, err := s.find(ctx, "stat", scope, id)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = o.f.Close() }()
	a := s.describe(scope, o.owner, o.file, &o.st, o.record, o.known)
	if a.Lines == UnknownLines {
		all, err := copyRange(ctx, o.f, o.st.Size, Lines(1, 0), io.Discard)
		if err != nil {
			return Result{}, err
		}
		a.Lines = all.Lines
	}
	return a, nil
}

// List is Store's. Beside an error the list holds what could be looked at.
func (s *DirStore) List(ctx context.Context, scope Scope) ([]Result, error) {
	list := []Result{}
	if err := stopped(ctx, "list"); err != nil {
		return list, err
	}
	root, err := s.openRoot("list", false)
	if err == errAbsent {
		return list, nil // nothing was ever saved
	}
	if err != nil {
		return list, err
	}
	defer root.close()
	err = s.eachSession(ctx, root, scope, func(owner string, session *dirHandle) error {
		names, err := session.names()
		for _, file := range names {
			if resultName(file) == "" {
				continue
			}
			o, openErr := s.open(session, scope, owner, file)
			if openErr == errAbsent || openErr == errNotOurs {
				continue // swept meanwhile, or planted
			}
			if openErr != nil {
				err = errors.Join(err, fmt.Errorf("%s/%s: %w", owner, file, openErr))
				continue
			}
			list = append(list, s.describe(scope, owner, file, &o.st, o.record, o.known))
			_ = o.f.Close()
		}
		return err
	})
	sortResults(list)
	if err != nil {
		return list, failed("list", describe("a part of the spill folder "+s.root+" could not be looked at", err), err)
	}
	return list, nil
}

// eachSession visits the session directories of a scope and joins the errors.
// What is no session directory is passed over.
func (s *DirStore) eachSession(ctx context.Context, root *dirHandle, scope Scope, visit func(owner string, session *dirHandle) error) error {
	var names []string
	var errs error
	switch {
	case scope.all:
		names, errs = root.names()
		slices.Sort(names)
	case scope.session != "":
		names = []string{sessionPrefix + ownerKey(scope.session)}
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return errors.Join(errs, fmt.Errorf("stopped: %w", err))
		}
		owner, ok := sessionOwner(name)
		if !ok {
			continue
		}
		session, err := s.openSession(root, owner)
		if err == errAbsent || isLinkError(err) {
			continue
		}
		if err == nil {
			err = visit(owner, session)
			session.close()
		}
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errs
}

// Delete is Store's.
func (s *DirStore) Delete(ctx context.Context, scope Scope, id string) error {
	o, err := s.find(ctx, "delete", scope, id)
	if err != nil {
		return err
	}
	_ = o.f.Close()
	session, err := s.session("delete", o.owner)
	if err == nil {
		if err = session.remove(o.file); errors.Is(err, fs.ErrNotExist) {
			err = errAbsent // somebody else was faster
		}
		session.close()
	}
	if err == errAbsent {
		return notFound("delete", id)
	}
	if err != nil {
		return failed("delete", describe("the saved result "+o.owner+"/"+o.file+" cannot be removed", err), err)
	}
	return nil
}

func sortResults(list []Result) {
	slices.SortFunc(list, func(a, b Result) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
}
