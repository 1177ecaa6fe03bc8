//go:build linux

// Command generate composes commands over random trees, runs them under strace
// and holds plan and establishment against what the kernel saw:
// generate [-n N] [-seed S] [-sequences]. It prints every miss and exits 1 when there is one.
// Run by root it gives up root first.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/grade"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/oracle"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

func main() {
	n := flag.Int("n", 300, "how many commands")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the generator")
	sequences := flag.Bool("sequences", false, "compose commands that change names later ones walk through")
	verbose := flag.Bool("v", false, "print every command")
	flag.Parse()
	if why := oracle.Available(); why != "" {
		fmt.Fprintln(os.Stderr, "no oracle:", why)
		os.Exit(2)
	}
	if err := truth.Unprivileged(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	o := grade.Recorded
	o.Run = oracle.Run
	g := oracle.New(*seed)
	misses, opaque, unsafe, failed := 0, 0, 0, 0
	for range *n {
		c := g.Case()
		if *sequences {
			c = g.Sequence()
		}
		r, err := grade.Grade(context.Background(), "", c, o)
		if err != nil {
			failed++
			fmt.Println("FAILED", err)
			continue
		}
		if *verbose {
			fmt.Printf("%s %s %q opaque=%d reads=%d writes=%d\n", r.Ruling.Decision, c.Shell, c.Command, len(r.Opaque), len(r.Case.Reads), len(r.Case.Writes))
		}
		if len(r.Opaque) > 0 {
			opaque++
		}
		if len(r.Misses) > 0 {
			misses++
			fmt.Printf("MISS %s %s cwd=%s %q\n", c.ID, c.Shell, c.Cwd, c.Command)
			for _, m := range r.Misses {
				fmt.Println("    ", m)
			}
		}
		if r.Escaped() {
			unsafe++
			fmt.Printf("ESCAPE ALLOWED %s %s cwd=%s %q\n", c.ID, c.Shell, c.Cwd, c.Command)
		}
	}
	fmt.Printf("seed %d: %d commands, %d misses, %d escapes allowed, %d opaque, %d not run\n", *seed, *n, misses, unsafe, opaque, failed)
	if misses > 0 || unsafe > 0 {
		os.Exit(1)
	}
}
