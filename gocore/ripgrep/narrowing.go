package ripgrep

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Narrowing makes ripgrep look at a few files instead of a whole tree, with the
// answer that it would have given about them: some are named as operands, the others
// are met in its walk of ".", which an ignore file narrows to them.
//
// What ripgrep says of an operand differs from what it says of a file that it meets
// in three ways. It asks no ignore rule about an operand; so only files may be named
// that the walk is known to reach. It searches a binary operand to its end; so files
// with a NUL may not be named. It follows an operand that is a link; so regular files
// alone may be. About everything else (new, changed, binary, unreadable) ripgrep
// decides itself, in the walk.
type Narrowing struct {
	// Named and Walked are paths relative to the directory that ripgrep runs in.
	Named, Walked []string
}

// Operands are what follows "--".
func (n *Narrowing) Operands() []string {
	all := make([]string, 0, len(n.Named)+1)
	for _, path := range n.Named {
		all = append(all, "./"+path)
	}
	if n.Walks() {
		all = append(all, ".")
	}
	return all
}

// Walks reports whether there is a walk. There is one, of nothing, when nothing is
// named: ripgrep then still says what is wrong with a pattern.
func (n *Narrowing) Walks() bool { return len(n.Walked) > 0 || len(n.Named) == 0 }

// Bytes is how long the operands are together, with what ends each.
func (n *Narrowing) Bytes() int {
	total := len(".") + 1
	for _, path := range n.Named {
		total += len("./") + len(path) + 1
	}
	return total
}

// Args are the arguments that go with the operands: the ignore file is read from
// the path given. ripgrep would map a few operands into memory, and then find a NUL
// where it otherwise does not.
func (n *Narrowing) Args(ignoreFile string) []string {
	args := []string{"--no-mmap"}
	if n.Walks() {
		args = append(args, "--ignore-file="+ignoreFile)
	}
	return args
}

// IgnoreFile is the text of an ignore file that leaves a walk nothing but the walked
// files. Such a file ranks below all other rules, so that it brings back nothing that
// they leave out; and as its last line leaves out what is hidden, it brings back
// none of that. Where a line cannot say a name, it says a wider pattern: a file too
// many costs time, and its matches are as right as the others.
func (n *Narrowing) IgnoreFile() []byte {
	var b bytes.Buffer
	b.WriteString("*\n")
	seen := map[string]bool{}
	admit := func(path, slash string) {
		if !seen[path+slash] {
			seen[path+slash] = true
			b.WriteString("!/" + ignoreLine(path) + slash + "\n")
		}
	}
	for _, path := range n.Walked {
		for i := range len(path) {
			if path[i] == '/' {
				admit(path[:i], "/")
			}
		}
		admit(path, "")
	}
	b.WriteString(HiddenLine)
	return b.Bytes()
}

// HiddenLine, as the last line of an ignore file, leaves out just what ripgrep takes for hidden: ".x", but not "..." nor
// ".x.", since to its reading of paths what ends in a dot is no file name.
const HiddenLine = ".*[!.]\n"

// ignoreLine writes a path so that a line of an ignore file means it.
func ignoreLine(path string) string {
	if !utf8.ValidString(path) {
		parts := strings.Split(path, "/")
		for i, part := range parts {
			if utf8.ValidString(part) {
				parts[i] = ignoreLine(part)
			} else {
				parts[i] = "*" // a pattern is text
			}
		}
		return strings.Join(parts, "/")
	}
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c == '\n', c == '\r', c == '\\', (c == ' ' || c == '\t') && i == len(path)-1:
			b.WriteByte('?') // what ends a line or is trimmed from it; and what escapes
		case strings.IndexByte("*?[]{}!#", c) >= 0:
			b.WriteString(`\` + string(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
