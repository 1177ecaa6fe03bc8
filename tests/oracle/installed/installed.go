//go:build linux

// Package installed reads which options a program of this machine has: from its
// manual page, from what it says to --help, and from what getopt says to an
// abbreviation that fits several.
package installed

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Options are the options of one program, without their dashes.
type Options struct {
	Short, Long []string
	// Words are those of one dash and several letters, find's.
	Words []string
	// Sources are where they were read: "manual", "help".
	Sources []string
}

// helpless do something else with --help, or nothing at all.
var helpless = []string{"yes", "reset", "clear", "echo", "printf", "test", "[", "true", "false", "cd", "read", "type", "wait", "ulimit", "umask", "kill", "tput", "time"}

// guards are around an option in running text.
var (
	longOption  = regexp.MustCompile(`(?:^|[^\w-])--([A-Za-z0-9][\w-]*)`)
	shortOption = regexp.MustCompile(`(?:^|[^\w-])-([A-Za-z0-9])(?:[^\w-]|$)`)
	wordOption  = regexp.MustCompile(`(?:^|[^\w-])-([a-z][a-zA-Z]{2,})\b`)
	ambiguous   = regexp.MustCompile(`(?s)ambiguous.*possib[^:]*:(.*)`)
	listed      = regexp.MustCompile(`--([a-z0-9][\w-]*)`)
)

// known keeps what was read.
var known = map[string]*Options{}

// Of reads the options of a program, once. It is for one goroutine.
func Of(name string) *Options {
	if known[name] == nil {
		known[name] = read(name)
	}
	return known[name]
}

func read(name string) *Options {
	o := &Options{}
	text := Manual(name)
	if text != "" {
		o.Sources = append(o.Sources, "manual")
	}
	if help := Help(name, "--help"); help != "" {
		o.Sources = append(o.Sources, "help")
		text += "\n" + help
	}
	o.Short, o.Long = Read(text)
	if name == "find" {
		o.Words = all(wordOption, text)
	}
	return o
}

// Read finds the options in a text.
func Read(text string) (short, long []string) { return all(shortOption, text), all(longOption, text) }

// Hidden are the long options of a program that only getopt tells of: it names
// what an abbreviation may stand for.
func Hidden(name string) []string {
	o := Of(name)
	if len(o.Long) == 0 {
		return nil
	}
	var out []string
	for x := 'a'; x <= 'z'; x++ {
		m := ambiguous.FindStringSubmatch(Help(name, "--"+string(x)))
		if m == nil {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimSpace(m[1]), "\n")
		for _, l := range all(listed, first) {
			if !slices.Contains(o.Long, l) {
				out = append(out, l)
			}
		}
	}
	return out
}

func all(re *regexp.Regexp, text string) []string {
	var out []string
	for {
		m := re.FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		out = append(out, text[m[2]:m[3]])
		text = text[m[3]:] // what follows an option may guard the next one
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Help runs a program with one argument, as whoever asks.
func Help(name, argument string) string {
	if slices.Contains(helpless, name) {
		return ""
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, argument)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TERM=dumb", "PAGER=cat", "GIT_PAGER=cat"}
	cmd.Dir = "/"
	cmd.WaitDelay = time.Second
	out, _ := cmd.CombinedOutput()
	return string(out[:min(len(out), 200_000)])
}

var (
	roffFont  = regexp.MustCompile(`\\f(?:\(..|\[[^\]]*\]|.)`)
	roffDash  = regexp.MustCompile(`\\(?:-|\(hy|\(en)`)
	roffEmpty = regexp.MustCompile(`\\[&/,]`)
	roffOther = regexp.MustCompile(`^\.so man\d/(\S+)\.\d`)
)

var manuals = map[string]string{}

// Manual is the text of a manual page with the marks of roff taken off, empty
// where there is none. It is read once, and is for one goroutine.
func Manual(name string) string {
	text, done := manuals[name]
	if !done {
		text = page(name)
		manuals[name] = text
	}
	return text
}

func page(name string) string {
	pages, _ := filepath.Glob("/usr/share/man/man[18]/" + name + ".[18]*")
	if len(pages) == 0 {
		return ""
	}
	data, err := os.ReadFile(pages[0])
	if err != nil {
		return ""
	}
	if strings.HasSuffix(pages[0], ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return ""
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(r); err != nil {
			return ""
		}
		data = b.Bytes()
	}
	text := string(data)
	if m := roffOther.FindStringSubmatch(text); m != nil && m[1] != name {
		return page(m[1])
	}
	text = roffFont.ReplaceAllString(text, "")
	text = roffDash.ReplaceAllString(text, "-")
	return roffEmpty.ReplaceAllString(text, "")
}
