package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func inDirs(c shellplan.Candidate, cwds ...shellplan.Cwd) *shellplan.Plan {
	return plan(shellplan.Segment{Cwds: cwds, Candidates: []shellplan.Candidate{c}})
}

func targets(e *Established) (out []string) {
	for _, r := range e.Segments[0].Resolutions {
		out = append(out, r.Target())
	}
	return out
}

func mode(m shellplan.CwdMode, words ...string) shellplan.Cwd {
	c := cd(words...)
	for i := range c.Steps {
		c.Steps[i].Mode = m
	}
	return c
}

// cd reads its operand as a text, operands are walked by the kernel.
func TestCd(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    string
		cwd  shellplan.Cwd
		want []string
	}{
		{"down", "main.go", cd("src"), []string{"/r/src/main.go"}},
		{"down and up in the text", "a.txt", cd("up", ".."), []string{"/r/a.txt"}},
		{"up by the operand", "../util.go", cd("up"), []string{"/r/src/util.go"}},
		{"in one word", "x", cd("up/.."), []string{"/r/x"}},
		{"physical", "x", mode(shellplan.CwdPhysical, "up/.."), []string{"/r/src/x"}},
		{"physical, then logical", "x", shellplan.Cwd{Steps: append(mode(shellplan.CwdPhysical, "up").Steps, cd("..").Steps...)}, []string{"/r/src/x"}},
		{"chdir of a child", "x", mode(shellplan.CwdProcess, "up", ".."), []string{"/r/src/x"}},
		{"absolute", "s.txt", cd("/out/d"), []string{"/out/d/s.txt"}},
		{"out and in", "x", cd("dlink-out/.."), []string{"/r/x"}},
		{"missing", "../x", cd("nope/sub"), []string{"/r/nope/x"}},
		{"a file", "x", cd("a.txt"), []string{"/r/a.txt"}},
		{"empty", "a.txt", cd(""), []string{"/r/a.txt"}},
		{"a pattern", "x", cd("s?c"), []string{"/r/src/x"}},
		{"a pattern of two", "x", cd("[u.][ps]*"), []string{"/r/src/sub/x"}},
		// The text leads to what is not there, the kernel to what is: bash
		// hands the operand to the kernel then.
		{"the text is not there", "x", cd("up/../sub"), []string{"/r/sub/x", "/r/src/sub/x"}},
		{"what is taken back is not there", "x", cd("nope/../src"), []string{"/r/src/x", "/r/src/x"}},
	} {
		got := targets(establishIn(t, world(), inDirs(read(tt.c), tt.cwd)))
		assert.Equal(t, tt.want, got, tt.name)
	}
	dash := inDirs(read("x"), cd("up/../sub"))
	dash.Shell = shellplan.Shell{Dialect: shellplan.DialectDash}
	assert.Equal(t, []string{"/r/sub/x"}, targets(establishIn(t, world(), dash)), "dash takes the text")
}

func TestCwdSet(t *testing.T) {
	e := establishIn(t, world(), inDirs(read("x"), cd("src"), shellplan.Cwd{}))
	assert.Equal(t, []string{"/r/src/x", "/r/x"}, targets(e), "after `cd src; cat x`")
	assert.Equal(t, 1, e.Segments[0].Resolutions[1].Cwd)
	e = establishIn(t, world(), inDirs(read("/r/a.txt"), cd("src"), shellplan.Cwd{}))
	assert.Equal(t, []string{"/r/a.txt"}, targets(e), "an absolute word needs no directory")
	assert.Equal(t, -1, e.Segments[0].Resolutions[0].Cwd)

	p := plan(shellplan.Segment{CwdUnknown: true, Candidates: []shellplan.Candidate{read("x"), read("/r/a.txt")}})
	e = establishIn(t, world(), p)
	assert.Equal(t, CwdUnknown, e.Segments[0].Resolutions[0].Reason)
	assert.Equal(t, "/r/a.txt", e.Segments[0].Resolutions[1].Target())
}

func TestCdPath(t *testing.T) {
	c := cd("d")
	c.Steps[0].CDPath = [][]byte{[]byte("/nowhere"), []byte("/out"), nil}
	assert.Equal(t, []string{"/out/d/s.txt"}, targets(establishIn(t, world().Dir("/r/d"), inDirs(read("s.txt"), c))))
	c.Steps[0].Raw = []byte("./d")
	assert.Equal(t, []string{"/r/d/s.txt"}, targets(establishIn(t, world().Dir("/r/d"), inDirs(read("s.txt"), c))))
}

// A shell that is not handed PWD takes the path itself for it.
func TestStartThroughALink(t *testing.T) {
	w := world().Link("/ws", "/r/src")
	b := rootBoundary
	b.Cwd = "/ws"
	assert.Equal(t, []string{"/r/src/main.go"}, targets(establishAt(t, w, b, inDirs(read("main.go"), shellplan.Cwd{}))))
	assert.Equal(t, []string{"/a.txt", "/r/a.txt"}, targets(establishAt(t, w, b, inDirs(read("a.txt"), cd("..")))))
	assert.Equal(t, []string{"/r/a.txt"}, targets(establishAt(t, w, b, inDirs(read("../a.txt"), shellplan.Cwd{}))))
}

func TestStart(t *testing.T) {
	p := simple(read("a.txt"))
	p.Start = []byte("/r")
	b := rootBoundary
	b.Cwd = ""
	assert.Equal(t, []string{"/r/a.txt"}, targets(establishAt(t, world(), b, p)))
	assert.Equal(t, CwdUnknown, establishAt(t, world(), b, simple(read("a.txt"))).Segments[0].Resolutions[0].Reason)
	e, err := New(world(), rootBoundary)
	assert.NoError(t, err)
	p.Start = []byte("/elsewhere")
	_, err = e.Establish(t.Context(), p)
	assert.ErrorIs(t, err, &Error{Code: CodeBadPlan})
}

func TestChdirOfAWord(t *testing.T) {
	c := write("o.txt", func(c *shellplan.Candidate) { c.Chdir = mode(shellplan.CwdProcess, "up").Steps })
	assert.Equal(t, []string{"/r/src/sub/o.txt"}, targets(establishIn(t, world(), inDirs(c, cd("src", "..")))))
}

// A directory that cannot be reached leaves its words without an answer.
func TestDeniedDirectory(t *testing.T) {
	w := execenvtest.New().Dir("/home/u").Dir("/r/shut/in").NoSearch("/r/shut")
	r := establishIn(t, w, inDirs(read("x"), cd("shut/in"))).Segments[0].Resolutions[0]
	assert.Equal(t, SearchDenied, r.Reason)
}
