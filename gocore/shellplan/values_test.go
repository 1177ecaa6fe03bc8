package shellplan

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// full is a plan with a value in every field.
func full() Plan {
	word := Word{Raw: []byte("a\xff*"), Mask: []byte{0, 0, 1}, Pattern: true, Glob: GlobDot | GlobSkipDots}
	step := CwdStep{Word: Word{Raw: []byte("d")}, Mode: CwdPhysical, CDPath: [][]byte{[]byte("\xfe"), []byte("p")}, Span: Span{1, 2}}
	return Plan{
		Source: []byte("cat \xff"), Start: []byte("/r\xff"),
		Shell: Shell{Dialect: DialectBash, Version: 502, Locale: LocaleC, Glob: GlobSkipDots},
		Segments: []Segment{{
			Command: "cat", Span: Span{0, 5}, Cwds: []Cwd{{}, {Steps: []CwdStep{step}}}, Reach: ReachAlways,
			Candidates: []Candidate{{
				Word: word, Kind: KindWord, Access: AccessWrite, NoFollow: true, DirOnly: true, Parents: true,
				Traversal: &Traversal{FollowRoot: true, Links: LinksOpen, MaxDepth: 2, Match: &word, Hidden: true, DirsOnly: true},
				Into:      &Into{Always: true, From: []int{0}, Names: [][]byte{[]byte("n\xff")}}, Chdir: []CwdStep{step},
				Redirect: &Redirect{Op: ">", Fd: 1, OneMatch: true}, OptionSafe: true, Resplit: true, Script: ScriptSed, Implicit: ImplicitJudged,
				Names: [][]byte{[]byte(".bak")}, Text: []byte("'a\xff'"), Span: Span{4, 5},
			}},
			Effects: []Effect{{Kind: EffectLink, Candidate: 0, From: []int{0}, Target: []byte("t\xff"), VisibleFrom: 1}, {Kind: EffectAny, Candidate: -1}},
			Checks:  []Check{{Kind: CheckGit, Chdir: []CwdStep{step}, Hooks: []string{"h"}, Keys: []string{"k"}, Attributes: true, Files: [][]byte{[]byte("/f")}, Span: Span{0, 1}}},
			Opaque:  []Opaque{{Code: OpaqueDynamic, Word: []byte("w\xff"), Detail: "d", Span: Span{0, 1}}},
		}},
		Nested: []Nested{{Segment: 0, How: "eval", Plan: Plan{Shell: Shell{Dialect: DialectDash}, Opaque: []Opaque{{Code: OpaqueSyntax}}}}},
		Opaque: []Opaque{{}},
	}
}

func TestPlansTravelAsJSON(t *testing.T) {
	p := full()
	data, err := json.Marshal(p)
	require.NoError(t, err)
	var back Plan
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, p, back)
	assert.Contains(t, string(data), `"raw":"a\\xff*","rawBytes":"Yf8q","mask":"qqa"`)
}

// A malformed plan names the field that is wrong.
func TestMalformedPlansNameTheField(t *testing.T) {
	for field, change := range map[string]func(*Plan){
		"shell.dialect":                                func(p *Plan) { p.Shell.Dialect = 0 },
		"shell.locale":                                 func(p *Plan) { p.Shell.Locale = 9 },
		"start":                                        func(p *Plan) { p.Start = []byte("rel") },
		"segments":                                     func(p *Plan) { p.Segments, p.Nested, p.Opaque = nil, nil, nil },
		"segments[0].span":                             func(p *Plan) { p.Segments[0].Span.End = 99 },
		"segments[0].cwds":                             func(p *Plan) { p.Segments[0].Cwds = nil },
		"segments[0].reach":                            func(p *Plan) { p.Segments[0].Reach = 7 },
		"segments[0].cwds[1].steps[0].mode":            func(p *Plan) { p.Segments[0].Cwds[1].Steps[0].Mode = 7 },
		"segments[0].candidates[0].kind":               func(p *Plan) { p.Segments[0].Candidates[0].Kind = 0 },
		"segments[0].candidates[0].access":             func(p *Plan) { p.Segments[0].Candidates[0].Access = 0 },
		"segments[0].candidates[0].mask":               func(p *Plan) { p.Segments[0].Candidates[0].Mask = []byte{1} },
		"segments[0].candidates[0].raw":                func(p *Plan) { p.Segments[0].Candidates[0].Raw = []byte("a\x00b") },
		"segments[0].candidates[0].glob":               func(p *Plan) { p.Segments[0].Candidates[0].Glob |= GlobKeepDots },
		"segments[0].candidates[0].names[0]":           func(p *Plan) { p.Segments[0].Candidates[0].Names[0] = nil },
		"segments[0].candidates[0].names":              func(p *Plan) { p.Segments[0].Candidates[0].Kind, p.Segments[0].Candidates[0].Names = KindUpward, nil },
		"segments[0].candidates[0].script":             func(p *Plan) { p.Segments[0].Candidates[0].Script = "perl" },
		"segments[0].candidates[0].into.from[0]":       func(p *Plan) { p.Segments[0].Candidates[0].Into.From[0] = 3 },
		"segments[0].candidates[0].traversal.links":    func(p *Plan) { p.Segments[0].Candidates[0].Traversal.Links = 9 },
		"segments[0].candidates[0].traversal.maxDepth": func(p *Plan) { p.Segments[0].Candidates[0].Traversal.MaxDepth = -1 },
		"segments[0].effects[0].candidate":             func(p *Plan) { p.Segments[0].Effects[0].Candidate = 5 },
		"segments[0].effects[1].candidate":             func(p *Plan) { p.Segments[0].Effects[1].Candidate = 0 },
		"segments[0].effects[0].visibleFrom":           func(p *Plan) { p.Segments[0].Effects[0].VisibleFrom = 5 },
		"segments[0].checks[0].kind":                   func(p *Plan) { p.Segments[0].Checks[0].Kind = 0 },
		"segments[0].checks[0].files[0]":               func(p *Plan) { p.Segments[0].Checks[0].Files[0] = []byte("rel") },
		"segments[0].opaque[0].code":                   func(p *Plan) { p.Segments[0].Opaque[0].Code = 99 },
		"nested[0].segment":                            func(p *Plan) { p.Nested[0].Segment = 4 },
		"nested[0].plan.shell.dialect":                 func(p *Plan) { p.Nested[0].Plan.Shell.Dialect = 0 },
	} {
		t.Run(field, func(t *testing.T) {
			p := full()
			require.NoError(t, p.Validate())
			change(&p)
			err := p.Validate()
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, field, e.Field)
			assert.ErrorIs(t, err, &Error{Code: CodeBadPlan})
			assert.Contains(t, err.Error(), field)
			_, err = json.Marshal(p)
			assert.Error(t, err, "it cannot be written either")
		})
	}
}

func TestMalformedJSONNamesTheField(t *testing.T) {
	whole := func(field string) string {
		return `{"source":"x","shell":{"dialect":"bash"},"segments":[{"span":{"start":0,"end":1},"cwds":[{}],"candidates":[{"raw":"a","kind":"word","access":"read","span":{"start":0,"end":1}` + field + `}]}]}`
	}
	var ok Plan
	require.NoError(t, json.Unmarshal([]byte(whole("")), &ok))
	assert.Equal(t, ReachMaybe, ok.Segments[0].Reach)
	for text, field := range map[string]string{
		whole(`,"access":"look"`):                   "segments[0].candidates[0].access",
		whole(`,"kind":"?"`):                        "segments[0].candidates[0].kind",
		whole(`,"mask":"x"`):                        "segments[0].candidates[0].mask",
		whole(`,"glob":["nosuch"]`):                 "segments[0].candidates[0].glob[0]",
		whole(`,"names":["a"],"namesBytes":[]`):     "segments[0].candidates[0].namesBytes",
		whole(`,"traversal":{"links":"some"}`):      "segments[0].candidates[0].traversal.links",
		whole(`,"nosuch":1`):                        "segments[0].candidates[0].nosuch",
		whole(`,"access":7`):                        "segments[0].candidates[0].access",
		`[]`:                                        "",
		`{"source":1}`:                              "source",
		`{"shell":{"dialect":"zsh"},"segments":[]}`: "shell.dialect",
		whole("") + "{}":                            "",
	} {
		t.Run(text[max(0, len(text)-60):], func(t *testing.T) {
			var p Plan
			err := p.UnmarshalJSON([]byte(text))
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, CodeBadPlan, e.Code)
			assert.Equal(t, field, e.Field)
			assert.NotEmpty(t, e.Message)
		})
	}
}

func TestBoundsOfAPlanThatIsHandedIn(t *testing.T) {
	p := Plan{Shell: Shell{Dialect: DialectBash}, Segments: []Segment{{Cwds: []Cwd{{}}}}}
	word := Candidate{Word: Word{Raw: []byte("a")}, Kind: KindWord, Access: AccessRead}
	for range 100_000 {
		p.Segments[0].Candidates = append(p.Segments[0].Candidates, word)
	}
	require.NoError(t, p.Validate())
	p.Segments[0].Candidates = append(p.Segments[0].Candidates, p.Segments[0].Candidates...)
	assert.ErrorContains(t, p.Validate(), "candidates")
	p.Segments[0].Candidates = []Candidate{{Word: Word{Raw: []byte(strings.Repeat("a", 1<<20))}, Kind: KindWord, Access: AccessRead}}
	assert.NoError(t, p.Validate(), "a long word is the kernel's to refuse")
	nested := p
	for range MaxNesting + 1 {
		nested = Plan{Shell: p.Shell, Segments: []Segment{{Cwds: []Cwd{{}}}}, Nested: []Nested{{Plan: nested}}}
	}
	assert.ErrorContains(t, nested.Validate(), "nested deeper")
}

func TestErrorsUnwrap(t *testing.T) {
	cause := errors.New("cause")
	e := &Error{Code: CodeBadPlan, Message: "m", Err: cause}
	assert.ErrorIs(t, e, cause)
	assert.False(t, errors.Is(e, &Error{Code: "OTHER"}))
	assert.Equal(t, "ESTABLISH_BAD_PLAN: m", e.Error())
}

func TestEscapeText(t *testing.T) {
	text, raw := EscapeText([]byte("bad\xff.txt"))
	assert.Equal(t, `bad\xff.txt`, text)
	assert.Equal(t, []byte("bad\xff.txt"), raw)
	text, raw = EscapeText([]byte("é"))
	assert.Equal(t, "é", text)
	assert.Nil(t, raw)
}
