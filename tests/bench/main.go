// Command bench measures what the runtime costs over raw ripgrep and prints the
// table of docs/benchmarks.md:
//
//	go run ./tests/bench [--quick] [--only TEXT] [--third 'COMMAND'] [--docs docs]
//
// Ours is a call to a runtime that is already serving; raw is ripgrep from its
// start to its end, its output read from a pipe. The two take turns (A B A B),
// and each figure is a median. A third command, if given, takes its turn behind
// them: the shell runs it in the tree that is searched, with BENCH_KIND (grep or
// glob) and BENCH_PATTERN in its environment.
//
// Every limit is a ratio within one run: the figures of two machines, or of two
// days, are not compared.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "three turns on a tenth of the files: does it run, not how fast")
	flag.StringVar(&o.only, "only", "", "only rows whose title contains this; also: memory, gate, index builds")
	flag.StringVar(&o.third, "third", "", "a third command to measure")
	flag.StringVar(&o.docs, "docs", "", "folder whose benchmarks.md and benchmarks.svg are brought up to date")
	flag.StringVar(&o.runtime, "runtime", "", "an installed runtime to measure; default: one built from this source")
	flag.Parse()
	if err := bench(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	quick                      bool
	only, third, docs, runtime string
}

func bench(o options) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; see --help", flag.Arg(0))
	}
	w, err := newWorld(o)
	if err != nil {
		return err
	}
	defer w.close()
	fmt.Println(machine(w))
	var results []result
	for _, r := range append(w.rows(), w.indexRows()...) {
		if !strings.Contains(r.title, o.only) {
			continue
		}
		res, err := w.measure(r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.title, err)
		}
		fmt.Fprintln(os.Stderr, res.line())
		results = append(results, res)
	}
	peaks, err := w.peaks()
	if err != nil {
		return err
	}
	indexes, err := w.builds()
	if err != nil {
		return err
	}
	gates, batch, err := w.gates()
	if err != nil {
		return err
	}
	text := table(results, o.third != "") + "\n" + peakTable(peaks) + "\n" + buildTable(indexes) + "\n" + gateTable(gates, batch)
	fmt.Println("\n" + text)
	if o.docs != "" {
		if err := publish(o.docs, machine(w)+"\n\n"+text, plot(results)); err != nil {
			return err
		}
	}
	return decision(results, peaks, indexes, gates)
}

// decision names what is over its limit.
func decision(results []result, peaks []peak, indexes []built, gates []decisions) error {
	var over []string
	for _, r := range results {
		if !r.reached() {
			over = append(over, fmt.Sprintf("%s: %.2f, at most %.2f", r.title, r.ratio, r.limit))
		}
	}
	for _, p := range peaks {
		if !p.reached() {
			over = append(over, fmt.Sprintf("%s: %.0f MiB, at most %d", p.title, p.mib, p.limit))
		}
	}
	for _, b := range indexes {
		if !b.reached() {
			over = append(over, fmt.Sprintf("index of %s: %.0f MB a second, at least %.0f; %.0f MiB, at most %d", b.title, b.rate(), b.least, b.mib, b.limit))
		}
	}
	if gates != nil && ms(typical(gates)) > limitGate {
		over = append(over, fmt.Sprintf("gate of an everyday command: %.2f ms, at most %.0f", ms(typical(gates)), limitGate))
	}
	if over == nil {
		fmt.Println("every limit is reached")
		return nil
	}
	return fmt.Errorf("not reached:\n  %s", strings.Join(over, "\n  "))
}
