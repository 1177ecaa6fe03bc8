package render

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestPreview(t *testing.T) {
	for _, c := range []struct {
		name, line string
		hit, limit int
		want       string
	}{
		{"fits", "0123456789", 0, 10, "0123456789"},
		{"one byte over", "0123456789a", 0, 10, "0123456789 (line truncated)"},
		{"empty", "", 0, 10, ""},
		{"two bytes across the cut", "012345678é", 0, 10, "012345678 (line truncated)"},
		{"three bytes across the cut", "01234567日", 0, 10, "01234567 (line truncated)"},
		{"three bytes up to the cut", "0123456日x", 0, 10, "0123456日 (line truncated)"},
		{"four bytes across the cut", "01234567😀", 0, 10, "01234567 (line truncated)"},
		{"a limit below one character", "日本", 0, 2, " (line truncated)"},
		{"a limit of one", "abc", 0, 1, "a (line truncated)"},
		{"byte order mark is not shown", "\ufefffoo", 3, 10, "foo"},
		{"byte order mark is not counted", "\ufeff0123456789", 3, 10, "0123456789"},
		{"byte order mark inside stays", "a\ufeff", 0, 10, "a\ufeff"},
		{"hit at the last byte of the head", strings.Repeat("a", 20), 9, 10, "aaaaaaaaaa (line truncated)"},
		{"hit just beyond the head", strings.Repeat("a", 10) + "HIT" + strings.Repeat("b", 20), 10, 10, "…aHITbbb (line truncated)"},
		{"hit at the end", strings.Repeat("a", 50) + "HIT", 50, 10, "…aaaaHIT (line truncated)"},
		{"hit behind the last byte", strings.Repeat("a", 50), 50, 10, "…aaaaaaa (line truncated)"},
		{"hit in a character that the head cuts", "012345678éHIT0123456789", 9, 10, "…8éHIT0 (line truncated)"},
		{"window starts between characters", strings.Repeat("日", 9) + "HIT" + strings.Repeat("b", 20), 27, 16, "…日HITbbbbbbb (line truncated)"},
		{"no room for an ellipsis", strings.Repeat("a", 9) + "HIT", 9, 3, "HIT (line truncated)"},
		{"no room, hit behind the line", "0123456789", 99, 3, " (line truncated)"},
		{"a hit before the line", "0123456789", -1, 5, "01234 (line truncated)"},
		{"no limit at all", "0123456789", 3, 0, " (line truncated)"},
		{"a limit below nothing", "0123456789", 3, -5, " (line truncated)"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Preview(c.line, c.hit, c.limit)) })
	}
}

// A long line shows what stands before a hit, in proportion to the room.
func TestPreviewLeadsUpToTheHit(t *testing.T) {
	line := strings.Repeat("a", 10_000) + "HIT" + strings.Repeat("b", 10_000)
	got := Preview(line, 10_000, 2000)
	assert.True(t, strings.HasPrefix(got, ellipsis+strings.Repeat("a", lead)+"HITb"), got[:100])
	assert.Len(t, got, 2000+len(truncated))
}

func FuzzPreview(f *testing.F) {
	f.Add("plain", 0, 10)
	f.Add(strings.Repeat("日本語😀é", 50), 60, 33)
	f.Add("\ufeff"+strings.Repeat("x", 40), 39, 7)
	f.Add("aé日😀", 3, 2)
	f.Add(strings.Repeat("\ufeff", 9), 4, 4)
	f.Fuzz(func(t *testing.T, line string, hit, limit int) {
		line = strings.ToValidUTF8(line, "\ufffd")
		limit = max(1, limit%5000)
		if n := len(line); n > 0 {
			hit = boundary(line, max(0, hit)%n) // where ripgrep reports hits: between characters
		} else {
			hit = 0
		}
		got := Preview(line, hit, limit)
		if !utf8.ValidString(got) {
			t.Fatalf("a character is split: %q", got)
		}
		bare := strings.TrimPrefix(line, byteOrderMark)
		body, marked := strings.CutSuffix(got, truncated)
		if len(bare) <= limit {
			if got != bare {
				t.Fatalf("%q fits in %d bytes and became %q", bare, limit, got)
			}
			return
		}
		if !marked {
			t.Fatalf("the cut is not marked: %q", got)
		}
		if len(body) > limit {
			t.Fatalf("%d bytes are shown, at most %d may be", len(body), limit)
		}
		window := strings.TrimPrefix(body, ellipsis)
		if !strings.Contains(bare, window) && !strings.Contains(bare, body) {
			t.Fatalf("%q is no part of %q", body, bare)
		}
		// What is hit is in the window, where there is room for it at all.
		at := hit - (len(line) - len(bare))
		if at < 0 || at >= len(bare) || limit < len(ellipsis)+2*utf8.UTFMax {
			return
		}
		_, size := utf8.DecodeRuneInString(bare[at:])
		if !strings.Contains(window, bare[at:at+size]) {
			t.Fatalf("the hit %q is not in %q", bare[at:at+size], window)
		}
	})
}
