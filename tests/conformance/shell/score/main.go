//go:build linux

// Command score grades the planner, the establishment and the judge against
// recorded shell cases: score [-v] FILE... It prints a table by group and the
// bars, and exits 1 when a bar is missed. Run by root it gives up root first,
// since the truth was recorded by a user whom permissions bind.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/grade"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

func main() {
	verbose := flag.Bool("v", false, "print every case that is not as it should be")
	version := flag.Int("bash", grade.Recorded.Version, "the bash version that is declared, major*100+minor; 0 is unknown")
	only := flag.String("only", "", "grade only cases whose id contains this text")
	decisions := flag.Bool("decisions", false, "print the decision of every case, one a line, to compare two versions by diff")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: score [-v] [-bash N] FILE...")
		os.Exit(2)
	}
	ok := true
	var files [][]*truth.Case
	for _, name := range flag.Args() {
		cases, err := truth.Load(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		files = append(files, cases)
	}
	if err := truth.Unprivileged(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for i, cases := range files {
		fmt.Printf("%s\n", flag.Arg(i))
		var chosen []*truth.Case
		for _, c := range cases {
			if strings.Contains(c.ID, *only) {
				chosen = append(chosen, c)
			}
		}
		o := grade.Recorded
		o.Version = *version
		score, err := grade.All(context.Background(), "", chosen, o)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		if *decisions {
			for _, r := range score.Results {
				fmt.Printf("%s %s\n", r.Case.ID, r.Ruling.Decision)
			}
			continue
		}
		if *verbose {
			score.Details(os.Stdout)
		}
		score.Table(os.Stdout)
		ok = ok && score.Met()
	}
	if !ok {
		os.Exit(1)
	}
}
