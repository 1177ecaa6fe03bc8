package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// denied is the reason that a warning need not name: the usual one.
const denied = "Permission denied"

// warned adds what could not be looked at to the report, or makes an error of it
// when the configuration wants that. A search that was cut short keeps what it
// found either way. vanished are files that the search itself found gone.
func (s *Searcher) warned(end *ending, d display, vanished []string, q query, report *Report) error {
	var said []Warning
	if w, any := warning(WarnUnreadable, end.diagnostics.Unreadable, d); any {
		w.Message = plural(w.Count, "path") + " could not be read: " + w.Message
		said = append(said, w)
	}
	gone := end.diagnostics.Vanished
	gone.Count += len(vanished)
	gone.First = slices.Clone(gone.First)
	for _, path := range vanished[:min(len(vanished), maxShown)] {
		gone.First = append(gone.First, ripgrep.Diagnostic{Path: path})
	}
	if w, any := warning(WarnVanished, gone, d); any {
		w.Message = plural(w.Count, "path") + " vanished during the search: " + w.Message
		said = append(said, w)
	}
	if s.config.Unreadable == UnreadableFail && end.diagnostics.Entries() > 0 && end.incomplete == nil {
		details := Details{Stderr: end.stderrText(), ExitCode: end.exit, Found: q.found()}
		return fail(Failed, details, nil, `%s; exclude it with a narrower path or pattern (the runtime is configured with unreadable: "fail")`, said[0].Message)
	}
	report.Warnings = append(report.Warnings, said...)
	return nil
}

// warning names the first entries of a tally.
func warning(code string, t ripgrep.Tally, d display) (w Warning, any bool) {
	if t.Count == 0 {
		return Warning{}, false
	}
	w = Warning{Code: code, Count: t.Count}
	var a arena
	var names []string
	for _, c := range t.First {
		if c.Path == "" {
			names = append(names, "one that ripgrep did not name ("+c.Reason+")")
			continue
		}
		path, _ := escapeName(d.path(&a, c.Path))
		if slices.Contains(w.Paths, path) {
			continue
		}
		w.Paths = append(w.Paths, path)
		name := oneLine(path)
		if code == WarnUnreadable && c.Reason != "" && c.Reason != denied {
			name += " (" + c.Reason + ")"
		}
		names = append(names, name)
	}
	w.Message = listSome(names, w.Count)
	return w, true
}

// maxShown is how many names a message lists.
const maxShown = 3

// listSome joins the first names and counts the rest of total.
func listSome(names []string, total int) string {
	shown := names[:min(len(names), maxShown)]
	text := strings.Join(shown, ", ")
	if rest := total - len(shown); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// plural counts things: "1 file", "2 files".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// maxName bounds how much of a name a message shows; the value has all of it.
const maxName = 160

// oneLine writes a name into a message: on one line, and with its middle left
// out when it is long.
func oneLine(name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName/2], "") + "..." + strings.ToValidUTF8(name[len(name)-maxName/2:], "")
	}
	if !strings.ContainsAny(name, "\r\n") {
		return name
	}
	return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(name)
}
