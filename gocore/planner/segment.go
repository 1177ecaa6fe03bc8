package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// segmentOf adds a segment that runs in the given state and gives its index.
// Reasons met while its words were expanded become its own.
func (p *planner) segmentOf(command string, span shellplan.Span, st *state) int {
	p.budget.spend(costSegment)
	if p.budget.segments--; p.budget.segments < 0 {
		panic(tooLarge{"more commands than a plan holds"})
	}
	s := shellplan.Segment{Command: command, Span: span, Reach: shellplan.ReachAlways}
	if p.reach > 0 || p.looping > 0 || len(p.frames) > 0 {
		s.Reach = shellplan.ReachMaybe
	}
	if st.cwdWhy != nil {
		s.CwdUnknown = true
	} else {
		for _, c := range st.cwds {
			s.Cwds = append(s.Cwds, shellplan.Cwd{Steps: c.steps, Failed: c.failed})
		}
	}
	if st.dirty != nil {
		s.Opaque = append(s.Opaque, shellplan.Opaque{
			Code: shellplan.OpaqueAfter, Span: span, Word: bytes.Clone(st.dirty.Word),
			Detail: "text that is not read ran in this shell before and may have changed what the command means",
		})
	}
	s.Opaque = append(s.Opaque, p.pending...)
	p.pending = nil
	p.plan.Segments = append(p.plan.Segments, s)
	return len(p.plan.Segments) - 1
}

func (p *planner) seg(i int) *shellplan.Segment { return &p.plan.Segments[i] }

// maxReasons bounds the reasons of one segment: the first ones say enough.
const maxReasons = 32

// opaque adds a reason to a segment, once.
func (p *planner) opaque(i int, code shellplan.OpaqueCode, span shellplan.Span, detail string) {
	p.addReason(i, shellplan.Opaque{Code: code, Detail: detail, Span: span, Word: bytes.Clone(p.textOf(span))})
}

func (p *planner) addReason(i int, o shellplan.Opaque) {
	s := p.seg(i)
	o.Detail = shellplan.Shown(o.Detail)
	for _, have := range s.Opaque {
		if have.Code == o.Code && have.Span == o.Span && strings.HasPrefix(have.Detail, o.Detail) {
			return
		}
	}
	if len(s.Opaque) < maxReasons {
		s.Opaque = append(s.Opaque, o)
	}
}

// note keeps a reason met inside an expansion for the segment that comes.
func (p *planner) note(code shellplan.OpaqueCode, span shellplan.Span, detail string) {
	if len(p.pending) < maxReasons {
		p.pending = append(p.pending, *p.why(code, span, detail))
	}
}

// flush gives pending reasons a segment of their own when no command takes them.
func (p *planner) flush(span shellplan.Span, st *state) {
	if len(p.pending) > 0 {
		p.segmentOf("", span, st)
	}
}

// candidate adds a word of a segment. It gives the candidate's index, or -1
// when the word is no path (a pipe) or its reason was added instead.
//
// Long because the kinds of word (a name of a set, a pattern under each state
// of noglob, a name of a descriptor, plain text) end in one candidate, and all
// that is counted or refused is counted here.
func (p *planner) candidate(i int, st *state, f shellword.Field, c shellplan.Candidate) int {
	p.budget.spend(costCandidate)
	if p.budget.candidates--; p.budget.candidates < 0 {
		panic(tooLarge{"more words than a plan holds"})
	}
	if f.Pipe {
		return -1
	}
	if f.Dyn != nil {
		p.addReason(i, *p.reason(f.Dyn, f.Span))
		return -1
	}
	c.Text, c.Span = f.Text, f.Span
	if c.Kind == 0 {
		c.Kind = shellplan.KindWord
	}
	switch {
	case f.Set != nil:
		if !p.fromSet(i, st, f, &c) {
			return -1
		}
	case f.Pattern && st.flag[flagNoGlob] == on:
		c.Raw = f.Raw
	case f.Pattern:
		if why := p.patternReason(f, st); why != nil {
			p.addReason(i, *why)
			return -1
		}
		if st.flag[flagNoGlob] == perhaps || st.flag[flagPosix] != off {
			p.opaque(i, shellplan.OpaqueShellOption, f.Span, "whether patterns are expanded here is not known")
			return -1
		}
		c.Raw, c.Mask, c.Pattern, c.Glob = f.Raw, f.Mask, true, st.globOf(&f)
	default:
		if w, what := p.descriptor(f.Raw, st); what != descNone {
			switch what {
			case descUnknown:
				p.opaque(i, shellplan.OpaqueDynamic, f.Span, "what this descriptor leads to is not known")
				return -1
			case descPipe:
				return -1
			}
			c.Word = w
		} else {
			c.Raw = f.Raw
		}
	}
	if t := c.Traversal; f.Set != nil && t != nil && !t.FollowRoot && t.Links != shellplan.LinksSkip && c.Access != shellplan.AccessEntry && len(c.Names) == 0 {
		// A root that is a link is no directory to the walk, and still a name
		// that the command gets and follows.
		root := c
		root.Traversal = nil
		s := p.seg(i)
		s.Candidates = append(s.Candidates, root)
	}
	if st.cwdWhy != nil && (len(c.Raw) == 0 || c.Raw[0] != '/') {
		p.addReason(i, *p.reason(st.cwdWhy, c.Span)) // absolute words stay known
	}
	s := p.seg(i)
	p.budget.wrote = p.budget.wrote || c.Access.IsWrite() && c.Redirect == nil
	s.Candidates = append(s.Candidates, c)
	return len(s.Candidates) - 1
}

// listing adds the patterns among words that are no arguments (the items of a
// loop, the elements of an array): expanding them lists directories.
func (p *planner) listing(command string, list []shellword.Field, span shellplan.Span, st *state) {
	at := -1
	for _, f := range list {
		if !f.Pattern || f.Dyn != nil || st.flag[flagNoGlob] == on {
			continue
		}
		if at < 0 {
			at = p.segmentOf(command, span, st)
		}
		p.candidate(at, st, f, shellplan.Candidate{Access: shellplan.AccessStat, OptionSafe: true, NoFollow: !shellword.EndsInSlash(f.Raw)})
	}
}

// fromSet makes a candidate of names that only the file system knows. They are
// good only in the directory they were taken in.
func (p *planner) fromSet(i int, st *state, f shellword.Field, c *shellplan.Candidate) bool {
	if f.Set.Derived {
		return p.fromDerived(i, f, c)
	}
	if f.Set.CwdKey != st.cwdKey() || len(c.Chdir) > 0 {
		if len(f.Set.Word.Raw) == 0 || f.Set.Word.Raw[0] != '/' || len(f.Set.Chdir) > 0 {
			p.opaque(i, shellplan.OpaqueDynamic, f.Span, "the names were found in another directory")
			return false
		}
	}
	if f.Set.Bare && c.Access != shellplan.AccessRead && c.Access != shellplan.AccessStat {
		p.opaque(i, shellplan.OpaqueDynamic, f.Span, "the names come from a listing, so new ones cannot be told")
		return false
	}
	if f.Set.Bare && f.Set.Resplit && string(f.Set.Text) != "." {
		p.readAgain(i, st, f)
	}
	c.Word, c.Chdir, c.Resplit = f.Set.Word, f.Set.Chdir, f.Set.Resplit
	c.OptionSafe = c.OptionSafe || f.Set.Prefixed
	if len(f.Raw) > 0 {
		c.Names = [][]byte{f.Raw}
	}
	if t := f.Set.Traversal; t != nil {
		walk := *t
		if c.Access == shellplan.AccessEntry {
			walk.Links = shellplan.LinksSkip // the entries themselves are changed
		} else if c.Traversal != nil || c.Into != nil || c.Access == shellplan.AccessTree {
			walk.Links, walk.FollowRoot, walk.MaxDepth, walk.Match, walk.Skips = shellplan.LinksFollow, true, 0, nil, nil
			walk.Hidden, walk.DirsOnly = true, false
		}
		c.Traversal = &walk
	}
	return true
}

// readAgain adds the names that a listing printed: the words that are made of
// them are looked for elsewhere, but whether each is one word is seen here.
func (p *planner) readAgain(i int, st *state, f shellword.Field) {
	raw := append(bytes.Clone(f.Set.Text), "/*"...)
	if bytes.Equal(raw, f.Set.Word.Raw) {
		return // they are used where they lie
	}
	mask := make([]byte, len(raw))
	mask[len(raw)-1] = shellplan.MaskActive
	p.candidate(i, st, shellword.Field{Raw: raw, Mask: mask, Text: f.Set.Text, Pattern: true, Span: f.Set.Span},
		shellplan.Candidate{Access: shellplan.AccessStat, OptionSafe: true, NoFollow: true, Resplit: true})
}

type descKind uint8

const (
	descNone descKind = iota
	descFile
	descPipe
	descUnknown
)

// descriptor resolves the names of open descriptors that the text itself
// explains: /dev/stdin after `<file`, /dev/fd/3 after `3<file`.
func (p *planner) descriptor(raw []byte, st *state) (shellplan.Word, descKind) {
	if len(raw) < len("/dev/fd/0") || raw[0] != '/' {
		return shellplan.Word{}, descNone
	}
	fd := -1
	switch s := string(raw); s {
	case "/dev/stdin":
		fd = 0
	case "/dev/stdout":
		fd = 1
	case "/dev/stderr":
		fd = 2
	default:
		for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
			if len(s) > len(dir) && s[:len(dir)] == dir && len(s) <= len(dir)+3 && shellword.IsInteger(raw[len(dir):]) {
				fd = 0
				for _, c := range s[len(dir):] {
					fd = fd*10 + int(c-'0')
				}
			}
		}
	}
	if fd < 0 {
		return shellplan.Word{}, descNone
	}
	f, ok := st.fds[fd]
	switch {
	case !ok && fd <= 2, ok && f.kind == fdInherited && f.from == fd:
		return shellplan.Word{}, descNone // what the shell itself was given
	case ok && f.kind == fdPipe:
		return shellplan.Word{}, descPipe
	case !ok, f.kind == fdInherited:
		return shellplan.Word{}, descUnknown
	case f.kind == fdFile:
		return f.word, descFile
	case f.kind == fdClosed:
		return shellplan.Word{}, descPipe // no such descriptor: nothing opens
	}
	return shellplan.Word{}, descUnknown
}

// effect records a change to names that a segment leaves behind.
func (p *planner) effect(i int, e shellplan.Effect) {
	e.VisibleFrom = i + 1
	if p.visible >= 0 {
		e.VisibleFrom = min(e.VisibleFrom, p.visible)
	}
	if e.Kind == shellplan.EffectAny {
		p.budget.wrote = true
		e.Candidate = -1
	} else if e.Candidate < 0 {
		return // the word has a reason of its own
	}
	from := e.From[:0:0]
	for _, x := range e.From {
		if x >= 0 {
			from = append(from, x)
		}
	}
	e.From = from
	s := p.seg(i)
	s.Effects = append(s.Effects, e)
}

// print adds what a command prints on its standard output.
func (p *planner) print(st *state, o shellword.Output) {
	if p.prints++; p.listen == 0 {
		return
	}
	fd, ok := st.fds[1]
	if ok && fd.kind != fdPipe && fd.kind != fdInherited || ok && fd.from != 1 {
		return // it goes elsewhere
	}
	if e, ok := st.fds[2]; ok && e.from == 1 && o.Kind == shellword.OutputNames {
		o = shellword.Output{Kind: shellword.OutputUnknown} // error messages among the names
	}
	p.budget.spend(1 + len(o.Text)/perUnit)
	if p.budget.bytes -= len(o.Text); p.budget.bytes < 0 {
		panic(tooLarge{"commands that print too much text"})
	}
	p.out = p.out.Then(o)
}

// overheard says that what is listened to also gets what nobody follows.
func (p *planner) overheard() {
	if p.prints++; p.listen > 0 {
		p.out = p.out.Then(shellword.Output{Kind: shellword.OutputUnknown})
	}
}

func (p *planner) printUnknown(st *state) {
	p.print(st, shellword.Output{Kind: shellword.OutputUnknown})
}
