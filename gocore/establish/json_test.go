package establish

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Every byte of a path survives the round trip.
func TestRoundTrip(t *testing.T) {
	w := world().File("/r/\xff\n.txt").Link("/r/\xfe", "/out/\x80x").File("/out/\x80x").Dir("/r\xff")
	b := rootBoundary
	b.ReadRoots = append(b.ReadRoots, "/r\xff")
	b.DenyPaths, b.HomeViews = []string{"/home/u/.ssh"}, []string{"/h\xfe"}
	p := plan(
		segment(read("*"), read("src", grepR), write("new"), read("\xfe"), read(""), read("n\xffo/../\xffx"), read("/dev/stdin")),
		segment(read("[[=a=]]"), read("zz*")),
	)
	p.Segments[0].Checks = []shellplan.Check{{Kind: shellplan.CheckAbsent, Files: [][]byte{[]byte("/r/\xff")}}}
	p.Nested = []shellplan.Nested{{Segment: 0, How: "$()", Plan: *simple(read("\xfe"))}}
	want := establishAt(t, w, b, p)
	text, err := json.Marshal(want)
	require.NoError(t, err)
	var got Established
	require.NoError(t, json.Unmarshal(text, &got))
	again, err := json.Marshal(&got)
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
	assert.Equal(t, want.Segments, got.Segments)
	assert.Equal(t, want.ReadRoots, got.ReadRoots)
	assert.Equal(t, want.Boundary, got.Boundary)
	assert.Equal(t, want.Nested[0].Segments, got.Nested[0].Segments)
	assert.Same(t, &got.Plan.Nested[0].Plan, got.Nested[0].Plan)
	assert.Contains(t, string(text), `"pathBytes"`)
	assert.Contains(t, string(text), `\\xfe`)
}

func TestBadJSON(t *testing.T) {
	good, err := json.Marshal(establishIn(t, world(), simple(read("a.txt"))))
	require.NoError(t, err)
	for text, code := range map[string]Code{
		`{}`:                      CodeBadEstablished,
		`{"plan":{}}`:             CodeBadPlan,
		string(good) + `{}`:       "",
		`[`:                       "",
		`{"segments":[],"bad":1}`: CodeBadEstablished,
		strings.Replace(string(good), `"candidate":0`, `"candidate":9`, 1):            CodeBadEstablished,
		strings.Replace(string(good), `"state":"established"`, `"state":"sure"`, 1):   CodeBadEstablished,
		strings.Replace(string(good), `"readRoots":["/r"]`, `"readRoots":["r"]`, 1):   CodeBadBoundary,
		strings.Replace(string(good), `"access":"read"`, `"access":"peek"`, 1):        CodeBadPlan,
		strings.Replace(string(good), `"nested"`, `"nested":[null],"n"`, 1) + ` [1] `: "",
	} {
		var e Established
		err := json.Unmarshal([]byte(text), &e)
		require.Error(t, err, text)
		if code != "" {
			assert.ErrorIs(t, err, &Error{Code: code}, text)
		}
	}
	var b Boundary
	assert.ErrorIs(t, json.Unmarshal([]byte(`{"readRoot":["/"]}`), &b), &Error{Code: CodeBadBoundary})
	assert.ErrorIs(t, json.Unmarshal([]byte(`{"cwd":"x"}`), &b), &Error{Code: CodeBadBoundary})
	require.NoError(t, json.Unmarshal([]byte(`{"readRoots":["x"],"readRootsBytes":["L/8="]}`), &b))
	assert.Equal(t, "/\xff", b.ReadRoots[0])
}

// A malformed plan is refused and its field named; nothing is asked.
func TestBadPlan(t *testing.T) {
	for field, p := range map[string]*shellplan.Plan{
		"segments[0].candidates[0].raw":          simple(read("a\x00b")),
		"segments[0].candidates[0].access":       simple(word("a", shellplan.Access(99))),
		"segments[0].candidates[1].into.from[0]": simple(read("a"), write("b", into(false, 5))),
		"segments[0].cwds":                       plan(shellplan.Segment{Candidates: []shellplan.Candidate{read("a")}}),
		"shell.dialect":                          {Source: []byte("x"), Segments: []shellplan.Segment{segment()}},
		"":                                       nil,
	} {
		w := world()
		e, err := New(w, rootBoundary)
		require.NoError(t, err)
		_, err = e.Establish(t.Context(), p)
		var own *Error
		require.ErrorAs(t, err, &own, field)
		assert.Equal(t, CodeBadPlan, own.Code)
		assert.Equal(t, Code("ESTABLISH_BAD_PLAN"), own.Code)
		assert.Equal(t, field, own.Field)
		assert.Empty(t, w.Calls())
		_, err = Lexically(p, rootBoundary)
		assert.ErrorIs(t, err, &Error{Code: CodeBadPlan}, field)
	}
}

func TestBadBoundary(t *testing.T) {
	for field, b := range map[string]Boundary{
		"readRoots[1]": {ReadRoots: []string{"/", "r"}}, "writeRoots[0]": {WriteRoots: []string{""}},
		"denyPaths[0]": {DenyPaths: []string{"/a\x00"}}, "home": {Home: "u"}, "homeViews[0]": {HomeViews: []string{"~"}}, "cwd": {Cwd: "."},
	} {
		_, err := New(world(), b)
		var own *Error
		require.ErrorAs(t, err, &own, field)
		assert.Equal(t, field, own.Field)
		_, err = Lexically(simple(), b)
		assert.ErrorIs(t, err, &Error{Code: CodeBadBoundary}, field)
	}
	_, err := New(nil, rootBoundary)
	assert.ErrorIs(t, err, &Error{Code: CodeBadBoundary})
}

// Words that no everyday text has get an answer, too.
func TestOddWords(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	bigPattern := strings.Repeat("[a", 1<<19) + "*"
	for _, c := range []shellplan.Candidate{read(big), read(big + "/*"), read(bigPattern), read(strings.Repeat("../", 5000)), read(strings.Repeat("*/", 2000)), read("\n"), read("\xff\xfe"), read("a\xff/../x")} {
		one(t, world(), c)
	}
	var many []shellplan.Candidate
	for range 100_000 {
		many = append(many, read("a.txt"))
	}
	e := establishIn(t, world(), simple(many...))
	assert.Len(t, e.Segments[0].Resolutions, 100_000)
	assert.Equal(t, "/r/a.txt", e.Segments[0].Resolutions[0].Target())
	assert.Equal(t, CapWork, e.Segments[0].Resolutions[99_999].Reason)
}

func FuzzPlan(f *testing.F) {
	for _, p := range []*shellplan.Plan{
		simple(read("a.txt"), write("dangle"), entry("dlink-out/")), simple(read("*/s.txt"), read("src", grepR)),
		inDirs(read("x"), cd("up/..", "s*")), simple(read("a.txt"), write("dlink-out", into(false, 0))),
		then(segment(entry("nl")), shellplan.EffectLink, 0, nil, read("nl/x")),
	} {
		text, err := json.Marshal(p)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var p shellplan.Plan
		if json.Unmarshal(text, &p) != nil {
			return
		}
		for _, b := range []Boundary{rootBoundary, {}} {
			e, err := New(world().Content("/r/.git", "gitdir: /x\n"), b)
			require.NoError(t, err)
			got, err := e.Establish(t.Context(), &p)
			if err != nil {
				require.ErrorIs(t, err, &Error{Code: CodeBadPlan})
				continue
			}
			for i := range got.Segments {
				for _, r := range got.Segments[i].Resolutions {
					if r.State == Unestablishable {
						require.Empty(t, r.Landings)
						require.NotEqual(t, NoReason, r.Reason)
					}
				}
			}
			out, err := json.Marshal(got)
			require.NoError(t, err)
			var back Established
			require.NoError(t, json.Unmarshal(out, &back))
			c, err := e.Reestablish(t.Context(), &back)
			require.NoError(t, err)
			require.False(t, c.Any(), "nothing moved")
			iso, err := New(execenvtest.Untouchable{Caps: isolated}, b)
			require.NoError(t, err)
			_, err = iso.Establish(t.Context(), &p)
			require.NoError(t, err)
		}
	})
}
