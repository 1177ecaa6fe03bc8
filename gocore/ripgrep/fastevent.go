package ripgrep

// fast decodes a begin, match or end event that is written as ripgrep writes
// it: members in its order, no white space, text as UTF-8. It reports false for
// everything else, which the general decoder then reads from the start. What it
// accepts is valid JSON and means the same there.
//
// Why twice: the general decoder looks at each line two times, to find the type
// before the data, and at each member by name. Reading by position takes a
// third of the time, and reading is most of what a large result costs.
func (ev *Event) fast(line []byte) bool {
	s := scanner{buf: line}
	switch {
	case s.takes(`{"type":"match","data":{"path":{"text":`):
		ev.Kind = KindMatch
		return ev.fastMatch(&s)
	case s.takes(`{"type":"begin","data":{"path":{"text":`):
		ev.Kind = KindBegin
		ev.Path, ev.pathBuf = s.string(ev.pathBuf)
		return s.takes(`}}}`) && s.atEnd()
	case s.takes(`{"type":"end","data":{"path":{"text":`):
		ev.Kind = KindEnd
		ev.Path, ev.pathBuf = s.string(ev.pathBuf)
		if !s.takes(`},"binary_offset":null,"stats":`) {
			return false
		}
		s.skip()
		return s.takes(`}}`) && s.atEnd()
	}
	return false
}

// fastMatch goes on behind the key of the path's text.
func (ev *Event) fastMatch(s *scanner) bool {
	ev.Path, ev.pathBuf = s.string(ev.pathBuf)
	if !s.takes(`},"lines":{"text":`) {
		return false
	}
	ev.Line, ev.lineBuf = s.string(ev.lineBuf)
	if !s.takes(`},"line_number":`) {
		return false
	}
	ev.LineNumber = s.count()
	if !s.takes(`,"absolute_offset":`) || s.count() < 0 || !s.takes(`,"submatches":[`) {
		return false
	}
	for first := true; ; first = false {
		if !s.takes(`{"match":{"text":`) {
			return false
		}
		s.skipString()
		if !s.takes(`},"start":`) {
			return false
		}
		if start := s.count(); first {
			ev.Hit = start
		}
		if !s.takes(`,"end":`) || s.count() < 0 || !s.takes(`}`) {
			return false
		}
		if s.takes(`]}}`) {
			return s.atEnd() && ev.LineNumber >= 1
		}
		if !s.takes(`,`) {
			return false
		}
	}
}

// takes consumes text when it comes next.
func (s *scanner) takes(text string) bool {
	if len(s.buf)-s.pos < len(text) || string(s.buf[s.pos:s.pos+len(text)]) != text {
		return false
	}
	s.pos += len(text)
	return true
}

func (s *scanner) atEnd() bool { return s.pos == len(s.buf) && !s.failed }

// maxCountDigits is how many digits surely fit in an int64.
const maxCountDigits = 18

// count reads a whole number that is not negative. Others are a fault here.
func (s *scanner) count() int64 {
	var n int64
	from := s.pos
	for s.pos < len(s.buf) && '0' <= s.buf[s.pos] && s.buf[s.pos] <= '9' {
		n = 10*n + int64(s.buf[s.pos]-'0')
		s.pos++
	}
	length := s.pos - from
	if length == 0 || length > maxCountDigits || length > 1 && s.buf[from] == '0' {
		s.fail()
		return NoOffset
	}
	return n
}
