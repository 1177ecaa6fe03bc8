package ripgrep

import (
	"bytes"
	"encoding/base64"
)

// Kind is the type of one event of ripgrep's JSON stream.
type Kind uint8

// Kinds of events. Unknown types are skipped: later versions may add some.
const (
	KindUnknown Kind = iota
	KindBegin
	KindMatch
	KindContext
	KindEnd
	KindSummary
)

// NoOffset stands for an absent offset.
const NoOffset = -1

// Event is one line of ripgrep's JSON stream, reduced to what a search uses.
// Its byte slices are only valid until the next event.
type Event struct {
	Kind Kind
	// Path is the file as ripgrep prints it, exact bytes.
	Path []byte
	// Line is the text of a match or context line with its line end, exact bytes.
	Line []byte
	// LineNumber counts from 1.
	LineNumber int64
	// Hit is the byte offset of the first hit in Line, or NoOffset.
	Hit int64
	// BinaryOffset is where ripgrep met a NUL byte and gave the file up (end
	// events), or NoOffset.
	BinaryOffset int64
	// Stats are the totals of a summary event.
	Stats Stats
	// Size is how many bytes the event took in the stream.
	Size int

	pathBuf, lineBuf []byte // unescaped text when it differs from the input
}

// Stats are ripgrep's totals over one search.
type Stats struct {
	Files        int64 // files searched
	FilesMatched int64
	Bytes        int64 // bytes searched
	MatchedLines int64
}

// Events reads a JSON stream as it arrives and hands on every event. It is an
// io.Writer: an error of On is returned as it is, a line that is not an event
// is a *FormatError. Memory is bounded by the longest line; bound that above.
type Events struct {
	On func(*Event) error
	// Paths counts the events that carried a path, and Summary tells whether the
	// stream reached its last event.
	Paths   int64
	Summary bool

	event   Event
	partial []byte
}

func (e *Events) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			e.partial = append(e.partial, p...)
			return n, nil
		}
		line := p[:i]
		if len(e.partial) > 0 {
			line = append(e.partial, line...)
			e.partial = line[:0]
		}
		p = p[i+1:]
		if err := e.line(line); err != nil {
			return n, err
		}
	}
}

// Close reads a last line that has no end.
func (e *Events) Close() error {
	if len(e.partial) == 0 {
		return nil
	}
	return e.line(e.partial)
}

func (e *Events) line(line []byte) error {
	if len(line) == 0 {
		return nil
	}
	if err := e.event.Decode(line); err != nil {
		return err
	}
	e.event.Size = len(line) + 1
	switch e.event.Kind {
	case KindUnknown:
		return nil
	case KindSummary:
		e.Summary = true
	default:
		e.Paths++
	}
	return e.On(&e.event)
}

// Decode reads one line of the stream into ev. The line must stay unchanged
// while ev is used. The error is a *FormatError.
func (ev *Event) Decode(line []byte) error {
	ev.reset()
	if ev.fast(line) {
		return nil
	}
	ev.reset()
	return ev.general(line)
}

// general decodes an event however it is written.
func (ev *Event) general(line []byte) error {
	s := scanner{buf: line}
	var typeName []byte
	data := -1
	s.object(func(key []byte) {
		switch string(key) {
		case "type":
			typeName, _ = s.string(nil)
		case "data":
			s.space()
			data = s.pos
			s.skip()
		default:
			s.skip()
		}
	})
	s.end()
	if s.failed {
		return &FormatError{Detail: "a line is not a JSON object"}
	}
	kind, known := kinds[string(typeName)]
	if !known {
		return nil
	}
	if data < 0 {
		if kind != KindMatch && kind != KindContext {
			return nil // it says nothing that is used
		}
		return &FormatError{Detail: "an event has no data"}
	}
	s.pos = data
	ev.Kind = kind
	if kind == KindSummary {
		ev.summary(&s)
	} else {
		ev.data(&s)
	}
	return ev.validate(s.failed)
}

// reset empties the event but keeps its buffers.
func (ev *Event) reset() {
	*ev = Event{Hit: NoOffset, BinaryOffset: NoOffset, pathBuf: ev.pathBuf, lineBuf: ev.lineBuf}
}

var kinds = map[string]Kind{
	"begin": KindBegin, "match": KindMatch, "context": KindContext, "end": KindEnd, "summary": KindSummary,
}

// validate refuses an event whose needed fields are missing or mistyped.
func (ev *Event) validate(failed bool) error {
	switch {
	case failed:
		return &FormatError{Detail: "an event has a field of another type"}
	case (ev.Kind == KindMatch || ev.Kind == KindContext) && ev.Path == nil:
		return &FormatError{Detail: "an event has no path"}
	case (ev.Kind == KindMatch || ev.Kind == KindContext) && (ev.Line == nil || ev.LineNumber < 1):
		return &FormatError{Detail: "a match has no line or no line number"}
	}
	return nil
}

func (ev *Event) data(s *scanner) {
	s.object(func(key []byte) {
		switch string(key) {
		case "path":
			ev.Path, ev.pathBuf = s.text(ev.pathBuf)
		case "lines":
			ev.Line, ev.lineBuf = s.text(ev.lineBuf)
		case "line_number":
			ev.LineNumber = s.optionalInt()
		case "binary_offset":
			ev.BinaryOffset = s.optionalInt()
		case "submatches":
			ev.Hit = s.firstStart()
		default:
			s.skip()
		}
	})
}

func (ev *Event) summary(s *scanner) {
	s.object(func(key []byte) {
		if string(key) != "stats" {
			s.skip()
			return
		}
		s.object(func(key []byte) {
			switch string(key) {
			case "searches":
				ev.Stats.Files = s.optionalInt()
			case "searches_with_match":
				ev.Stats.FilesMatched = s.optionalInt()
			case "bytes_searched":
				ev.Stats.Bytes = s.optionalInt()
			case "matched_lines":
				ev.Stats.MatchedLines = s.optionalInt()
			default:
				s.skip()
			}
		})
	})
}

// text reads ripgrep's {"text": "..."} or {"bytes": "<base64>"}; null is nil.
// It returns the bytes and the buffer that it may have grown.
func (s *scanner) text(buf []byte) (value, grown []byte) {
	if s.null() {
		return nil, buf
	}
	s.object(func(key []byte) {
		switch string(key) {
		case "text":
			value, buf = s.string(buf)
		case "bytes":
			var encoded []byte
			encoded, buf = s.string(buf)
			decoded, err := base64.StdEncoding.DecodeString(string(encoded))
			if err != nil {
				s.fail()
			}
			value = decoded
		default:
			s.skip()
		}
	})
	return value, buf
}

// firstStart reads an array of submatches for the start of its first.
func (s *scanner) firstStart() int64 {
	first := int64(NoOffset)
	s.array(func(i int) {
		if i > 0 {
			s.skip()
			return
		}
		s.object(func(key []byte) {
			if string(key) == "start" {
				first = s.optionalInt()
			} else {
				s.skip()
			}
		})
	})
	return first
}
