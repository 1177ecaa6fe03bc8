//go:build unix

package execenv

import (
	"strings"

	"golang.org/x/sys/unix"
)

// hostWalk resolves a path one component at a time, by the kernel's rules. It
// serves where the kernel cannot be asked in one go. magic tells the links that
// must not be passed.
func hostWalk(path string, magic func(dir, name string) bool) (string, error) {
	caps := hostCapabilities
	fail := func(p Problem) (string, error) {
		return "", &Error{Problem: p, Op: "canonical", Path: path}
	}
	if len(path) > caps.PathBytes() {
		return fail(TooLong)
	}
	cur, rest, links := "", strings.TrimLeft(path, "/"), 0
	for rest != "" {
		name, after, more := strings.Cut(rest, "/")
		rest = strings.TrimLeft(after, "/")
		switch name {
		case ".":
			continue
		case "..":
			cur = cur[:max(strings.LastIndexByte(cur, '/'), 0)]
			continue
		}
		entry := cur + "/" + name
		kind, err := hostLstat(entry)
		if err != nil {
			return "", failed("canonical", path, err)
		}
		switch {
		case kind == Link:
			if links++; links > caps.Links() || magic(cur, name) {
				return fail(Loop)
			}
			text, err := hostReadLink(entry)
			if err != nil {
				return "", failed("canonical", path, err)
			}
			if text == "" {
				return fail(NotExist)
			}
			if text[0] == '/' {
				cur = ""
			}
			if more {
				text += "/" + rest
			}
			// A slash at the end of what is left still demands a directory.
			rest = strings.TrimLeft(text, "/")
		case kind == Dir:
			cur = entry
		case more:
			return fail(NotDir)
		default:
			cur = entry
		}
	}
	if cur == "" {
		return "/", nil
	}
	return cur, nil
}

// openDirPlain opens a directory whose last component is not followed.
func openDirPlain(dir string) (int, error) {
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		return err
	})
	return fd, err
}
