//go:build linux

package main

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
	"github.com/hydraharness/harness-runtime/tests/oracle/engine"
	"github.com/hydraharness/harness-runtime/tests/oracle/family"
	"github.com/hydraharness/harness-runtime/tests/oracle/kernel"
)

// laneArgument starts this program as a lane.
const laneArgument = "lane"

// proof is the family of lines that are run without asking.
const proof = "proof"

// Places of a lane, in file systems of its own that are gone with it.
const (
	scratch = "/tmp"
	base    = scratch + "/world/b"
	traces  = scratch + "/world/traces"
	trees   = "size=2g,mode=1777"
)

// order is what a lane is asked for.
type order struct {
	Name string
	family.Options
	Every int
	Avoid string
	Block int // -1 asks how many there are
}

// answer is what it gives.
type answer struct {
	Blocks int
	engine.Result
}

// lanesHere is one for each processor: a lane waits for the processes it starts.
func lanesHere() int { return runtime.NumCPU() }

// unable says why nothing can be run here.
func unable() string {
	if os.Geteuid() != 0 {
		return "it needs root: it makes namespaces, and becomes an unprivileged user before it runs anything"
	}
	for _, name := range []string{"strace", "bash", "dash"} {
		if _, err := exec.LookPath(name); err != nil {
			return name + " is not installed"
		}
	}
	return ""
}

// process is a lane as its starter sees it.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	enc *gob.Encoder
	dec *gob.Decoder
}

// start starts a lane. It sees a network without anybody in it and file systems
// that nobody else sees.
func start() (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(self, laneArgument)}
	p.cmd.Stderr = os.Stderr
	p.cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "GOMAXPROCS=2"}
	p.cmd.Dir = "/"
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC, Pdeathsig: syscall.SIGKILL}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.enc, p.dec = gob.NewEncoder(p.in), gob.NewDecoder(out)
	return p, p.cmd.Start()
}

func (p *process) ask(o order) (*answer, error) {
	if err := p.enc.Encode(o); err != nil {
		return nil, fmt.Errorf("a lane takes no order: %w", err)
	}
	a := &answer{}
	if err := p.dec.Decode(a); err != nil {
		return nil, fmt.Errorf("a lane gave no answer to block %d of %s: %w", o.Block, o.Name, err)
	}
	return a, nil
}

func (p *process) stop() error {
	p.in.Close()
	return p.cmd.Wait()
}

// lane works on blocks until there is no order any more.
func lane() error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGHUP) // the starter ends lanes
	runtime.LockOSThread()                                 // rights are a thread's; this one starts all processes
	if err := seclude(); err != nil {
		return err
	}
	for _, dir := range []string{base, traces} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	e := &engine.Engine{Base: base, Scratch: []string{"/var/tmp", scratch + "/home"}, Runner: kernel.Runner{Traces: traces}}
	if err := e.Open(); err != nil {
		return err
	}
	in, out := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	var (
		f       family.Family
		current order
	)
	for {
		var o order
		if err := in.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if f == nil || o.Name != current.Name || o.Options != current.Options {
			var err error
			if f, err = family.New(o.Name, o.Options); err != nil {
				return err
			}
			current = o
		}
		a := answer{Blocks: f.Blocks()}
		if o.Block >= 0 {
			e.Every, e.Trust = o.Every, o.Name == proof
			b := f.Block(o.Block)
			if o.Avoid != "" {
				avoid := regexp.MustCompile(o.Avoid)
				b.Cases = slices.DeleteFunc(b.Cases, func(c family.Case) bool { return avoid.MatchString(c.Command) })
			}
			a.Result = *e.Block(b)
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
}

// seclude gives a lane file systems of its own, and takes its rights but for the
// one to number processes anew: who runs the commands is bound by permissions,
// and so is the gate that looks at what they name.
func seclude() error {
	for _, dir := range []string{scratch, "/var/tmp"} {
		if err := unix.Mount("oracle", dir, "tmpfs", 0, trees); err != nil {
			return fmt.Errorf("mount %s: %w", dir, err)
		}
	}
	for _, l := range []struct {
		what int
		most uint64
	}{{unix.RLIMIT_FSIZE, 64 << 20}, {unix.RLIMIT_CORE, 0}} {
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: l.most, Max: l.most}); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_KEEPCAPS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("keep a right: %w", err)
	}
	if err := truth.Unprivileged(); err != nil {
		return err
	}
	return keepNamespaces()
}
