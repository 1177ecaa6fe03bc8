package spill

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// orphanGrace is how old a temporary file is before a sweep asks whether
	// its writer lives: longer than the moment between its making and its lock.
	orphanGrace = time.Minute
	// orphanAge replaces the question where the file system has no locks.
	orphanAge = 24 * time.Hour
)

// Sweep is Store's. It touches nothing but names of the store's own shape, in
// directories of that shape, and removes names only: a link goes, what it
// points to stays.
func (s *DirStore) Sweep(ctx context.Context, scope Scope) (Swept, error) {
	if err := stopped(ctx, "sweep"); err != nil {
		return Swept{}, err
	}
	root, err := s.openRoot("sweep", false)
	if err == errAbsent {
		return Swept{}, nil
	}
	if err != nil {
		return Swept{}, err
	}
	defer root.close()
	swept, err := s.sweep(ctx, root, scope)
	if err != nil {
		return swept, failed("sweep", describe("a part of the spill folder "+s.root+" could not be swept", err), err)
	}
	return swept, nil
}

func (s *DirStore) sweep(ctx context.Context, root *dirHandle, scope Scope) (Swept, error) {
	var swept Swept
	err := s.eachSession(ctx, root, scope, func(owner string, session *dirHandle) error {
		names, errs := session.names()
		left := 0
		for _, name := range names {
			gone, err := s.sweepEntry(session, name, &swept)
			if err != nil {
				errs = errors.Join(errs, err)
			}
			if !gone {
				left++
			}
		}
		if left == 0 && errs == nil {
			// A save that begins here at this moment keeps it, or makes it anew.
			_ = root.removeDir(sessionPrefix + owner)
		}
		return errs
	})
	return swept, err
}

// sweepEntry removes one entry if its time has come.
func (s *DirStore) sweepEntry(session *dirHandle, name string, swept *Swept) (gone bool, err error) {
	temp := strings.HasPrefix(name, tempPrefix)
	if !temp && resultName(name) == "" {
		swept.Foreign++
		return false, nil
	}
	st, err := session.lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if !isRegular(&st) {
		swept.Foreign++
		return false, nil
	}
	created, now := time.UnixMicro(modMicro(&st)), s.opts.now()
	due := s.opts.expired(created, now)
	if temp {
		age := now.Sub(created)
		due = age >= orphanGrace && !s.alive(session, name, age)
	}
	if due {
		err = session.remove(name)
		gone = err == nil || errors.Is(err, fs.ErrNotExist)
	}
	switch {
	case temp && gone:
		swept.Temps++
	case temp:
	case gone:
		swept.Removed++
		swept.RemovedBytes += st.Size
	default: // too young, or not to be removed
		swept.Kept++
		swept.KeptBytes += st.Size
	}
	if gone {
		return true, nil
	}
	return false, err
}

// alive reports whether a save still holds the temporary file's lock.
func (s *DirStore) alive(session *dirHandle, name string, age time.Duration) bool {
	f, err := session.open(name)
	if err != nil {
		return age < orphanAge // unreadable; but gone is gone
	}
	defer func() { _ = f.Close() }()
	err = again(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true
	}
	return err != nil && age < orphanAge
}
