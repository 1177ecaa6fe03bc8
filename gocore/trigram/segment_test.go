package trigram

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// naive returns the runs of a text in the plainest way.
func naive(text []byte) map[uint32]bool {
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = text[:end]
	}
	all := map[uint32]bool{}
	for i := 0; i+3 <= len(text); i++ {
		if !bytes.ContainsAny(text[i:i+3], "\r\n") {
			all[pack(string(text), i)] = true
		}
	}
	return all
}

func FuzzCollect(f *testing.F) {
	for _, text := range []string{"", "a", "ab", "abc", "ab\nabc", "\n\n\n", "a\r\nbcd\x00efg", "\nab", "a\nb", "\xff\xfea\x00", "\u212aelvin", "aaaa"} {
		f.Add([]byte(text))
	}
	c := newCollector()
	f.Fuzz(func(t *testing.T, text []byte) {
		runs, is := c.collect(text)
		if is&Opaque != 0 {
			return
		}
		got := map[uint32]bool{}
		for _, run := range runs {
			assert.False(t, got[run], "each once")
			got[run] = true
		}
		assert.Equal(t, naive(text), got)
		assert.Equal(t, bytes.IndexByte(text, 0) >= 0, is&Binary != 0)
	})
}

// Rule: a segment finds just the texts that fulfil a condition, however long the
// lists are.
func TestSegment(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, texts := range []int{0, 1, 63, 64, 65, 3000} {
		b := NewBuilder()
		runs := make([]map[uint32]bool, texts)
		for i := range texts {
			text := []byte("common ")
			for range 1 + random.IntN(4) {
				text = fmt.Appendf(text, "w%02d ", random.IntN(60))
			}
			if i%700 == 3 {
				text = append(text, "rare"...)
			}
			number, is := b.Add(text)
			assert.Equal(t, i, number)
			assert.Zero(t, is)
			runs[i] = naive(text)
		}
		s := b.Build()
		assert.Equal(t, texts, s.Texts())
		var fulfils func(c *Condition, has map[uint32]bool) bool
		fulfils = func(c *Condition, has map[uint32]bool) bool {
			for _, run := range c.tri {
				if !has[run] {
					return false
				}
			}
			for _, sub := range c.and {
				if !fulfils(sub, has) {
					return false
				}
			}
			some := len(c.or) == 0
			for _, sub := range c.or {
				some = some || fulfils(sub, has)
			}
			return some
		}
		for _, pattern := range []string{"common", "rare", "w01", "w0[1-9]", "w01.*w02", "nothing", "(w01|w02|rare) ", "(common|nothing).*w59", ".", "(?i)RARE"} {
			plan := Make(Pattern{Text: pattern})
			var want, got []int
			for i := range texts {
				if fulfils(plan.Condition, runs[i]) {
					want = append(want, i)
				}
			}
			found := s.Match(plan.Condition)
			found.Each(func(n int) { got = append(got, n) })
			assert.Equal(t, len(want), found.Len())
			assert.Equal(t, want, got, "%d texts, %s", texts, pattern)
		}
	}
}

func TestBuilderIsFull(t *testing.T) {
	b := NewBuilder()
	assert.False(t, b.Full())
	for range maxTexts {
		b.Add([]byte("x"))
	}
	assert.True(t, b.Full())
	assert.Equal(t, maxTexts, b.Build().Texts())
	assert.False(t, b.Full())
	assert.Zero(t, b.Texts())
}

func TestOpaque(t *testing.T) {
	b := NewBuilder()
	random := rand.New(rand.NewPCG(7, 8))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(1 + random.IntN(255))
	}
	for what, text := range map[string][]byte{
		"UTF-16":              []byte("\xff\xfea\x00b\x00"),
		"UTF-16, big endian":  []byte("\xfe\xff\x00a\x00b"),
		"too large":           make([]byte, MaxText+1),
		"too many runs in it": noise,
	} {
		_, is := b.Add(text)
		assert.NotZero(t, is&Opaque, what)
	}
	assert.Zero(t, b.Texts())
}

func BenchmarkAdd(b *testing.B) {
	text := bytes.Repeat([]byte("func (t *Tree) Barrier() Lost { return t.lost } // 0123456789\n"), 1000)
	builder := NewBuilder()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		builder.Add(text)
		if builder.Full() {
			builder.Build()
		}
	}
}
