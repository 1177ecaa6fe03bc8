//go:build linux

// Package oracle runs shell commands under strace and says what the kernel saw.
//
// It is the truth that plans and landings are held against: what was opened,
// listed, changed and run, by canonical path. Paths of the system itself (the
// loader, locales, /proc) are left out.
package oracle

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

// Available says why there is no oracle here; empty when there is one.
func Available() string {
	for _, tool := range []string{"strace", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			return tool + " is not installed"
		}
	}
	return ""
}

// system are the paths that any program opens.
var system = regexp.MustCompile(`^(/$|/usr/|/lib|/bin|/sbin|/etc/(ld\.so|locale|nsswitch|passwd|group|inputrc|magic|localtime|selinux|` +
	`terminfo|gai|host\.conf|resolv|subuid|userdb|gitattributes|perl|gitconfig|python|vim|mawk|ssl|alternatives|bash|profile|environment|default|mime)|` +
	`/proc/|/proc$|/dev/|/dev$|/sys/|/run/|/var/|/opt/|/tmp$|/nonexistent|/home$|/root)`)

// patience is how long one command may run; the commands that are generated
// take milliseconds.
const patience = 30 * time.Second

// Run runs the command of a case in its tree and fills in what was seen.
func Run(ctx context.Context, c *truth.Case, s *truth.Stage) (*truth.Seen, error) {
	traces, err := os.MkdirTemp(filepath.Dir(s.Base), "trace-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(traces)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	args := []string{"-ff", "-qq", "-y", "-s", "16384", "-e", "signal=none", "-e", "trace=%file,open,openat,openat2,creat,fchdir", "-o", traces + "/t"}
	if c.Shell == "dash" {
		args = append(args, "dash", "-c", s.Fill(c.Command))
	} else {
		args = append(args, "bash", "--norc", "--noprofile", "-c", s.Fill(c.Command))
	}
	links := linksBelow(s.Base)
	cmd := exec.CommandContext(ctx, "strace", args...)
	cmd.Dir = s.Fill(c.Cwd)
	for name, v := range s.Environment(c) {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	if c.Stdin != nil {
		cmd.Stdin = strings.NewReader(s.Fill(*c.Stdin))
	}
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%q ran longer than %v", c.Command, patience)
	}
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		return nil, fmt.Errorf("strace: %w: %.200s", err, out)
	}
	files, err := filepath.Glob(traces + "/t.*")
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("strace left no trace: %.200s", out)
	}
	r := Reader{Base: s.Base, Start: cmd.Dir, Links: links, Left: system.MatchString}
	return r.Read(files)
}

// Reader reads what strace wrote (-ff -qq -y).
type Reader struct {
	// Base is the tree, Start the directory that the command started in.
	Base, Start string
	// Links are the symbolic links of the tree before the run.
	Links map[string]string
	// Left says which paths outside of the tree are left out.
	Left func(path string) bool
	// Listed says that getdents64 was traced: a directory counts when it is
	// listed, and not when it is merely opened to be come back to.
	Listed bool
}

// Read reads the traces of the processes of one command.
func (o Reader) Read(files []string) (*truth.Seen, error) {
	r := &recorder{Reader: o, seen: map[string]bool{}, out: &truth.Seen{}}
	for _, f := range files {
		if err := r.file(f); err != nil {
			return nil, err
		}
	}
	return r.out, nil
}

// recorder is one reading.
type recorder struct {
	Reader
	cwd  string
	seen map[string]bool
	out  *truth.Seen
}

var (
	callLine = regexp.MustCompile(`(?s)^(\w+)\((.*)\)\s+= (-?\d+|\?)(?:<((?:[^>\\]|\\.)*)>)?(?: (E\w+).*)?$`)
	token    = regexp.MustCompile(`\s*(?:"((?:[^"\\]|\\.)*)"(?:\.\.\.)?|(AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>|([^,"<]+))`)
	atCwd    = regexp.MustCompile(`AT_FDCWD<((?:[^>\\]|\\.)*)>`)
)

// call is one system call, read.
type call struct {
	name   string
	strs   []string // quoted arguments
	fds    []string // what decorated descriptors lead to
	flags  string
	ok     bool
	result string // what the returned descriptor leads to
	errno  string
}

func (r *recorder) file(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	r.cwd = ""
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		line := lines.Text()
		if failed(line) {
			r.directory(line)
			continue
		}
		m := callLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		c := call{name: m[1], ok: m[3] != "-1" && m[3] != "?" && m[5] == "", result: unescape(m[4]), errno: m[5]}
		for _, t := range token.FindAllStringSubmatch(m[2], -1) {
			switch {
			case strings.HasPrefix(strings.TrimLeft(t[0], " "), `"`):
				c.strs = append(c.strs, unescape(t[1]))
			case t[2] != "":
				c.fds = append(c.fds, unescape(t[3]))
			default:
				c.flags += " " + strings.TrimSpace(t[4])
			}
		}
		r.directory(m[2])
		if c.ok {
			r.call(&c)
		}
	}
	return lines.Err()
}

// failed tells a call that failed, which most of a program's do while it looks
// for its libraries, without reading it.
func failed(line string) bool {
	i := strings.LastIndex(line, ") ")
	return i >= 0 && strings.HasPrefix(strings.TrimLeft(line[i+1:], " "), "= -1 E")
}

// directory takes the working directory from a call that shows it.
func (r *recorder) directory(line string) {
	if !strings.Contains(line, "AT_FDCWD<") {
		return
	}
	if w := atCwd.FindStringSubmatch(line); w != nil {
		r.cwd = unescape(w[1])
	}
}

func (r *recorder) add(list *[]truth.Text, kind, p string) {
	p = strings.TrimSuffix(p, " (deleted)")
	if !strings.HasPrefix(p, "/") || strings.HasPrefix(p, "/tmp/sh-thd.") {
		return
	}
	if p != r.Base && !strings.HasPrefix(p, r.Base+"/") && r.Left(p) {
		return
	}
	if key := kind + p; !r.seen[key] {
		r.seen[key] = true
		*list = append(*list, truth.Text(p))
	}
}

func (r *recorder) read(p string)  { r.add(&r.out.Reads, "r", p) }
func (r *recorder) list(p string)  { r.add(&r.out.Dirs, "d", p) }
func (r *recorder) write(p string) { r.add(&r.out.Writes, "w", p) }

func (r *recorder) call(c *call) {
	has := func(flag string) bool { return strings.Contains(c.flags, flag) }
	switch c.name {
	case "fchdir":
		if len(c.fds) > 0 {
			r.cwd = c.fds[0]
		}
	case "chdir":
		if len(c.strs) > 0 {
			r.cwd = r.landed(absolute(r.dir(&call{}, 0), c.strs[0]))
		}
	case "open", "openat", "openat2", "creat":
		switch info, err := os.Stat(c.result); {
		case has("O_PATH"):
		case has("O_WRONLY"), has("O_RDWR"), has("O_CREAT"), c.name == "creat":
			r.write(c.result)
		case has("O_DIRECTORY"), err == nil && info.IsDir():
			if !r.Listed {
				r.list(c.result)
			}
		default:
			r.read(c.result)
		}
	case "getdents64":
		if len(c.fds) > 0 {
			r.list(c.fds[0])
		}
	case "execve", "execveat":
		if len(c.strs) > 0 {
			if p := r.landed(absolute(r.dir(&call{}, 0), c.strs[0])); strings.HasPrefix(p, r.Base+"/") {
				r.add(&r.out.Execs, "x", p)
			}
		}
	case "rename", "renameat", "renameat2":
		if len(c.strs) == 2 {
			r.write(r.entryAt(c, 0, c.strs[0]))
			r.write(r.entryAt(c, 1, c.strs[1]))
		}
	case "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "mknod", "mknodat":
		if len(c.strs) > 0 {
			r.write(r.entryAt(c, 0, c.strs[0]))
		}
	case "symlink", "symlinkat":
		if len(c.strs) == 2 {
			r.write(r.entryAt(c, 0, c.strs[1]))
		}
	case "link", "linkat":
		if len(c.strs) == 2 {
			r.write(r.entryAt(c, 1, c.strs[1]))
			from := absolute(r.dir(c, 0), c.strs[0])
			if has("AT_SYMLINK_FOLLOW") {
				r.add(&r.out.LinkFrom, "l", r.landed(from))
			} else {
				r.add(&r.out.LinkFrom, "l", r.entry(from))
			}
		}
	case "truncate", "chmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchownat", "fchmod", "fchown", "ftruncate",
		"utimensat", "utime", "utimes", "futimesat":
		switch {
		case len(c.strs) > 0 && !strings.HasSuffix(c.strs[0], "/") && (has("AT_SYMLINK_NOFOLLOW") || c.name == "lchown"):
			r.write(r.entryAt(c, 0, c.strs[0]))
		case len(c.strs) > 0:
			r.write(r.landed(absolute(r.dir(c, 0), c.strs[0])))
		case len(c.fds) > 0:
			r.write(c.fds[0])
		}
	}
}

// unescape decodes strace's C strings.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'v':
			out = append(out, '\v')
		case 'f':
			out = append(out, '\f')
		case 'a':
			out = append(out, '\a')
		case 'x':
			v, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
			out = append(out, byte(v))
			i += 2
		case '0', '1', '2', '3', '4', '5', '6', '7':
			j := i
			for j < len(s) && j < i+3 && s[j] >= '0' && s[j] <= '7' {
				j++
			}
			v, _ := strconv.ParseUint(s[i:j], 8, 16)
			out = append(out, byte(v))
			i = j - 1
		default:
			out = append(out, c)
		}
	}
	return string(out)
}
