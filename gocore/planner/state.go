package planner

import (
	"maps"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// state is what is known of the shell between two commands.
type state struct {
	base    *baseVars
	vars    map[string]*variable // changes on top of the environment; nil is unset
	funcs   map[string]*function
	aliases map[string]bool
	cwds    []cwdAlt
	cwdWhy  *shellplan.Opaque // the directory is not known
	stack   []cwdAlt
	stackOK bool
	params  []shellword.Value
	argsWhy *shellplan.Opaque // the positional parameters are not known
	fds     map[int]fdInfo
	stdin   shellword.Input
	glob    shellplan.Glob // shopt options that are on
	globDim shellplan.Glob // shopt options whose state is not known
	flag    [flagCount]tri
	locale  shellplan.Locale
	dirty   *shellplan.Opaque // text that the planner did not read ran in this shell
	// exportedFuncs says that functions were exported to shells below.
	exportedFuncs *shellplan.Opaque
	path          *shellplan.Opaque // PATH was changed to something that is not trusted
}

// tri is a switch whose state may not be known.
type tri uint8

const (
	off tri = iota
	on
	perhaps
)

// Switches of the shell that matter to the planner, beside the Glob bits.
const (
	flagNoGlob = iota
	flagPhysical
	flagLastPipe
	flagAliases
	flagAllExport
	flagCDable
	flagXTrace
	flagPosix
	flagCount
)

// function is a shell function: its body, or nil when it may be one of several.
type function struct {
	body *syntax.Stmt
	src  *planner // whose source the body's positions count in
}

// cwdAlt is one directory the shell may be in.
type cwdAlt struct {
	steps []shellplan.CwdStep
	pwd   string // the logical PWD when it is known as text
	// failed are changes of directory that failed on the way.
	failed [][]shellplan.CwdStep
}

func (c cwdAlt) key() string {
	var b strings.Builder
	stepsKey(&b, c.steps)
	for _, f := range c.failed {
		b.WriteByte(2)
		stepsKey(&b, f)
	}
	return b.String()
}

func stepsKey(b *strings.Builder, steps []shellplan.CwdStep) {
	for _, s := range steps {
		b.WriteByte(byte('0' + s.Mode))
		b.Write(s.Raw)
		b.WriteByte(0)
		b.Write(s.Mask)
		b.WriteByte(0)
	}
}

// sameSteps reports whether two alternatives are one directory.
func (c cwdAlt) sameSteps(d cwdAlt) bool {
	return cwdAlt{steps: c.steps}.key() == cwdAlt{steps: d.steps}.key()
}

// fdInfo is what a file descriptor leads to.
type fdInfo struct {
	kind fdKind
	from int            // the descriptor it was at the start or is a copy of
	word shellplan.Word // fdFile
	text []byte
}

func (f fdInfo) same(g fdInfo) bool {
	return f.kind == g.kind && f.from == g.from && string(f.word.Raw) == string(g.word.Raw)
}

type fdKind uint8

const (
	fdInherited fdKind = iota
	fdPipe
	fdFile
	fdClosed
	fdUnknown
)

func (s *state) clone() *state {
	names := len(s.vars) + len(s.funcs) + len(s.aliases) + len(s.fds) + len(s.params)
	for i := range s.cwds {
		names += 1 + len(s.cwds[i].steps) + len(s.cwds[i].failed)
	}
	s.base.budget.spend(names)
	c := *s
	c.vars = maps.Clone(s.vars)
	c.funcs = maps.Clone(s.funcs)
	c.aliases = maps.Clone(s.aliases)
	c.fds = maps.Clone(s.fds)
	c.cwds = slices.Clone(s.cwds)
	c.stack = slices.Clone(s.stack)
	c.params = slices.Clone(s.params)
	return &c
}

func (p *planner) initialState() *state {
	s := &state{
		base: &p.base,
		vars: map[string]*variable{}, funcs: map[string]*function{},
		aliases: map[string]bool{}, fds: map[int]fdInfo{}, stackOK: true,
		cwds: []cwdAlt{{pwd: string(p.plan.Start)}}, glob: p.plan.Shell.Glob,
		locale: p.plan.Shell.Locale,
	}
	if len(p.opts.Args) > 1 {
		for _, a := range p.opts.Args[1:] {
			s.params = append(s.params, shellword.StringValue(a))
		}
	}
	return s
}

// join is what holds after either of two states; nil is a state that is not
// reached.
//
// Long because it names every field of the state once: one that is forgotten
// here is one that a branch changes unseen.
func join(a, b *state) *state {
	switch {
	case a == nil:
		return b
	case b == nil || a == b:
		return a
	}
	c := a.clone()
	c.base.budget.spend(2 * (len(b.vars) + len(b.funcs) + len(b.cwds)))
	for name, v := range b.vars {
		if have := a.lookup(name); have != v {
			c.vars[name] = merge(have, v)
		}
	}
	for name, v := range a.vars {
		if _, ok := b.vars[name]; !ok {
			c.vars[name] = merge(v, b.lookup(name))
		}
	}
	for name, f := range b.funcs {
		if a.funcs[name] != f {
			c.funcs[name] = nil
		}
	}
	for name := range a.funcs {
		if _, ok := b.funcs[name]; !ok {
			c.funcs[name] = nil
		}
	}
	maps.Copy(c.aliases, b.aliases)
	c.addCwds(b.cwds)
	if c.cwdWhy == nil {
		c.cwdWhy = b.cwdWhy
	}
	if !slices.EqualFunc(a.stack, b.stack, func(x, y cwdAlt) bool { return x.key() == y.key() }) || !b.stackOK {
		c.stack, c.stackOK = nil, false
	}
	if !slices.EqualFunc(a.params, b.params, shellword.Value.Equal) {
		c.params = nil
		c.argsWhy = &shellplan.Opaque{Code: shellplan.OpaqueDynamic, Detail: "the positional parameters differ between branches"}
	}
	if c.argsWhy == nil {
		c.argsWhy = b.argsWhy
	}
	for fd, f := range b.fds {
		if g, ok := a.fds[fd]; !ok || !g.same(f) {
			c.fds[fd] = fdInfo{kind: fdUnknown}
		}
	}
	for fd := range a.fds {
		if _, ok := b.fds[fd]; !ok {
			c.fds[fd] = fdInfo{kind: fdUnknown}
		}
	}
	if a.stdin.Kind != b.stdin.Kind || string(a.stdin.Text) != string(b.stdin.Text) {
		c.stdin = shellword.Input{}
	}
	c.globDim |= b.globDim | (a.glob ^ b.glob)
	for i := range c.flag {
		if a.flag[i] != b.flag[i] {
			c.flag[i] = perhaps
		}
	}
	if a.locale != b.locale {
		c.locale = shellplan.LocaleUnknown
	}
	if c.dirty == nil {
		c.dirty = b.dirty
	}
	if c.path == nil {
		c.path = b.path
	}
	if c.exportedFuncs == nil {
		c.exportedFuncs = b.exportedFuncs
	}
	return c
}

// addCwds unites directories and gives up past MaxCwds.
func (s *state) addCwds(more []cwdAlt) {
	for _, m := range more {
		k := m.key()
		i := slices.IndexFunc(s.cwds, func(c cwdAlt) bool { return c.key() == k })
		if i < 0 {
			s.cwds = append(s.cwds, m)
		} else if s.cwds[i].pwd != m.pwd {
			s.cwds[i].pwd = ""
		}
	}
	// Without a condition a directory stands for itself under every one.
	for _, free := range s.cwds {
		if len(free.failed) == 0 {
			s.cwds = slices.DeleteFunc(slices.Clone(s.cwds), func(c cwdAlt) bool {
				return len(c.failed) > 0 && c.pwd == free.pwd && c.sameSteps(free)
			})
		}
	}
	if len(s.cwds) > shellplan.MaxCwds {
		s.loseCwd(&shellplan.Opaque{Code: shellplan.OpaqueCwd, Detail: "the text may be in more directories than are kept apart"})
	}
}

func (s *state) loseCwd(why *shellplan.Opaque) {
	s.cwds, s.cwdWhy = nil, why
}

// cwdKey identifies the directories of a state; names taken in one are only
// used in the same.
func (s *state) cwdKey() string {
	if s.cwdWhy != nil {
		return "?"
	}
	keys := make([]string, 0, len(s.cwds))
	for _, c := range s.cwds {
		keys = append(keys, c.key())
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x01")
}

// same reports whether two states are equal in everything a loop can change, so
// that another round would find nothing new.
func (s *state) same(t *state) bool {
	if s == nil || t == nil {
		return s == t
	}
	if s.cwdKey() != t.cwdKey() || s.glob != t.glob || s.globDim != t.globDim || s.flag != t.flag ||
		s.stackOK != t.stackOK || len(s.stack) != len(t.stack) || (s.dirty == nil) != (t.dirty == nil) ||
		(s.path == nil) != (t.path == nil) || (s.argsWhy == nil) != (t.argsWhy == nil) ||
		!slices.EqualFunc(s.params, t.params, shellword.Value.Equal) || !maps.Equal(s.funcs, t.funcs) ||
		s.stdin.Kind != t.stdin.Kind || len(s.fds) != len(t.fds) || len(s.vars) != len(t.vars) || len(s.aliases) != len(t.aliases) {
		return false
	}
	for name, v := range s.vars {
		w, ok := t.vars[name]
		if !ok || !sameVar(v, w) {
			return false
		}
	}
	return true
}

func sameVar(v, w *variable) bool {
	if v == w {
		return true
	}
	if v == nil || w == nil || v.exported != w.exported || v.odd != w.odd || v.evaluates != w.evaluates || len(v.alts) != len(w.alts) {
		return false
	}
	for _, a := range v.alts {
		if !slices.ContainsFunc(w.alts, a.Equal) {
			return false
		}
	}
	return true
}
