package spill

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

const (
	tempPrefix = ".tmp-"

	// makeAttempts bounds how often a save begins again because a sweep removed
	// the session's empty directory in between, or a random name was taken.
	makeAttempts = 100
)

// SaveText is Store's. The bytes go to a temporary file, are flushed to the
// disk, and appear under their name in one rename.
func (s *DirStore) SaveText(ctx context.Context, meta Meta, content Content) (Result, error) {
	if err := saveChecked(meta, content); err != nil {
		return Result{}, err
	}
	if err := stopped(ctx, "save"); err != nil {
		return Result{}, err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return Result{}, stopped(ctx, "save")
	}
	d, err := s.begin(ownerKey(meta.Owner))
	if err != nil {
		return Result{}, err
	}
	defer d.end()
	saved, err := s.write(ctx, d, meta, content)
	if err != nil {
		return Result{}, failed("save", describe("the text could not be kept in "+s.root, err), err)
	}
	return saved, nil
}

// draft is a save in progress.
type draft struct {
	root, session *dirHandle
	f             *os.File
	owner, random string
}

func (d *draft) temp() string { return tempPrefix + d.random }

// end removes what did not become a saved result, also when a content panicked.
func (d *draft) end() {
	if d.f != nil {
		_ = d.session.remove(d.temp())
		d.release()
	}
	d.session.close()
	d.root.close()
}

// release closes the file, and with it gives up the lock. After a flush that
// succeeded a close has nothing left to fail on.
func (d *draft) release() {
	_ = d.f.Close()
	d.f = nil
}

// begin makes the session's directory and the temporary file.
func (s *DirStore) begin(owner string) (*draft, error) {
	root, err := s.openRoot("save", true)
	if err != nil {
		return nil, err
	}
	for range makeAttempts {
		var d *draft
		if d, err = s.draft(root, owner); err == nil {
			return d, nil
		}
		if err != errAbsent && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	root.close()
	if isLinkError(err) {
		err = errNotOurs
	}
	return nil, failed("save", describe("the session's folder in "+s.root+" cannot be used", err), err)
}

func (s *DirStore) draft(root *dirHandle, owner string) (*draft, error) {
	err := root.mkdir(sessionPrefix + owner)
	if err == nil {
		err = root.sync()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	session, err := s.openSession(root, owner)
	if err != nil {
		return nil, err
	}
	d := &draft{root: root, session: session, owner: owner, random: newRandom()}
	if d.f, err = session.create(d.temp()); err != nil {
		session.close()
		return nil, err
	}
	// The lock ends with the process, however it ends: a sweep that gets it
	// knows that nobody writes this file any more. Where the file system has no
	// locks, the sweep goes by age alone.
	_ = again(func() error { return unix.Flock(int(d.f.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	return d, nil
}

func (s *DirStore) write(ctx context.Context, d *draft, meta Meta, content Content) (Result, error) {
	s.at("created")
	sink := newSink(ctx, d.f, s.opts.MaxBytes)
	if err := sink.fill(content); err != nil {
		return Result{}, err
	}
	s.at("written")
	kept, now := meta.normal(), s.opts.now()
	record{
		OwnerSum: ownerSum(meta.Owner), Owner: clip(meta.Owner),
		Tool: kept.Tool, CallID: kept.CallID, Label: kept.Label,
		Bytes: sink.size, Lines: sink.lines(), Created: now.UnixMicro(),
	}.attach(d.f)
	// Where a file system takes no times the kernel's own, a moment ago, will do.
	_ = d.session.setTime(d.temp(), now.UnixMicro())
	if err := d.f.Sync(); err != nil {
		return Result{}, err
	}
	s.at("flushed")
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	file, err := s.publish(ctx, d, kept.Name, sink.size)
	if err != nil {
		return Result{}, err
	}
	s.at("renamed")
	if err := s.settle(d, file); err != nil {
		_ = d.session.remove(file)
		return Result{}, err
	}
	id := d.owner + "/" + file
	return Result{
		Ref: s.opts.ref(id, s.locator(d.owner, file)), Meta: kept,
		Bytes: sink.size, Lines: sink.lines(), Created: now,
	}, nil
}

// publish gives the text its name, if it fits under the quota. The question
// and the rename are one step for all processes that share the folder.
func (s *DirStore) publish(ctx context.Context, d *draft, name string, size int64) (string, error) {
	release, err := s.admit(ctx, d.root, size)
	if err != nil {
		return "", err
	}
	defer release()
	digits := d.random
	for range makeAttempts {
		file := digits + "-" + name
		// A rename would replace a saved result of that name.
		if _, err := d.session.lstat(file); err == nil {
			digits = newRandom()
			continue
		}
		return file, d.session.rename(d.temp(), file)
	}
	return "", fs.ErrExist
}

// settle makes the rename durable and makes sure that the locator leads to
// the very file: the folder may have been moved or replaced during the save.
func (s *DirStore) settle(d *draft, file string) error {
	if err := d.session.sync(); err != nil {
		return err
	}
	st, err := fstat(d.f)
	if err != nil {
		return err
	}
	var reached unix.Stat_t
	err = again(func() error { return unix.Lstat(s.locator(d.owner, file), &reached) })
	if err != nil || !sameFile(&st, &reached) {
		return &Error{Code: Failed, Op: "save", Message: "the spill folder " + s.root + " was removed or replaced meanwhile", Err: err}
	}
	d.release()
	return nil
}

func (s *DirStore) at(step string) {
	if s.step != nil {
		s.step(step)
	}
}
