package ripgrep

import "bytes"

// List reads the NUL-separated output of a file listing (--files --null) as it
// arrives and hands on each path without the "./" of the operand ".". The bytes
// are only valid during the call. It is an io.Writer; an error of Path is its
// own.
type List struct {
	Path func(rel []byte) error
	// Dotted counts the paths that began with "./".
	Dotted  int64
	partial []byte
}

func (l *List) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, 0)
		if i < 0 {
			l.partial = append(l.partial, p...)
			return n, nil
		}
		record := p[:i]
		if len(l.partial) > 0 {
			record = append(l.partial, record...)
			l.partial = record[:0]
		}
		p = p[i+1:]
		rel, dotted := bytes.CutPrefix(record, []byte("./"))
		if dotted {
			l.Dotted++
		}
		if err := l.Path(rel); err != nil {
			return n, err
		}
	}
}

// Close reports whether the output ended inside a path.
func (l *List) Close() error {
	if len(l.partial) > 0 {
		return &FormatError{Detail: "the file list ends inside a path"}
	}
	return nil
}

// FormatError means that the sidecar's output is not what ripgrep writes.
type FormatError struct{ Detail string }

func (e *FormatError) Error() string { return "unexpected ripgrep output: " + e.Detail }
