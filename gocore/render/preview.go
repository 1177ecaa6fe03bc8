package render

import (
	"strings"
	"unicode/utf8"
)

const (
	// truncated marks a line that is not shown whole.
	truncated = " (line truncated)"
	// ellipsis stands for what is left out before a window that was moved.
	ellipsis = "…"
	// byteOrderMark at the start of a line cannot be seen and is not shown.
	byteOrderMark = "\ufeff"
	// lead is how much of the line is shown before a hit that lies beyond the
	// head, when the limit allows: enough to see what the hit belongs to.
	lead = 80
)

// Preview cuts a line to at most limit bytes, at the boundary of a code point,
// and marks the cut. What steers a terminal instead of being seen is escaped. When the hit, a byte offset, begins beyond the head, the
// window moves to it. The line is valid UTF-8.
func Preview(line string, hit, limit int) string {
	shown := window(line, hit, limit)
	escaped := visible(shown)
	if escaped == shown || len(shown) <= limit && len(escaped) <= limit {
		return escaped
	}
	escaped = strings.TrimSuffix(escaped, truncated)
	if len(escaped) <= max(0, limit) {
		return escaped + truncated
	}
	return cut(escaped, limit) + truncated
}

// window is Preview without the escapes of what cannot be seen.
func window(line string, hit, limit int) string {
	if bare, ok := strings.CutPrefix(line, byteOrderMark); ok {
		line, hit = bare, hit-len(byteOrderMark)
	}
	if len(line) <= limit {
		return line
	}
	hit = min(max(0, hit), len(line))
	if head := cut(line, limit); hit < len(head) || hit == 0 {
		return head + truncated
	}
	room := limit - len(ellipsis)
	if room <= 0 {
		return cut(line[boundary(line, hit):], limit) + truncated
	}
	start := hit - min(lead, room/4)
	if rest := len(line) - room; start > rest {
		start = rest // the end of the line fits
	}
	return ellipsis + cut(line[boundary(line, start):], room) + truncated
}

// cut returns the longest prefix of at most limit bytes that ends between code
// points.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit = max(0, limit)
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// boundary moves an offset forward to the start of a code point.
func boundary(s string, offset int) int {
	for offset < len(s) && !utf8.RuneStart(s[offset]) {
		offset++
	}
	return offset
}
