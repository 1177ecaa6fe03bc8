package shellplan

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Options say what is known about the shell that will run the text.
type Options struct {
	// Dialect is the shell's language. Unset, the text is read as bash where
	// it parses and every segment says that the shell is not known.
	Dialect Dialect
	// Version is the shell's version as in Shell.Version; 0 is unknown.
	Version int
	// Sh is what `sh` runs; unset, an sh of unknown make.
	Sh Dialect
	// Cwd is the absolute logical directory the text starts in (PWD); empty
	// leaves words that need it ($PWD, ~+) unknown.
	Cwd string
	// Env is the environment the shell gets. HOME and PATH are read from it.
	Env map[string]string
	// EnvComplete says that a variable which is not in Env is unset. If not,
	// it is unknown, and a word made from it is dynamic; variables that
	// steer the shell (BASH_ENV, CDPATH, IFS) are taken as unset either way.
	EnvComplete bool
	// Args are $0, $1 and so on, for a text run with arguments.
	Args []string
}

// Build reads a command text. It never fails: a text it cannot read is a plan
// without segments and with the reason in Opaque. Time and memory are bounded
// by the constants of limits.go whatever the text.
func Build(command string, o Options) *Plan {
	b := &budget{steps: maxSteps, bytes: MaxExpansion, segments: MaxSegments, candidates: MaxCandidates}
	p := newPlanner(b, []byte(command), o)
	st := p.initialState()
	p.run(st)
	return p.plan
}

// budget is shared by a plan and everything nested in it.
type budget struct {
	steps      int // statements evaluated, loops unrolled and functions inlined
	bytes      int // bytes produced by expansions
	segments   int
	candidates int
	nesting    int  // current depth of nested plans
	wrote      bool // a command before may have written files of any name
}

// maxSteps bounds how many simple and compound commands one text may evaluate:
// a loop of static words is unrolled, a function inlined.
const maxSteps = 50_000

// tooLarge is the sentinel that leaves the walk when a bound is passed.
type tooLarge struct{ what string }

// planner builds one plan; nested texts get a planner of their own on the same
// budget.
type planner struct {
	opts    Options
	plan    *Plan
	budget  *budget
	src     source
	base    baseVars
	reach   int          // > 0 below a condition
	visible int          // first segment that sees effects made now; -1: the next one
	depth   int          // compound nesting
	calls   int          // function inlining depth
	loops   []*loopFrame // innermost last
	frames  []*callFrame // functions, innermost last
	out     output       // what the statements so far print
	prints  int          // how many commands said what they print
	choice  *choice      // case splitting over variables with alternatives
	callee  []string     // names of functions being inlined
	listen  int          // > 0 while something reads what commands print
	looping int          // > 0 inside a loop, its condition included
	pending []Opaque     // reasons met in expansions, for the next segment
	dry     int          // > 0 while a loop looks for its fixed point
}

func newPlanner(b *budget, src []byte, o Options) *planner {
	p := &planner{opts: o, budget: b, visible: -1}
	p.plan = &Plan{Source: src, Shell: profile(o)}
	if strings.HasPrefix(o.Cwd, "/") && !strings.Contains(o.Cwd, "\x00") {
		p.plan.Start = []byte(o.Cwd)
	}
	p.base = newBaseVars(o)
	return p
}

// profile is the shell before the text changes it.
func profile(o Options) Shell {
	s := Shell{Dialect: o.Dialect, Version: o.Version, Locale: localeOf(o)}
	if _, ok := dialectNames[s.Dialect]; !ok {
		s.Dialect = DialectPosix
	}
	if s.Dialect == DialectBash && s.Version >= 502 {
		s.Glob |= GlobSkipDots
	}
	return s
}

// localeOf reads what matching depends on. A name other than C gives no
// certainty: the locale may not be installed, so both readings hold.
func localeOf(o Options) Locale {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := o.Env[name]; v != "" {
			if v == "C" || v == "POSIX" {
				if name != "LC_ALL" && o.Env["LC_COLLATE"] != "" && o.Env["LC_COLLATE"] != v {
					return LocaleUnknown
				}
				return LocaleC
			}
			return LocaleUnknown
		}
	}
	if o.EnvComplete && o.Env["LC_COLLATE"] == "" {
		return LocaleC
	}
	return LocaleUnknown
}

// run parses and walks the text. Whatever goes wrong becomes a reason.
func (p *planner) run(st *state) (end flow) {
	end = flow{st, st}
	whole := Span{0, len(p.plan.Source)}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case tooLarge:
			p.plan.Opaque = append(p.plan.Opaque, Opaque{
				Code: OpaqueTooLarge, Span: whole,
				Detail: "the text has " + r.what,
			})
			p.abandon()
		default:
			// The parser is not ours and reads hostile text.
			p.plan.Opaque = append(p.plan.Opaque, Opaque{
				Code: OpaqueSyntax, Span: whole,
				Detail: shown(fmt.Sprintf("reading the text failed: %v", r)),
			})
			p.abandon()
		}
		if p.dry > 0 {
			p.dry = 0
		}
	}()
	file, reason := p.parse()
	if reason != nil {
		p.plan.Opaque = append(p.plan.Opaque, *reason)
		return end
	}
	p.environment(st)
	end = p.stmts(file.Stmts, st)
	if len(p.plan.Segments) == 0 { // comments, assignments, functions: nothing is touched
		p.segmentOf("", whole, st)
	}
	return end
}

// abandon drops what a walk that was cut short may have left half made: the
// segments stay, since each is whole, but indices beyond them do not.
func (p *planner) abandon() {
	for i := range p.plan.Segments {
		s := &p.plan.Segments[i]
		for j := range s.Effects {
			s.Effects[j].VisibleFrom = min(s.Effects[j].VisibleFrom, len(p.plan.Segments))
		}
	}
}

// source maps between the text that is parsed and the one that was given.
// The parser wants UTF-8: bytes that are none travel as private characters.
type source struct {
	text  string  // what the parser reads
	moved []shift // ascending
	sums  []int   // by how much the text is longer before each of them
}

// shift is a place of the parsed text from which on it is longer than what was
// given.
type shift struct{ at, by int }

// privateBase is the first of 256 characters, of the last private plane, that
// stand for single bytes. A text that has one of them already is refused.
const privateBase = 0x10FE00

// offset is a position of the parsed text in the bytes that were given.
func (s *source) offset(n int) int {
	if len(s.sums) <= len(s.moved) {
		s.sums = make([]int, 1, len(s.moved)+1)
		for _, m := range s.moved {
			s.sums = append(s.sums, s.sums[len(s.sums)-1]+m.by)
		}
	}
	i, _ := slices.BinarySearchFunc(s.moved, n, func(m shift, n int) int { return m.at - n })
	return n - s.sums[i]
}

// insert puts a blank before a position of the parsed text.
func (s *source) insert(at int) {
	s.text = s.text[:at] + " " + s.text[at:]
	i := 0
	for i < len(s.moved) && s.moved[i].at < at {
		i++
	}
	s.moved, s.sums = slices.Insert(s.moved, i, shift{at, 1}), nil
	for k := i + 1; k < len(s.moved); k++ {
		s.moved[k].at++
	}
}

// bytes undoes the private characters.
func (s *source) bytes(text string) []byte {
	if len(s.moved) == 0 {
		return []byte(text)
	}
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r >= privateBase && r < privateBase+256 {
			out = append(out, byte(r-privateBase))
		} else {
			out = append(out, string(r)...)
		}
	}
	return out
}

// encode fills the source from the given bytes.
func encode(b []byte) (source, bool) {
	text := string(b)
	if valid := strings.ToValidUTF8(text, ""); len(valid) == len(text) {
		return source{text: text}, true
	}
	var s source
	var out strings.Builder
	for i, r := range text {
		switch {
		case r >= privateBase && r < privateBase+256:
			return source{}, false
		case r == 0xFFFD && !strings.HasPrefix(text[i:], "\uFFFD"):
			s.moved = append(s.moved, shift{out.Len(), 3}) // four bytes for one
			out.WriteRune(rune(privateBase + int(text[i])))
		default:
			out.WriteRune(r)
		}
	}
	s.text = out.String()
	return s, true
}

func (p *planner) variant() syntax.LangVariant {
	if p.plan.Shell.Dialect == DialectBash {
		return syntax.LangBash
	}
	return syntax.LangPOSIX
}

// parse turns the text into a tree, or says why there is none.
func (p *planner) parse() (*syntax.File, *Opaque) {
	src := p.plan.Source
	why := func(code OpaqueCode, format string, args ...any) *Opaque {
		return &Opaque{Code: code, Detail: shown(fmt.Sprintf(format, args...)), Span: Span{0, len(src)}}
	}
	if len(src) > MaxSource {
		return nil, why(OpaqueTooLarge, "the text is longer than %d bytes", MaxSource)
	}
	if len(bytes.TrimSpace(src)) == 0 {
		return nil, why(OpaqueSyntax, "the command is empty")
	}
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return nil, why(OpaqueSyntax, "the text holds a NUL byte at offset %d, which no command line can carry", i)
	}
	if i := bytes.Index(src, []byte("\r\n")); i >= 0 {
		// The parser drops the carriage return, the shell keeps it as a part
		// of the last word.
		return nil, why(OpaqueSyntax, "a line ends in a carriage return at offset %d, which the shell takes as a part of the word before it", i)
	}
	if what := nestsTooDeep(src); what != "" {
		return nil, why(OpaqueTooLarge, "%s", what)
	}
	var ok bool
	if p.src, ok = encode(src); !ok {
		return nil, why(OpaqueSyntax, "the text is not UTF-8 and holds private characters")
	}
	file, err := p.tree()
	if err != nil {
		return nil, why(OpaqueSyntax, "the text does not parse as %s: %s", p.plan.Shell.Dialect, clip(err.Error(), 200))
	}
	return file, nil
}

// maxAmpersands bounds how often a text is parsed anew for `&>`.
const maxAmpersands = 16

// tree parses the text. To dash `a &> b` is `a &` and then `> b`, which the
// parser refuses: a blank makes it plain.
func (p *planner) tree() (*syntax.File, error) {
	for n := 0; ; n++ {
		file, err := syntax.NewParser(syntax.Variant(p.variant())).Parse(strings.NewReader(p.src.text), "")
		var lang syntax.LangError
		if err == nil || n >= maxAmpersands || p.plan.Shell.Dialect != DialectDash || !errors.As(err, &lang) {
			return file, err
		}
		at := int(lang.Pos.Offset())
		if at+1 >= len(p.src.text) || p.src.text[at:at+2] != "&>" {
			return file, err
		}
		p.src.insert(at + 1)
	}
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

const (
	// maxOpeners and maxArithOpeners bound how many openings of a nested
	// construct a text may hold. The parser recurses on them and a Go stack
	// that outgrows its limit ends the process: 10 kB a level were measured
	// for arithmetic and 5 kB for the rest.
	maxOpeners      = 20_000
	maxArithOpeners = 4_000
	// maxOpenAtOnce bounds them when closings are counted too, quoted or
	// not: no text that people write comes near.
	maxOpenAtOnce = 500
)

// nestsTooDeep looks at the raw text, before the parser does.
func nestsTooDeep(src []byte) string {
	open, total, arith, words := 0, 0, 0, 0
	for i, c := range src {
		switch c {
		case '(', '{':
			open++
			total++
			if c == '(' && i > 0 && src[i-1] == '(' {
				arith++
			}
		case ')', '}':
			open = max(open-1, 0)
		case '`':
			total++
		case 'f', 'o', 'e', 'l': // if, do (while, until, for), case, else, elif
			if endsKeyword(src, i) {
				words++
			}
		}
		if open > maxOpenAtOnce {
			return fmt.Sprintf("more than %d brackets open at once", maxOpenAtOnce)
		}
	}
	if total > maxOpeners || words > maxOpeners || arith > maxArithOpeners {
		return fmt.Sprintf("more than %d openings of nested constructs", min(total, maxOpeners))
	}
	return ""
}

// endsKeyword reports whether a word that opens a compound command ends at i.
func endsKeyword(src []byte, i int) bool {
	if i+1 < len(src) && (src[i+1] >= 'a' && src[i+1] <= 'z') {
		return false
	}
	for _, w := range []string{"if", "do", "while", "until", "case", "elif", "else"} {
		if i+1 >= len(w) && string(src[i+1-len(w):i+1]) == w {
			return true
		}
	}
	return false
}

// span is the place of a node in the plan's source.
func (p *planner) span(n syntax.Node) Span {
	return p.between(n.Pos(), n.End())
}

func (p *planner) between(from, to syntax.Pos) Span {
	s := Span{p.src.offset(int(from.Offset())), p.src.offset(int(to.Offset()))}
	if !from.IsValid() {
		s.Start = 0
	}
	if !to.IsValid() || s.End > len(p.plan.Source) {
		s.End = len(p.plan.Source)
	}
	if s.End < s.Start {
		s.End = s.Start
	}
	return s
}

// textOf is the source text of a span, cut short when it is long: it is for
// people.
func (p *planner) textOf(s Span) []byte {
	return p.plan.Source[s.Start:min(s.End, s.Start+maxShown)]
}
