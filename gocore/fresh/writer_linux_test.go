package fresh_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// writer changes a tree in every way that programs have. It is another process:
// this test binary, started with writerVariable.
type writer struct {
	random *rand.Rand
	root   string
	aside  string // a folder outside the tree, on the same file system
	alias  string // the tree through a bind mount, or ""
	n      int
}

const writerVariable = "HYDRA_TEST_WRITER"

// kinds are the ways to write. What a burst does is chosen from the first ones.
var kinds = []string{
	"write", "append", "pwrite", "truncate", "grow", "rename", "replace", "mkdir-p", "rm-r", "mvdir", "mvdir-over", "unlink",
	"symlink", "chmod", "mtime-back", "same-size", "mmap", "tmpfile", "fallocate", "punch", "copy-range", "splice", "sendfile",
	"exchange", "out-and-in", "cp-r", "file-for-dir", "procfd", "mkfifo", "pwritev", "xattr",
	"link", "link-write", "git", "burst",
}

// bursting is how many of the kinds a burst chooses from: a link that is made,
// written through and removed within one is a hole that is documented.
const bursting = 31

// runWriter obeys one line of standard input after the other.
func runWriter(args string) {
	var seed uint64
	w := &writer{}
	parts := filepath.SplitList(args)
	seed, _ = strconv.ParseUint(parts[0], 10, 64)
	w.random, w.root, w.aside, w.alias = rand.New(rand.NewPCG(seed, 7)), parts[1], parts[2], parts[3]
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		kind := in.Text()
		if kind == "" {
			kind = kinds[w.random.IntN(len(kinds))]
		}
		w.do(kind)
		fmt.Println(kind)
	}
}

func (w *writer) text() []byte {
	w.n++
	return fmt.Appendf(nil, "version %d of %d\n", w.n, w.random.Uint64())
}

func (w *writer) base() string {
	if w.alias != "" && w.random.IntN(2) == 0 {
		return w.alias
	}
	return w.root
}

// some returns an existing directory or file, or "".
func (w *writer) some(dirs bool) string {
	var all []string
	root := w.base()
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && path != root && d.IsDir() == dirs && (dirs || d.Type().IsRegular()) {
			all = append(all, path)
		}
		return nil
	})
	if len(all) == 0 {
		return ""
	}
	return all[w.random.IntN(len(all))]
}

func (w *writer) dir() string {
	if d := w.some(true); d != "" && w.random.IntN(6) > 0 {
		return d
	}
	return w.base()
}

func (w *writer) name() string { return fmt.Sprintf("n%d", w.random.IntN(12)) }

func (w *writer) place() string {
	return w.dir() + "/" + w.name() + []string{".go", ".txt", ""}[w.random.IntN(3)]
}

// edit opens an existing file, or nothing.
func (w *writer) edit(flags int, change func(f *os.File)) {
	if f, err := os.OpenFile(w.some(false), flags, 0); err == nil {
		change(f)
		f.Close()
	}
}

func (w *writer) do(kind string) {
	if w.n++; w.n%20 == 0 {
		w.prune()
	}
	if do, ok := simple[kind]; ok {
		do(w)
		return
	}
	switch kind {
	case "git":
		w.git()
	case "burst":
		for range 2 + w.random.IntN(10) {
			w.do(kinds[w.random.IntN(bursting)])
		}
	}
}

// prune keeps the tree small.
func (w *writer) prune() {
	n := 0
	_ = filepath.WalkDir(w.root, func(string, fs.DirEntry, error) error { n++; return nil })
	for n > 120 {
		dir := w.some(true)
		if dir == "" {
			return
		}
		os.RemoveAll(dir)
		n -= 40
	}
}

// simple are the kinds of one step. Their errors are of no concern: whatever the
// kernel made of it is right.
var simple = map[string]func(w *writer){
	"write":    func(w *writer) { os.WriteFile(w.place(), w.text(), 0o644) },
	"append":   func(w *writer) { w.edit(os.O_APPEND|os.O_WRONLY, func(f *os.File) { f.Write(w.text()) }) },
	"pwrite":   func(w *writer) { w.edit(os.O_WRONLY, func(f *os.File) { f.WriteAt(w.text(), w.random.Int64N(5)) }) },
	"truncate": func(w *writer) { os.Truncate(w.some(false), w.random.Int64N(9)) },
	"grow":     func(w *writer) { os.Truncate(w.some(false), 20+w.random.Int64N(50)) },
	"rename":   func(w *writer) { os.Rename(w.some(false), w.place()) },
	"replace": func(w *writer) {
		to := w.place()
		os.WriteFile(to+".tmp", w.text(), 0o600)
		os.Rename(to+".tmp", to)
	},
	"mkdir-p": func(w *writer) {
		d := w.dir() + "/" + w.name() + "/" + w.name() + "/" + w.name()
		os.MkdirAll(d, 0o755)
		os.WriteFile(d+"/f.txt", w.text(), 0o644)
		os.WriteFile(filepath.Dir(d)+"/g.txt", w.text(), 0o644)
	},
	"rm-r": func(w *writer) {
		if d := w.some(true); d != "" && w.random.IntN(3) == 0 {
			os.RemoveAll(d)
		}
	},
	"mvdir": func(w *writer) { os.Rename(w.some(true), w.dir()+"/"+w.name()) },
	"mvdir-over": func(w *writer) {
		d := w.dir() + "/" + w.name()
		os.Mkdir(d, 0o755)
		os.Rename(w.some(true), d)
	},
	"unlink": func(w *writer) { os.Remove(w.some(false)) },
	"symlink": func(w *writer) {
		at := w.place()
		os.Remove(at)
		os.Symlink([]string{"/etc/passwd", "f.txt", "..", "nowhere"}[w.random.IntN(4)], at)
	},
	"chmod": func(w *writer) { os.Chmod(w.some(false), []fs.FileMode{0o644, 0o600, 0}[w.random.IntN(3)]) },
	"mtime-back": func(w *writer) {
		at := w.some(false)
		if at == "" {
			return
		}
		os.WriteFile(at, w.text(), 0o644)
		os.Chtimes(at, time.Unix(1e9, 0), time.Unix(1e9, 0))
	},
	"same-size": func(w *writer) {
		w.edit(os.O_RDWR, func(f *os.File) {
			var b [1]byte
			info, err := f.Stat()
			if _, short := f.ReadAt(b[:], 0); err != nil || short != nil {
				return
			}
			b[0] ^= 1
			f.WriteAt(b[:], 0)
			os.Chtimes(f.Name(), info.ModTime(), info.ModTime())
		})
	},
	"mmap": func(w *writer) {
		w.edit(os.O_RDWR, func(f *os.File) {
			f.Truncate(100)
			if m, err := unix.Mmap(int(f.Fd()), 0, 100, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
				copy(m, w.text())
				unix.Munmap(m)
			}
		})
	},
	"tmpfile": func(w *writer) {
		d := w.dir()
		fd, err := unix.Open(d, unix.O_TMPFILE|unix.O_RDWR, 0o644)
		if err != nil {
			return
		}
		unix.Write(fd, w.text())
		unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, d+"/"+w.name()+".tf", unix.AT_SYMLINK_FOLLOW)
		if w.random.IntN(2) == 0 {
			unix.Write(fd, w.text())
		}
		unix.Close(fd)
	},
	"fallocate": func(w *writer) {
		w.edit(os.O_RDWR, func(f *os.File) { unix.Fallocate(int(f.Fd()), 0, 0, 50+w.random.Int64N(50)) })
	},
	"punch": func(w *writer) {
		w.edit(os.O_RDWR, func(f *os.File) {
			unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, 3)
		})
	},
	"copy-range": func(w *writer) {
		w.pour(func(from, to int) { unix.CopyFileRange(from, nil, to, nil, 1000, 0) })
	},
	"sendfile": func(w *writer) { w.pour(func(from, to int) { unix.Sendfile(to, from, nil, 1000) }) },
	"splice": func(w *writer) {
		w.pour(func(_, to int) {
			var p [2]int
			unix.Pipe(p[:])
			unix.Write(p[1], w.text())
			unix.Splice(p[0], nil, to, nil, 10, 0)
			unix.Close(p[0])
			unix.Close(p[1])
		})
	},
	"exchange": func(w *writer) {
		a, b := w.some(w.random.IntN(2) == 0), w.some(w.random.IntN(2) == 0)
		unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	},
	"out-and-in": func(w *writer) {
		d := w.some(true)
		if d == "" {
			return
		}
		away := fmt.Sprintf("%s/moved%d", w.aside, w.random.IntN(3))
		os.RemoveAll(away)
		os.Rename(d, away)
		os.Remove(away + "/n1.txt") // which may have another name in the tree: a hole that is documented
		os.WriteFile(away+"/n1.txt", w.text(), 0o644)
		if w.random.IntN(2) == 0 {
			os.Rename(away, w.dir()+"/"+w.name())
		}
	},
	"cp-r": func(w *writer) {
		if d := w.some(true); d != "" {
			exec.Command("cp", "-r", d, w.dir()+"/"+w.name()).Run()
		}
	},
	"file-for-dir": func(w *writer) {
		if d := w.some(true); d != "" && w.random.IntN(4) == 0 {
			os.RemoveAll(d)
			os.WriteFile(d, w.text(), 0o644)
		}
	},
	"procfd": func(w *writer) {
		w.edit(os.O_RDONLY, func(f *os.File) {
			if g, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), os.O_WRONLY, 0); err == nil {
				g.WriteAt(w.text(), 0)
				g.Close()
			}
		})
	},
	"mkfifo": func(w *writer) { unix.Mkfifo(w.place()+".fifo", 0o644) },
	"pwritev": func(w *writer) {
		w.edit(os.O_WRONLY, func(f *os.File) {
			unix.Pwritev(int(f.Fd()), [][]byte{w.text(), w.text()}, w.random.Int64N(3))
		})
	},
	"xattr": func(w *writer) { unix.Setxattr(w.some(false), "user.x", w.text(), 0) },
	"link":  func(w *writer) { os.Link(w.some(false), w.place()) },
	"link-write": func(w *writer) {
		to := w.place()
		os.Link(w.some(false), to)
		if f, err := os.OpenFile(to, os.O_WRONLY, 0); err == nil {
			f.WriteAt(w.text(), 0)
			f.Close()
		}
	},
}

// pour fills a new file from another in the kernel.
func (w *writer) pour(copy func(from, to int)) {
	source := w.aside + "/source"
	os.WriteFile(source, w.text(), 0o644)
	from, err := os.Open(source)
	if err != nil {
		return
	}
	defer from.Close()
	if to, err := os.OpenFile(w.place(), os.O_RDWR|os.O_CREATE, 0o644); err == nil {
		copy(int(from.Fd()), int(to.Fd()))
		to.Close()
	}
}

// git changes between three branches of a repository in the tree.
func (w *writer) git() {
	repo := w.root + "/repo"
	run := func(args ...string) {
		c := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@y"}, args...)...)
		c.Dir = repo
		c.Run()
	}
	if _, err := os.Stat(repo + "/.git"); err != nil {
		os.MkdirAll(repo, 0o755)
		run("init", "-q", "-b", "main")
		for branch := range 3 {
			run("checkout", "-q", "-b", fmt.Sprintf("b%d", branch))
			for k := range 5 {
				os.MkdirAll(fmt.Sprintf("%s/d%d", repo, k*branch), 0o755)
				os.WriteFile(fmt.Sprintf("%s/d%d/f%d.go", repo, k*branch, k), w.text(), 0o644)
			}
			run("add", "-A")
			run("commit", "-qm", "x")
		}
	}
	run("checkout", "-q", "-f", fmt.Sprintf("b%d", w.random.IntN(3)))
}
