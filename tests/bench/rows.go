package main

// excludes are the arguments by which a glob leaves version control out.
func excludes() []string {
	var args []string
	for _, name := range []string{".git", ".svn", ".hg", ".bzr", ".jj", ".sl"} {
		args = append(args, "--glob=!**/"+name, "--glob=!**/"+name+"/**")
	}
	return args
}

// The limits of the table. A row without one is shown for what it says: few
// results leave nothing to sort, and a complete value is searched for again for
// each of its pages.
const (
	limitNone    = 0
	limitGrep    = 1.10
	limitGrepBig = 1.25
	limitGlob    = 0.60
	limitPrefix  = 0.25
	limitFew     = 1.30
	limitCommand = 3.00
	// limitNotes is for answers that are empty and say why: a tenth for all.
	limitNotes = 1.10
)

func (w *world) rows() []row {
	json := func(pattern string) []string {
		return []string{"--no-config", "--json", "--regexp=" + pattern, "--", "."}
	}
	files := func(pattern string, sort ...string) []string {
		args := append([]string{"--no-config", "--files", "--null", "--no-ignore", "--hidden"}, sort...)
		return append(append(append(args, "--glob="+pattern), excludes()...), "--", ".")
	}
	pattern := func(p string) map[string]string { return map[string]string{"pattern": p} }
	raised := []string{"--config", w.config}
	grep := func(title, tree, p string) row {
		return row{title: title, tree: tree, kind: "grep", pattern: p, ours: "tools/call", against: "rg --json", raw: json(p)}
	}
	rows := []row{}
	add := func(r row, limit float64, call func() (int, error)) {
		r.limit, r.call = limit, call
		rows = append(rows, r)
	}

	add(grep("grep, Go source, no match", w.golang, "zzzqqq"), limitGrep, w.tool("grep", w.golang, pattern("zzzqqq")))
	add(grep("grep, Go source, hundreds", w.golang, "LockOSThread"), limitGrep, w.tool("grep", w.golang, pattern("LockOSThread")))
	add(grep("grep, Go source, thousands", w.golang, "func New"), limitGrep, w.tool("grep", w.golang, pattern("func New")))
	add(grep("grep, Go source, tens of thousands", w.golang, "func Test|package "), limitGrep, w.tool("grep", w.golang, pattern("func Test|package ")))
	add(grep("grep, many files, a thousand", w.many, "needle"), limitGrep, w.tool("grep", w.many, pattern("needle")))
	add(grep("grep, many files, one in each", w.many, "last"), limitGrepBig, w.tool("grep", w.many, pattern("last"), raised...))
	add(grep("grep, Go source, over 100,000", w.golang, "func |import"), limitGrepBig, w.tool("grep", w.golang, pattern("func |import"), raised...))

	all := row{title: "glob *, many files", tree: w.many, kind: "glob", pattern: "*", ours: "tools/call",
		against: "rg --files --sort=modified", raw: files("*", "--sort=modified")}
	add(all, limitGlob, w.tool("glob", w.many, pattern("*")))
	some := all
	some.title, some.pattern, some.raw = "glob *-007.txt, many files", "*-007.txt", files("*-007.txt", "--sort=modified")
	add(some, limitNone, w.tool("glob", w.many, pattern("*-007.txt")))
	source := all
	source.title, source.tree, source.pattern, source.raw = "glob **/*.go, Go source", w.golang, "**/*.go", files("**/*.go", "--sort=modified")
	add(source, limitNone, w.tool("glob", w.golang, pattern("**/*.go")))
	prefix := row{title: "glob top07/**/*.txt, many files", tree: w.many, kind: "glob", pattern: "top07/**/*.txt", ours: "tools/call",
		against: "rg --files of the whole tree", raw: []string{"--no-config", "--files", "--", "."}}
	add(prefix, limitPrefix, w.tool("glob", w.many, pattern("top07/**/*.txt")))

	add(grep("grep, ten files", w.few, "needle"), limitFew, w.tool("grep", w.few, pattern("needle")))
	add(row{title: "glob, ten files", tree: w.few, kind: "glob", pattern: "*.go", ours: "tools/call", against: "rg --files",
		raw: []string{"--no-config", "--files", "--glob=*.go", "--", "."}}, limitFew, w.tool("glob", w.few, pattern("*.go")))
	add(row{title: "the command, grep, ten files", tree: w.few, kind: "grep", pattern: "needle", ours: "start to exit", against: "rg",
		raw: []string{"--no-config", "--line-number", "--regexp=needle", "--", "."}}, limitCommand, w.command(w.few, "grep", "needle"))

	add(grep("grep, many files, empty, a note on the pattern", w.many, `zzz\(qqq\)`), limitNotes, w.tool("grep", w.many, pattern(`zzz\(qqq\)`)))
	add(grep("grep, Go source, empty, a note on the pattern", w.golang, "/zzzqqq/"), limitNotes, w.tool("grep", w.golang, pattern("/zzzqqq/")))
	none := all
	none.title, none.pattern, none.raw, none.against = "glob, many files, empty, a look at names", "*-007.TXT", files("*-007.TXT"), "rg --files"
	add(none, limitNotes, w.tool("glob", w.many, pattern("*-007.TXT")))
	add(grep("grep, ten files, empty, a note on the pattern", w.few, "/zzzqqq/"), limitFew, w.tool("grep", w.few, pattern("/zzzqqq/")))

	complete := func(r row, title string, call func() (int, error)) {
		r.title, r.ours = title, "hydra/search"
		add(r, limitNone, call)
	}
	complete(grep("", w.golang, "func New"), "complete value, grep, thousands", w.value("grep", w.golang, pattern("func New"), "--sample"))
	complete(grep("", w.golang, "func |import"), "complete value, grep, over 100,000", w.value("grep", w.golang, pattern("func |import"), raised...))
	complete(all, "complete value, glob *, many files", w.value("glob", w.many, pattern("*"), "--sample"))
	return rows
}
