package coretest

import (
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
)

// Names and lines of ignore files that programs have stumbled over.
var (
	nastyNames = []string{
		"a", "b", "a.go", "b.txt", "c d", " x", "x ", "#h", "!n", "-rf", "[ab]", "{a,b}", "*", "?", "\\", "a\\b", "nl\nx", "cr\rx", "\xff\xfe", "é", "日本",
		".hid", ".github", "~", "a:b", "'q'", "\"d\"", "build", "node_modules", "x.log", "tab\t", "very" + strings.Repeat("long", 40), "a\xffb", "b]", "^", "$HOME", "...", ".x.", "..a",
	}
	nastyLines = []string{
		"*.log", "!x.log", "build/", "/a", "node_modules", "*.txt", "!b.txt", "#h", "\\#h", "!\\!n", "**/b", "a/**", "/b/*.go", "!.hid", "!.github", "!.github/", ".*", "*", "!*.go",
		"!*/", "[ab]", "c d", "x\\ ", "é", "日本/", "!build/", "**", "a/", "/c d/",
	}
	nastyWords = []string{"foo", "Foo", "needle", "kelvin", "\u212aelvin", "é", "a", "xxx", " ", "\n", "\r\n", "\r", "foo bar", "func main()", "\xff", "filler"}
)

// NastyTree fills a directory with what searches get wrong: names of every kind,
// ignore files, hidden ones, repositories, links, FIFOs, binary and UTF-16 files.
func NastyTree(t testing.TB, r *rand.Rand, dir string) {
	t.Helper()
	nastyDir(t, r, dir, 3)
}

func nastyDir(t testing.TB, r *rand.Rand, dir string, depth int) {
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	for range 1 + r.IntN(7) {
		at := dir + "/" + pick(nastyNames)
		switch kind := r.IntN(12); {
		case kind < 4 && depth > 0:
			if os.Mkdir(at, 0o755) == nil {
				nastyDir(t, r, at, depth-1)
			}
		case kind == 4:
			_ = os.Symlink(pick([]string{"a", "..", "/etc/hostname", "b.txt"}), at)
		case kind == 5 && r.IntN(6) == 0:
			_ = syscall.Mkfifo(at+".fifo", 0o644)
		default:
			_ = os.WriteFile(at, NastyText(r), 0o644) // a directory of that name may be there
		}
	}
	for _, name := range []string{".gitignore", ".ignore", ".rgignore"} {
		if r.IntN(4) == 0 {
			var lines strings.Builder
			for range 1 + r.IntN(4) {
				lines.WriteString(pick(nastyLines) + "\n")
			}
			_ = os.WriteFile(dir+"/"+name, []byte(lines.String()), 0o644)
		}
	}
	if r.IntN(6) == 0 {
		if err := os.MkdirAll(dir+"/.git/info", 0o755); err == nil {
			_ = os.WriteFile(dir+"/.git/info/exclude", []byte(pick(nastyLines)+"\n"), 0o644)
		}
	}
}

// NastyText is the text of a file: most often short, sometimes binary, UTF-16, with a
// byte order mark, or with a line of many thousand bytes.
func NastyText(r *rand.Rand) []byte {
	var b strings.Builder
	for range r.IntN(40) {
		b.WriteString(nastyWords[r.IntN(len(nastyWords))])
	}
	text := b.String()
	switch r.IntN(16) {
	case 0:
		var wide strings.Builder
		wide.WriteString("\xff\xfe")
		for _, c := range text {
			wide.WriteByte(byte(c))
			wide.WriteByte(byte(c >> 8))
		}
		return []byte(wide.String())
	case 1:
		return []byte("\xef\xbb\xbf" + text)
	case 2:
		return []byte(text + "\x00" + text)
	case 3:
		return []byte("\x00" + text)
	case 4:
		if r.IntN(4) == 0 {
			return []byte(strings.Repeat("x", r.IntN(200_000)) + text)
		}
	}
	return []byte(text)
}
