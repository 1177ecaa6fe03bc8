package failure

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// plain is an error with a code and nothing more.
type plain struct{ code string }

func (p plain) Error() string       { return "it " + p.code }
func (p plain) FailureCode() string { return p.code }

// full says everything about itself.
type full struct{ plain }

func (full) FailureDetails() any   { return map[string]int{"found": 3} }
func (full) FailureMender() Mender { return Caller }
func (full) FailureText() string   { return "other words" }

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name    string
		err     error
		want    Failure
		details string
	}{
		{"no code", errors.New("odd"), Failure{Name: RuntimeError, Code: Internal, Message: "odd"}, "{}"},
		{"a code that is not listed", plain{"NOVEL"}, Failure{Name: RuntimeError, Code: Internal, Message: "it NOVEL"}, "{}"},
		{"time mends it", plain{Busy}, Failure{Name: RuntimeError, Code: Busy, Retryable: true, Message: "it RUNTIME_BUSY"}, "{}"},
		{"the program", plain{SearchAborted}, Failure{Name: SearchError, Code: SearchAborted, Message: "it SEARCH_ABORTED"}, "{}"},
		{"it says all itself", full{plain{SearchAborted}}, Failure{Name: SearchError, Code: SearchAborted, Retryable: true, Message: "other words"}, `{"found":3}`},
		{"wrapped", fmt.Errorf("a: %w", plain{SpillQuota}), Failure{Name: SpillError, Code: SpillQuota, Retryable: true, Message: "it SPILL_QUOTA"}, "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Of(c.err)
			assert.JSONEq(t, c.details, string(got.Details))
			c.want.Details = got.Details
			assert.Equal(t, &c.want, got)
		})
	}
}

func TestDetailsWithoutAFormAreNone(t *testing.T) {
	assert.Equal(t, "{}", string(object(func() {})))
	assert.Equal(t, "{}", string(object(Detail("field", ""))))
	assert.Equal(t, `{"field":"a"}`, string(object(Detail("field", "a"))))
}

func TestNumbersAreOurOwnAndUnique(t *testing.T) {
	seen := map[int64]string{}
	for _, row := range Rows() {
		assert.Greater(t, row.Number, int64(1000), row.Code)
		assert.Empty(t, seen[row.Number], row.Code)
		seen[row.Number] = row.Code
		assert.Equal(t, row.Number, Number(row.Code))
		assert.NotEmpty(t, row.Mender, row.Code)
		assert.NotEmpty(t, row.Class, row.Code)
		assert.NotEmpty(t, row.When, row.Code)
	}
	assert.Equal(t, Number(Internal), Number("NOVEL"))
}

func TestShorten(t *testing.T) {
	assert.Equal(t, "short", Shorten("short"))
	assert.Equal(t, "bad \ufffd", Shorten("bad \xff"))
	long := "begin " + strings.Repeat("€", MaxTextBytes) + " end"
	cut := Shorten(long)
	assert.LessOrEqual(t, len(cut), MaxTextBytes)
	assert.Greater(t, len(cut), MaxTextBytes-10)
	assert.True(t, utf8.ValidString(cut), "characters stay whole")
	assert.True(t, strings.HasPrefix(cut, "begin €") && strings.HasSuffix(cut, "€ end"))
}

func TestClip(t *testing.T) {
	assert.Equal(t, "name", Clip("name"))
	assert.Equal(t, "\ufffd", Clip("\xff"))
	assert.Equal(t, strings.Repeat("é", maxName), Clip(strings.Repeat("é", maxName)))
	assert.Equal(t, strings.Repeat("é", maxName)+"...", Clip(strings.Repeat("é", maxName+1)))
	assert.Equal(t, strings.Repeat("😀", maxName)+"...", Clip(strings.Repeat("😀", 1<<20)))
}
