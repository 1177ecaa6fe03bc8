//go:build linux

// Command oracle enumerates command lines, asks the gate about each, runs what
// it allows as an unprivileged user under strace, and keeps what left its
// bounds: oracle -family NAME [-seed N] [-count N] [-shard I/N] [-resume FILE]
// [-out FILE]. docs/oracle.md tells more.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/hydraharness/harness-runtime/tests/oracle/family"
)

// Exit statuses.
const (
	exitHits   = 1
	exitBroken = 2
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == laneArgument {
		if err := lane(); err != nil {
			fmt.Fprintln(os.Stderr, "oracle: a lane:", err)
			os.Exit(exitBroken)
		}
		return
	}
	o := flags()
	if why := unable(); why != "" {
		fmt.Fprintln(os.Stderr, "oracle:", why)
		os.Exit(exitBroken)
	}
	hits := 0
	for _, p := range o.parts {
		n, err := o.run(p)
		if err != nil {
			fmt.Fprintln(os.Stderr, "oracle:", err)
			os.Exit(exitBroken)
		}
		hits += n
	}
	if hits > 0 {
		os.Exit(exitHits)
	}
}

// settings are the flags.
type settings struct {
	parts         []part
	shard, shards int
	lanes, every  int
	resume, out   string
	avoid         string
	list          bool
}

// part is one family to run.
type part struct {
	name string
	family.Options
	stride int // every so many blocks are run; 0 is each
}

func flags() *settings {
	o := &settings{}
	var p part
	shard, ci := "0/1", false
	flag.StringVar(&p.name, "family", "", strings.Join(family.Names, ", "))
	flag.Uint64Var(&p.Seed, "seed", 1, "what is drawn, and how values and forms are joined")
	flag.IntVar(&p.Count, "count", 0, "how many lines of a family that draws them")
	flag.StringVar(&p.Only, "only", "", "a regular expression for a whole name: of commands, keys, or kinds, as the family has them")
	flag.StringVar(&shard, "shard", shard, "I/N: every Nth block, from block I on")
	flag.IntVar(&o.lanes, "lanes", lanesHere(), "how many lines are run at a time")
	flag.IntVar(&o.every, "every", 10, "of the lines that name nothing leading out one in so many is run")
	flag.StringVar(&o.resume, "resume", "", "a file that says which blocks are done; it is read at the start and kept up to date")
	flag.StringVar(&o.out, "out", "", "append hits to this file; their trees go to a file beside it")
	flag.StringVar(&o.avoid, "avoid", "", "a regular expression: leave out texts that it fits")
	flag.BoolVar(&o.list, "list", false, "list what was never allowed, and why")
	flag.BoolVar(&ci, "ci", false, "run the fixed shards, about three minutes on two cores")
	flag.Parse()
	if _, err := fmt.Sscanf(shard, "%d/%d", &o.shard, &o.shards); err != nil || o.shard < 0 || o.shards <= o.shard || flag.NArg() > 0 || ci == (p.name != "") {
		fmt.Fprintln(os.Stderr, "usage: oracle -family NAME [-shard I/N] ..., or oracle -ci")
		flag.PrintDefaults()
		os.Exit(exitBroken)
	}
	o.parts = []part{p}
	if ci {
		o.parts = fixed
	}
	return o
}
