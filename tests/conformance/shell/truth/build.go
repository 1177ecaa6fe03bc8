package truth

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// Build makes the tree of a case below a new directory of dir. The caller
// removes it with Remove.
func Build(dir string, c *Case) (*Stage, error) {
	base, err := os.MkdirTemp(dir, "shell-case-")
	if err != nil {
		return nil, err
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return nil, err
	}
	return BuildAt(base, c)
}

// BuildAt makes the tree of a case in a directory that is there and empty.
func BuildAt(base string, c *Case) (*Stage, error) {
	s := &Stage{Base: base, Root: base + "/root", Out: base + "/out"}
	if err := os.Chmod(base, 0o755); err != nil {
		return s, err
	}
	for _, d := range []string{s.Root, s.Out, s.Out + "/home", s.Out + "/tmp"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return s, err
		}
	}
	type mode struct {
		path string
		mode os.FileMode
	}
	var modes []mode
	for i := range c.Tree {
		e := &c.Tree[i]
		p := s.Fill(e.Path)
		if err := s.make(e, p); err != nil {
			return s, fmt.Errorf("%s: %s: %w", c.ID, p, err)
		}
		if e.Mode != "" {
			m, err := strconv.ParseUint(e.Mode, 8, 32)
			if err != nil {
				return s, err
			}
			modes = append(modes, mode{p, fileMode(m)})
		}
	}
	for _, m := range modes {
		if err := os.Chmod(m.path, m.mode); err != nil {
			return s, err
		}
	}
	return s, s.setUp(c)
}

// setUp runs the text that prepares the tree: what a repository or an archive
// holds is made by the programs themselves.
func (s *Stage) setUp(c *Case) error {
	if c.Setup == "" {
		return nil
	}
	if err := s.Do(c.Setup); err != nil {
		return fmt.Errorf("%s: the text that prepares the tree: %w", c.ID, err)
	}
	return nil
}

// Do runs a text in the tree that is none of the case's commands.
func (s *Stage) Do(text Text) error {
	cmd := exec.Command("bash", "--norc", "--noprofile", "-c", s.Fill(text))
	cmd.Dir = s.Root
	cmd.Env = []string{
		"PATH=/usr/bin:/bin", "HOME=" + s.Out + "/home", "LC_ALL=C", "USER=nobody", "TMPDIR=" + s.Out + "/tmp", "GIT_CONFIG_NOSYSTEM=1",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %.300s", err, out)
	}
	return nil
}

// Lacks names the programs that the case needs and that are not installed.
func (c *Case) Lacks() (gone []string) {
	for _, name := range c.Needs {
		if _, err := exec.LookPath(name); err != nil {
			gone = append(gone, name)
		}
	}
	return gone
}

// fileMode turns the bits of chmod(2) into Go's.
func fileMode(bits uint64) os.FileMode {
	m := os.FileMode(bits & 0o777)
	if bits&0o1000 != 0 {
		m |= os.ModeSticky
	}
	if bits&0o2000 != 0 {
		m |= os.ModeSetgid
	}
	if bits&0o4000 != 0 {
		m |= os.ModeSetuid
	}
	return m
}

func (s *Stage) make(e *Entry, p string) error {
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		return err
	}
	switch e.Type {
	case "dir":
		return os.MkdirAll(p, 0o755)
	case "", "file":
		content := "x\n"
		if e.Content != nil {
			content = s.Fill(*e.Content)
		}
		return os.WriteFile(p, []byte(content), 0o644)
	case "symlink":
		return os.Symlink(s.Fill(e.Target), p)
	case "hardlink":
		return os.Link(s.Fill(e.To), p)
	case "fifo":
		return makeFifo(p)
	case "manyfiles", "manydirs", "linkchain":
		return s.makeMany(e, p)
	}
	return fmt.Errorf("there is no kind of file %q", e.Type)
}

func (s *Stage) makeMany(e *Entry, p string) error {
	if err := os.MkdirAll(p, 0o755); err != nil {
		return err
	}
	prefix := e.Prefix
	for i := range e.Count {
		var err error
		switch e.Type {
		case "manyfiles":
			if prefix == "" {
				prefix = "f"
			}
			err = os.WriteFile(fmt.Sprintf("%s/%s%05d", p, prefix, i), nil, 0o644)
		case "manydirs":
			if prefix == "" {
				prefix = "d"
			}
			err = os.Mkdir(fmt.Sprintf("%s/%s%05d", p, prefix, i), 0o755)
		default:
			next := s.Fill(e.Target)
			if i+1 < e.Count {
				next = fmt.Sprintf("%s%02d", prefix, i+1)
			}
			err = os.Symlink(next, fmt.Sprintf("%s/%s%02d", p, prefix, i))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Mutate applies the changes of a case to its tree.
func (s *Stage) Mutate(c *Case) error {
	for _, m := range c.Mutate {
		p := s.Fill(m.Path)
		var err error
		switch m.Op {
		case "relink", "to-link", "remove":
			if err = os.RemoveAll(p); err == nil && m.Op != "remove" {
				err = os.Symlink(s.Fill(m.Target), p)
			}
		case "create":
			content := "x\n"
			if m.Content != nil {
				content = s.Fill(*m.Content)
			}
			if err = os.MkdirAll(filepath.Dir(p), 0o755); err == nil {
				err = os.WriteFile(p, []byte(content), 0o644)
			}
		case "mkdir":
			err = os.MkdirAll(p, 0o755)
		case "rename":
			err = os.Rename(p, s.Fill(m.To))
		case "chmod":
			var bits uint64
			if bits, err = strconv.ParseUint(m.Mode, 8, 32); err == nil {
				err = os.Chmod(p, fileMode(bits))
			}
		default:
			err = fmt.Errorf("there is no mutation %q", m.Op)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", c.ID, m.Op, err)
		}
	}
	return nil
}

// Remove deletes a tree, directories without permissions included.
func (s *Stage) Remove() {
	if s == nil || s.Base == "" {
		return
	}
	filepath.WalkDir(s.Base, func(p string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(p, 0o755)
		}
		return nil
	})
	os.RemoveAll(s.Base)
}
