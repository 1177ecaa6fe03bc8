package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// machine says where the figures come from.
func machine(w *world) string {
	model := ""
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value) + ", "
				break
			}
		}
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	version, _ := exec.Command(w.rg, "--version").Output()
	first, _, _ := strings.Cut(string(version), "\n")
	return fmt.Sprintf("%s%d cores, %s/%s, kernel %s, %s, %s.", model, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		strings.TrimSpace(string(kernel)), runtime.Version(), first)
}

// table writes the results in Markdown.
func table(results []result, third bool) string {
	var b strings.Builder
	head, rule := "| work | results | ours (ms) | raw | raw (ms) | ratio | middle half | at most |", "|---|--:|--:|---|--:|--:|--:|--:|"
	if third {
		head, rule = head+" third (ms) |", rule+"--:|"
	}
	fmt.Fprintf(&b, "%s\n%s\n", head, rule)
	for _, r := range results {
		limit := "-"
		if r.limit > 0 {
			limit = fmt.Sprintf("%.2f", r.limit)
		}
		found := fmt.Sprint(r.found)
		switch {
		case r.ours == "hydra/search":
			found = fmt.Sprintf("%d page%s", r.found, strings.Repeat("s", min(1, r.found-1)))
		case r.ours == "start to exit":
			found = "-"
		}
		ratio := fmt.Sprintf("%.2f", r.ratio)
		if !r.reached() {
			ratio = "**" + ratio + "**"
		}
		fmt.Fprintf(&b, "| %s | %s | %.1f | `%s` | %.1f | %s | %.2f to %.2f | %s |", r.title, found, ms(r.oursTime), r.against, ms(r.rawTime), ratio, r.quarter, r.quarter3, limit)
		if third {
			fmt.Fprintf(&b, " %.1f |", ms(r.thirdTime))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func peakTable(peaks []peak) string {
	var b strings.Builder
	b.WriteString("| memory of the runtime | idle (MiB) | peak over idle (MiB) | at most |\n|---|--:|--:|--:|\n")
	for _, p := range peaks {
		over := fmt.Sprintf("%.0f", p.mib)
		if !p.reached() {
			over = "**" + over + "**"
		}
		fmt.Fprintf(&b, "| %s | %.0f | %s | %d |\n", p.title, p.idle, over, p.limit)
	}
	return b.String()
}

// Marks around what publish replaces.
const (
	beginMark = "<!-- written by tests/bench -->"
	endMark   = "<!-- end -->"
)

// publish brings benchmarks.md and benchmarks.svg up to date.
func publish(dir, text, svg string) error {
	path := filepath.Join(dir, "benchmarks.md")
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(old), beginMark)
	_, after, closed := strings.Cut(rest, endMark)
	if !found || !closed {
		return fmt.Errorf("%s has no place for the table: it needs the lines %s and %s", path, beginMark, endMark)
	}
	page := before + beginMark + "\n" + text + endMark + after
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "benchmarks.svg"), []byte(svg), 0o644)
}

// Sizes of the plot in pixels.
const (
	plotWidth, plotLeft, plotRow = 860, 290, 24
	plotMost                     = 3.0 // the ratio at the right edge
)

// plot draws each ratio as a bar, with a mark at its limit and a line at 1.
func plot(results []result) string {
	var b strings.Builder
	height := plotRow*len(results) + 70
	x := func(ratio float64) float64 {
		return plotLeft + min(ratio, plotMost)/plotMost*(plotWidth-plotLeft-60)
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	fmt.Fprintf(&b, `<text x="10" y="20" font-size="14">Time of the runtime divided by time of raw ripgrep (shorter is better)</text>`+"\n")
	fmt.Fprintf(&b, `<line x1="%.1f" y1="32" x2="%.1f" y2="%d" stroke="#888"/><text x="%.1f" y="%d" text-anchor="middle" fill="#555">1.0 = raw ripgrep</text>`+"\n",
		x(1), x(1), height-28, x(1), height-12)
	for i, r := range results {
		y := 36 + i*plotRow
		fill := "#4a90c2"
		if !r.reached() {
			fill = "#c2574a"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, plotLeft-8, y+14, html.EscapeString(r.title))
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="16" fill="%s"/>`, plotLeft, y+2, x(r.ratio)-plotLeft, fill)
		if r.limit > 0 {
			fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="black" stroke-width="2"/>`, x(r.limit), y, x(r.limit), y+20)
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%.2f</text>`+"\n", x(max(r.ratio, r.limit))+6, y+14, r.ratio)
	}
	fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="black" stroke-width="2"/><text x="16" y="%d" fill="#555">the most that is allowed</text>`+"\n",
		10, height-26, 10, height-10, height-12)
	b.WriteString("</svg>\n")
	return b.String()
}
