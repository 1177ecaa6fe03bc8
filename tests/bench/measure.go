package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

const (
	// leastPairs is how many turns a median is taken of at least, mostPairs at
	// most: a median of many short turns is steadier than one of few.
	leastPairs, mostPairs = 11, 151
	// rowTime is how long the turns of one row should take.
	rowTime = 8 * time.Second
	// quickPairs is for --quick.
	quickPairs = 3
)

// row is one line of the table.
type row struct {
	title string
	// against says what raw is, ours what ours is.
	ours, against string
	// limit is the largest ratio that is allowed, or 0.
	limit float64
	tree  string
	kind  string // grep or glob
	// pattern is for a third command.
	pattern string
	// call is ours; it returns how many results there were.
	call func() (int, error)
	// raw are ripgrep's arguments; it runs in tree.
	raw []string
}

// result is a measured row. Times are medians.
type result struct {
	row
	pairs                    int
	found                    int
	oursTime, rawTime        time.Duration
	thirdTime                time.Duration
	ratio, quarter, quarter3 float64
}

func (r result) reached() bool { return r.limit == 0 || r.ratio <= r.limit }

func (r result) line() string {
	return fmt.Sprintf("%-55s ours %9.3f ms  raw %9.3f ms  ratio %.3f (%.3f to %.3f)  limit %.2f  pairs %d",
		r.title, ms(r.oursTime), ms(r.rawTime), r.ratio, r.quarter, r.quarter3, r.limit, r.pairs)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// measure lets ours and raw take turns.
func (w *world) measure(r row) (result, error) {
	res := result{row: r}
	sides := []func() error{
		func() (err error) { res.found, err = r.call(); return err },
		func() error { return w.ripgrep(r.tree, r.raw) },
	}
	if w.third != "" {
		sides = append(sides, func() error { return w.runThird(r) })
	}
	times := make([][]time.Duration, len(sides))
	turn := func(keep bool) error {
		for i, side := range sides {
			start := time.Now()
			if err := side(); err != nil {
				return err
			}
			if took := time.Since(start); keep {
				times[i] = append(times[i], took)
			}
		}
		return nil
	}
	start := time.Now()
	for range 2 { // warm
		if err := turn(false); err != nil {
			return res, err
		}
	}
	res.pairs = min(max(leastPairs, int(rowTime/(time.Since(start)/2+1))), mostPairs)
	if w.quick {
		res.pairs = quickPairs
	}
	for range res.pairs {
		if err := turn(true); err != nil {
			return res, err
		}
	}
	ratios := make([]float64, res.pairs)
	for i := range ratios {
		ratios[i] = float64(times[0][i]) / float64(times[1][i])
	}
	res.oursTime, res.rawTime = middle(times[0]), middle(times[1])
	res.ratio = float64(res.oursTime) / float64(res.rawTime)
	slices.Sort(ratios)
	res.quarter, res.quarter3 = ratios[res.pairs/4], ratios[res.pairs*3/4]
	if w.third != "" {
		res.thirdTime = middle(times[2])
	}
	return res, nil
}

func middle(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// ripgrep runs the sidecar itself and reads its output from a pipe. That it
// found nothing is fine.
func (w *world) ripgrep(dir string, args []string) error {
	cmd := exec.Command(w.rg, args...)
	cmd.Dir = dir
	cmd.Env = w.environ
	return w.drain(cmd, 1)
}

func (w *world) runThird(r row) error {
	cmd := exec.Command("/bin/sh", "-c", w.third)
	cmd.Dir = r.tree
	cmd.Env = append(os.Environ(), "BENCH_KIND="+r.kind, "BENCH_PATTERN="+r.pattern)
	cmd.Stderr = os.Stderr
	return w.drain(cmd, 0)
}

// drain runs cmd and reads its output to the end. Statuses up to most are fine.
func (w *world) drain(cmd *exec.Cmd, most int) error {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for {
		if _, err := out.Read(w.buffer); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	if err := cmd.Wait(); err != nil && (cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > most) {
		return fmt.Errorf("%s: %w", cmd, err)
	}
	return nil
}
