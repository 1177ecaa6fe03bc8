//go:build linux

// Package family enumerates command lines. Nothing here says which of them are
// dangerous: the kernel does.
//
// A family is a sequence of blocks, and what a block holds depends on the seed
// and its number alone, so that a run can be cut into shards, stopped and taken
// up again.
package family

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

// Case is one command line.
type Case struct {
	// Kind is what is tried: of many hits of one kind the first are recorded.
	// By is the row of the summary.
	Kind, By string
	Command  string
	// Shell is bash, dash or posix; empty is bash.
	Shell string
	// Env is put into the environment that the world gives.
	Env map[string]string
	// Between is a text that somebody else runs between the gate's look and
	// the one just before the start.
	Between string
	// Probe marks the cases that come first: where all of a kind are refused
	// because the option is not known, the rest of the kind is left out.
	Probe bool
}

// Block is a run of cases in one world.
type Block struct {
	// World is built first; Then is a text that changes it, for this block.
	World *world.Spec
	Then  string
	Setting
	Cases []Case
	// Together is how many cases may be run one after the other without
	// putting the world back: more than one where little is changed.
	Together int
	// All says that what leads out lies in the world, and that each allowed
	// line is run.
	All bool
}

// Options are what a family is made from.
type Options struct {
	Seed  uint64
	Count int    // how many cases, for the families that draw them
	Only  string // a regular expression that names the rows of interest
}

// Family is one way to enumerate.
type Family interface {
	// Blocks is how many there are.
	Blocks() int
	// Block gives one of them.
	Block(i int) Block
}

// New makes a family by its name.
func New(name string, o Options) (Family, error) {
	only, err := regexp.Compile("^(?:" + o.Only + ")$")
	if err != nil {
		return nil, err
	}
	if o.Only == "" {
		only = regexp.MustCompile("")
	}
	make, ok := families[name]
	if !ok {
		return nil, fmt.Errorf("there is no family %q; there are %s", name, strings.Join(Names, ", "))
	}
	return make(o, only), nil
}

// Names are the families.
var Names = []string{"options", "pairs", "effects", "state", "names", "programs", "git", "proof"}

var families = map[string]func(o Options, only *regexp.Regexp) Family{
	"options":  newOptions,
	"pairs":    newPairs,
	"effects":  newEffects,
	"state":    newState,
	"names":    newNames,
	"programs": newPrograms,
	"git":      newGit,
	"proof":    newProof,
}

// random is the generator of one block.
func random(seed uint64, name string, block int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", name, block)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// rnd is short for the type of generators.
type rnd = rand.Rand

func pick[T any](r *rnd, list []T) T { return list[r.IntN(len(list))] }

// some draws n different ones, or all.
func some[T any](r *rnd, n int, list []T) []T {
	var out []T
	for _, i := range r.Perm(len(list)) {
		if len(out) == n {
			break
		}
		out = append(out, list[i])
	}
	return out
}

// fill puts words in place of {NAME}, and takes doubled blanks away.
func fill(text string, pairs ...string) string {
	text = strings.NewReplacer(pairs...).Replace(text)
	for strings.Contains(text, "  ") {
		text = strings.ReplaceAll(text, "  ", " ")
	}
	return strings.TrimSpace(text)
}

// sections reads an embedded list: a line "[name]" starts one, each other line
// that is not empty and no comment is an entry of it. A backslash and n stand for a newline.
func sections(text string) map[string][]string {
	out, name := map[string][]string{}, ""
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "", strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "[[") && strings.HasSuffix(line, "]]"):
			name = line[2 : len(line)-2]
		default:
			out[name] = append(out[name], strings.ReplaceAll(line, `\n`, "\n"))
		}
	}
	return out
}
