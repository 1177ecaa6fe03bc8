package render

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestExcerpt(t *testing.T) {
	for name, c := range map[string]struct {
		text         string
		offset, size int64
		limit        int
		want         Part
	}{
		"all":                    {"a\nb\n", 0, 4, 1000, Part{"a\nb", 4, ""}},
		"a part, whole lines":    {"a\nb\ncut", 0, 99, 1000, Part{"a\nb", 4, "(Bytes 0 to 4 of 99. Read on with offset 4.)"}},
		"a part of one line":     {"abc", 7, 99, 1000, Part{"abc", 3, "(Bytes 7 to 10 of 99. Read on with offset 10.)"}},
		"the end":                {"abc", 7, 10, 1000, Part{"abc", 3, "(Bytes 7 to 10 of 10: the end.)"}},
		"nothing":                {"", 10, 10, 1000, Part{"(Nothing follows: the saved result has 10 bytes.)", 0, ""}},
		"an escape":              {"\x1b[1mx", 0, 5, 1000, Part{`\x1b[1mx`, 5, ""}},
		"bytes that are no text": {"\xff\xfex", 0, 3, 1000, Part{`\xff\xfex`, 3, ""}},
		"a cut character":        {"x\xe2\x82", 0, 99, 1000, Part{"x", 1, "(Bytes 0 to 1 of 99. Read on with offset 1.)"}},
		"only a cut character":   {"\xe2\x82", 0, 2, 1000, Part{`\xe2\x82`, 2, ""}},
		"the ceiling":            {strings.Repeat("x", 50), 0, 50, maxExcerptFoot + 10, Part{strings.Repeat("x", 10), 10, "(Bytes 0 to 10 of 50. Read on with offset 10.)"}},
		"no room at all":         {"日本", 0, 6, 1, Part{"日", 3, "(Bytes 0 to 3 of 6. Read on with offset 3.)"}},
	} {
		assert.Equal(t, c.want, Excerpt([]byte(c.text), c.offset, c.size, c.limit), name)
	}
}

// Whoever reads on sees every byte once, and no page is over its ceiling.
func TestExcerptsTakeTheWholeTextOnce(t *testing.T) {
	text := strings.Repeat("日本\x1b\u202e\xff x\n", 300) + strings.Repeat("long", 500) + "\n\n\nend"
	for _, limit := range []int{1, maxExcerptFoot + 7, 400, 100_000} {
		var shown strings.Builder
		for at := int64(0); at < int64(len(text)); {
			end := min(len(text), int(at)+limit)
			part := Excerpt([]byte(text[at:end]), at, int64(len(text)), limit)
			assert.Positive(t, part.Bytes)
			assert.True(t, utf8.ValidString(part.Text))
			if limit > maxExcerptFoot {
				assert.LessOrEqual(t, len(part.Text)+len("\n\n")+len(part.Foot), limit+len("\n\n"))
			}
			shown.WriteString(text[at : at+part.Bytes])
			at += part.Bytes
		}
		assert.Equal(t, text, shown.String())
	}
}
