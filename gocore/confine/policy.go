package confine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Level says which means of the kernel hold the program.
type Level string

const (
	// LevelBest is NS where the machine can, else LL where the policy can be
	// held by it.
	LevelBest Level = "best"
	// LevelNS is Landlock, seccomp and namespaces.
	LevelNS Level = "ns"
	// LevelLL is Landlock and seccomp.
	LevelLL Level = "ll"
)

// Net says which network there is inside.
type Net string

const (
	// NetNone is loopback of its own at LevelNS and nothing at LevelLL.
	NetNone Net = "none"
	// NetAll is the network of the machine.
	NetAll Net = "all"
)

// Policy is what a caller asks for: the roots and denied paths of the gate, and
// what only a sandbox has. The zero value lets nothing but the system's programs
// be read and nothing be written.
type Policy struct {
	// Roots may be read, WriteRoots read and written, each with all below it.
	Roots      []string `json:"roots,omitempty"`
	WriteRoots []string `json:"writeRoots,omitempty"`
	// DenyPaths are refused also inside the roots.
	DenyPaths []string `json:"denyPaths,omitempty"`
	// Home is the home directory, of which little is read; empty: HOME.
	Home string `json:"home,omitempty"`
	// HomeDenied are places below the home that are denied as DenyPaths are.
	HomeDenied []string `json:"-"`
	// Net is none unless it says otherwise.
	Net Net `json:"net,omitempty"`
	// Tmp and Cache are folders for TMPDIR and for caches of tools, made when
	// they are missing; empty: private ones, kept for these write roots.
	Tmp   string `json:"tmp,omitempty"`
	Cache string `json:"cache,omitempty"`
	// KeepEnv are variables that stay though they look like secrets.
	KeepEnv []string `json:"keepEnv,omitempty"`
	// UnixSockets lets Unix sockets be made, to anywhere.
	UnixSockets bool `json:"unixSockets,omitempty"`
	// Level is best unless it says otherwise.
	Level Level `json:"level,omitempty"`
}

// MaxPolicyBytes bounds a policy that is read from a file: 4,096 paths of 4 KiB,
// which is more than the rules that one start may have.
const MaxPolicyBytes = 16 << 20

// ReadPolicy reads a policy in its JSON form, strictly.
func ReadPolicy(r io.Reader) (Policy, error) {
	var p Policy
	text, err := io.ReadAll(io.LimitReader(r, MaxPolicyBytes+1))
	if err != nil {
		return p, err
	}
	if len(text) > MaxPolicyBytes {
		return p, fmt.Errorf("it has more than %d bytes", MaxPolicyBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return Policy{}, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Policy{}, errors.New("something stands behind the object; give one JSON object")
	}
	return p, p.check()
}

// Merge puts what another policy says on top of this one: lists grow, single
// values give way.
func (p Policy) Merge(other Policy) Policy {
	p.Roots = slices.Concat(p.Roots, other.Roots)
	p.WriteRoots = slices.Concat(p.WriteRoots, other.WriteRoots)
	p.DenyPaths = slices.Concat(p.DenyPaths, other.DenyPaths)
	p.KeepEnv = slices.Concat(p.KeepEnv, other.KeepEnv)
	p.UnixSockets = p.UnixSockets || other.UnixSockets
	for _, v := range []struct{ to, from *string }{
		{&p.Home, &other.Home}, {(*string)(&p.Net), (*string)(&other.Net)}, {&p.Tmp, &other.Tmp},
		{&p.Cache, &other.Cache}, {(*string)(&p.Level), (*string)(&other.Level)},
	} {
		if *v.from != "" {
			*v.to = *v.from
		}
	}
	return p
}

// check finds words that no policy has.
func (p Policy) check() error {
	if !slices.Contains([]Net{"", NetNone, NetAll}, p.Net) {
		return fmt.Errorf("net is none or all, not %q", p.Net)
	}
	if !slices.Contains([]Level{"", LevelBest, LevelNS, LevelLL}, p.Level) {
		return fmt.Errorf("level is best, ns or ll, not %q", p.Level)
	}
	return nil
}
