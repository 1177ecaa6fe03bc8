package planner

import (
	"bytes"
	"strconv"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// redirection is one redirection, expanded: what it opens and what it does to
// the descriptors. It becomes candidates once its segment exists.
type redirection struct {
	op       string
	fd       int
	accesses []shellplan.Access
	fields   []shellword.Field
	span     shellplan.Span
}

// redirects expands the redirections of a command in order, changing the
// descriptors of st.
//
// Bash manual, "Redirections": they are processed in the order they appear, so
// `2>&1 >file` and `>file 2>&1` differ.
func (p *planner) redirects(list []*syntax.Redirect, st *state) []redirection {
	var out []redirection
	for _, r := range list {
		if x, ok := p.redirect(r, st); ok {
			out = append(out, x)
		}
	}
	return out
}

// redirect expands one redirection; false when it opens no file.
//
// Long because it is the table of the operators in the manual's section, one
// case each, and all of them end in the same change of descriptors.
func (p *planner) redirect(r *syntax.Redirect, st *state) (redirection, bool) {
	span := p.between(r.Pos(), r.OpPos)
	if r.Word != nil {
		span = p.between(r.Pos(), r.Word.End())
	}
	fd, named := -1, false
	if r.N != nil {
		if n, err := strconv.Atoi(r.N.Value); err == nil {
			fd = n
		} else {
			named = true
			if len(r.N.Value) > 2 {
				p.set(st, r.N.Value[1:len(r.N.Value)-1], shellword.Value{Kind: shellword.ValueInt})
			}
		}
	}
	def := func(n int) int {
		if fd < 0 && !named {
			return n
		}
		return fd
	}
	x := redirection{op: r.Op.String(), span: span}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		in := p.heredoc(r, st)
		p.largeText(in, span)
		p.setFd(st, def(0), fdInfo{kind: fdPipe, from: -1}, in)
		return x, false
	case syntax.WordHdoc:
		in := shellword.Input{}
		if v := p.oneWord(r.Word, st); v.Kind == shellword.ValueText {
			in = shellword.Input{Kind: shellword.InputText, Text: append(bytes.Clone(v.Text), '\n')}
			p.largeText(in, span)
		}
		p.setFd(st, def(0), fdInfo{kind: fdPipe, from: -1}, in)
		return x, false
	case syntax.RdrIn:
		x.fd, x.accesses = def(0), []shellplan.Access{shellplan.AccessRead}
	case syntax.RdrInOut:
		x.fd, x.accesses = def(0), []shellplan.Access{shellplan.AccessRead, shellplan.AccessWrite}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
		x.fd, x.accesses = def(1), []shellplan.Access{shellplan.AccessWrite}
	case syntax.RdrAll, syntax.AppAll:
		x.fd, x.accesses = -1, []shellplan.Access{shellplan.AccessWrite}
	case syntax.DplIn, syntax.DplOut:
		n := 0
		if r.Op == syntax.DplOut {
			n = 1
		}
		if !p.duplicate(r, st, def(n), &x) {
			return x, false
		}
	default:
		p.note(shellplan.OpaqueConstruct, span, "this kind of redirection is not modelled")
		return x, false
	}
	if x.fields == nil {
		x.fields = p.target(r.Word, st)
	}
	info := fdInfo{kind: fdUnknown}
	if len(x.fields) == 1 {
		f := x.fields[0]
		switch {
		case f.Pipe:
			info = fdInfo{kind: fdPipe, from: -1}
		case f.Dyn == nil && f.Set == nil && !f.Pattern:
			info = fdInfo{kind: fdFile, word: shellplan.Word{Raw: f.Raw}, text: f.Text}
			if w, what := p.descriptor(f.Raw, st); what == descFile {
				info.word = w
			} else if what == descPipe {
				info = fdInfo{kind: fdPipe, from: -1}
			}
			if isDescriptor(f.Raw) {
				p.overheard() // it may be the one that is listened to
			}
		}
	}
	if x.fd < 0 && !named {
		p.setFd(st, 1, info, shellword.Input{})
		p.setFd(st, 2, info, shellword.Input{})
	} else if x.fd >= 0 {
		p.setFd(st, x.fd, info, shellword.Input{})
	}
	return x, true
}

// setFd changes a descriptor. Where what is printed is listened to, a second
// descriptor that leads there brings what no command says that it prints: error
// messages, traces, and what is written to the descriptor by its number.
func (p *planner) setFd(st *state, fd int, info fdInfo, in shellword.Input) {
	if fd > 1 && info.from == 1 && (info.kind == fdPipe || info.kind == fdInherited) {
		p.overheard()
	}
	if fd >= 0 {
		st.fds[fd] = info
	}
	if fd == 0 {
		st.stdin = in
	}
}

// duplicate is <& and >&: a descriptor, a closing, or (bash) a file for both
// outputs. It reports whether a file is opened.
func (p *planner) duplicate(r *syntax.Redirect, st *state, fd int, x *redirection) bool {
	fields := p.target(r.Word, st)
	if len(fields) != 1 {
		return false // an ambiguous redirect opens nothing
	}
	f := fields[0]
	if f.Num && len(f.Raw) == 0 {
		p.setFd(st, fd, fdInfo{kind: fdUnknown}, shellword.Input{})
		return false
	}
	if s, ok := f.Plain(); ok {
		switch move := s != "-" && len(s) > 1 && s[len(s)-1] == '-' && shellword.IsInteger([]byte(s[:len(s)-1])); {
		case s == "-":
			p.setFd(st, fd, fdInfo{kind: fdClosed}, shellword.Input{})
			return false
		case move:
			s = s[:len(s)-1]
			fallthrough
		case shellword.IsInteger([]byte(s)):
			n, _ := strconv.Atoi(s)
			info, known := st.fds[n]
			if !known {
				info = fdInfo{kind: fdInherited, from: n}
				if n > 2 {
					info.kind = fdUnknown
				}
			}
			in := shellword.Input{}
			if n == 0 && fd == 0 {
				in = st.stdin
			}
			p.setFd(st, fd, info, in)
			return false
		}
	}
	// A word that is no number: a file for standard output and error.
	x.fields, x.fd, x.accesses = fields, -1, []shellplan.Access{shellplan.AccessWrite}
	if r.Op == syntax.DplIn {
		x.fd, x.accesses = fd, []shellplan.Access{shellplan.AccessRead}
	}
	return true
}

// target expands the word of a redirection. bash expands it like an argument
// and refuses anything but one word; dash neither splits nor globs.
//
// POSIX, "Redirection": a non-interactive shell performs no pathname expansion
// on the word. Bash does, and reports an ambiguous redirect for more than one
// name.
func (p *planner) target(w *syntax.Word, st *state) []shellword.Field {
	span := p.span(w)
	switch p.plan.Shell.Dialect {
	case shellplan.DialectBash:
		return p.word(w, st)
	case shellplan.DialectDash:
		return []shellword.Field{p.whole(p.tildes(p.atoms(w), st, false, span), st, span)}
	}
	plain := p.whole(p.tildes(p.atoms(w), st, false, span), st, span)
	out := []shellword.Field{plain}
	for _, f := range p.word(w, st) {
		if f.Pattern || !bytes.Equal(f.Raw, plain.Raw) {
			out = append(out, f)
		}
	}
	return out
}

// maxPipedText is the length up to which every bash passes a here-document on by
// a pipe. A longer one may go to a file below TMPDIR: with bash 5.2 none was made
// for 60,000 bytes, and one for 70,000.
const maxPipedText = 60_000

// largeText looks at the length of a here-document or here-string.
func (p *planner) largeText(in shellword.Input, span shellplan.Span) {
	if len(in.Text) > maxPipedText {
		p.note(shellplan.OpaqueConstruct, span, "a here-document of this length goes to a temporary file, whose place TMPDIR says")
	}
}

// heredoc walks the body of a here-document and gives its text when it is
// known.
//
// Bash manual, "Here Documents": a quoted delimiter makes the body literal;
// otherwise a backslash quotes only $, `, itself and a newline.
func (p *planner) heredoc(r *syntax.Redirect, st *state) shellword.Input {
	if r.Hdoc == nil {
		return shellword.Input{Kind: shellword.InputText}
	}
	quoted := false
	for _, part := range r.Word.Parts {
		switch l := part.(type) {
		case *syntax.Lit:
			quoted = quoted || bytes.IndexByte([]byte(l.Value), '\\') >= 0
		default:
			quoted = true
		}
	}
	if quoted {
		var body []byte
		for _, part := range r.Hdoc.Parts {
			if l, ok := part.(*syntax.Lit); ok {
				body = append(body, p.src.Bytes(l.Value)...)
			}
		}
		if r.Op == syntax.DashHdoc {
			body = stripTabs(body)
		}
		return shellword.Input{Kind: shellword.InputText, Text: body}
	}
	b := builder{p: p, st: st, span: p.span(r.Hdoc)}
	for _, part := range r.Hdoc.Parts {
		l, ok := part.(*syntax.Lit)
		if !ok {
			b.part(part, true)
			continue
		}
		t := p.src.Bytes(l.Value)
		if r.Op == syntax.DashHdoc {
			t = stripTabs(t)
		}
		for i := 0; i < len(t); i++ {
			if t[i] == '\\' && i+1 < len(t) && bytes.IndexByte([]byte("$`\\\n"), t[i+1]) >= 0 {
				if i++; t[i] == '\n' {
					continue
				}
			}
			b.byte(t[i], shellplan.MaskQuoted)
		}
	}
	if b.cur.Dyn != nil || b.cur.Set != nil {
		return shellword.Input{}
	}
	return shellword.Input{Kind: shellword.InputText, Text: b.cur.Raw}
}

// stripTabs removes the tabs at the start of each line (<<-).
func stripTabs(t []byte) []byte {
	lines := bytes.SplitAfter(t, []byte("\n"))
	for i := range lines {
		lines[i] = bytes.TrimLeft(lines[i], "\t")
	}
	return bytes.Join(lines, nil)
}

// opened adds the targets of redirections to a segment.
func (p *planner) opened(i int, list []redirection, st *state) {
	for _, r := range list {
		if len(r.fields) != 1 && p.plan.Shell.Dialect == shellplan.DialectBash {
			continue // ambiguous: bash opens nothing and runs nothing
		}
		for _, f := range r.fields {
			if f.Dyn == nil && f.Set == nil && !f.Pattern && isNetwork(f.Raw) {
				p.opaque(i, shellplan.OpaqueConstruct, f.Span, "the redirection opens a network connection")
				continue
			}
			for _, access := range r.accesses {
				p.candidate(i, st, f, shellplan.Candidate{
					Access: access, OptionSafe: true,
					Redirect: &shellplan.Redirect{Op: r.op, Fd: r.fd, OneMatch: true},
				})
			}
		}
	}
}

// isDescriptor reports whether a path may name an open descriptor of the process.
func isDescriptor(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("/dev/")) && !bytes.Equal(raw, []byte("/dev/null")) || bytes.HasPrefix(raw, []byte("/proc/"))
}

func isNetwork(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("/dev/tcp/")) || bytes.HasPrefix(raw, []byte("/dev/udp/"))
}

// bare is a statement that is nothing but redirections (and, through call,
// assignments).
func (p *planner) bare(list []*syntax.Redirect, n syntax.Node, st *state) flow {
	opened := p.redirects(list, st)
	if len(opened) > 0 || len(p.pending) > 0 {
		i := p.segmentOf("", p.span(n), st)
		p.opened(i, opened, st)
		if s, ok := n.(*syntax.Stmt); ok && s.Cmd == nil {
			p.printUnknown(st) // $(<file)
		}
	}
	return flow{st, st}
}
