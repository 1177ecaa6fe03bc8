package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/command"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// baseVars is the environment the text starts with.
type baseVars struct {
	env      map[string]string
	complete bool
	loader   []string // variables of the dynamic loader
	budget   *budget  // of the whole text
}

func newBaseVars(o Options) baseVars {
	b := baseVars{env: o.Env, complete: o.EnvComplete}
	for name, v := range o.Env {
		if isLoader(name) && v != "" && (!absoluteList(v) || loadsCode[name]) {
			b.loader = append(b.loader, name)
		}
	}
	slices.Sort(b.loader)
	return b
}

// loadsCode are the variables that put code of their choice into every program,
// wherever it lies.
var loadsCode = map[string]bool{"LD_PRELOAD": true, "LD_AUDIT": true, "DYLD_INSERT_LIBRARIES": true}

// absoluteList reports whether every entry of a list is an absolute path: such a
// setting of the user's own environment is trusted like its PATH.
func absoluteList(v string) bool {
	for entry := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == ':' || r == ' ' }) {
		if !strings.HasPrefix(entry, "/") {
			return false
		}
	}
	return !strings.HasPrefix(v, ":") && !strings.HasSuffix(v, ":") && !strings.Contains(v, "::")
}

// lookup is the variable as the state has it; never nil.
//
// Bash manual, "Bash Variables": the names that the shell sets by itself while
// it runs.
func (st *state) lookup(name string) *variable {
	if v, ok := st.vars[name]; ok {
		if v == nil {
			return single(shellword.Value{Kind: shellword.ValueUnset}, false)
		}
		return v
	}
	switch name {
	case "PWD":
		return st.pwd()
	case "IFS":
		return single(shellword.StringValue(" \t\n"), false)
	case "UID", "EUID", "PPID", "RANDOM", "SRANDOM", "LINENO", "SECONDS", "BASHPID", "EPOCHSECONDS",
		"SHLVL", "BASH_SUBSHELL", "COLUMNS", "LINES", "HISTCMD", "OPTIND":
		if _, ok := st.base.env[name]; !ok || name == "SHLVL" {
			return single(shellword.Value{Kind: shellword.ValueInt}, false)
		}
	case "BASH_VERSION", "BASH", "BASHOPTS", "SHELLOPTS", "HOSTNAME", "HOSTTYPE", "MACHTYPE", "OSTYPE",
		"BASH_SOURCE", "FUNCNAME", "DIRSTACK", "GROUPS", "PIPESTATUS", "EPOCHREALTIME", "BASH_COMMAND",
		"BASH_VERSINFO", "BASH_LINENO", "REPLY", "_", "BASH_REMATCH", "BASH_ARGV", "COMP_WORDBREAKS":
		if _, ok := st.base.env[name]; !ok || name == "_" {
			return single(shellword.Unknown(&shellplan.Opaque{Code: shellplan.OpaqueDynamic, Detail: "$" + name + " is set by the shell while it runs"}), false)
		}
	}
	if v, ok := st.base.env[name]; ok {
		return single(shellword.StringValue(v), true)
	}
	if st.base.complete || definiteUnset(name) {
		return single(shellword.Value{Kind: shellword.ValueUnset}, false)
	}
	return single(shellword.Unknown(&shellplan.Opaque{
		Code:   shellplan.OpaqueDynamic,
		Detail: fmt.Sprintf("the value of $%s is not known: the environment was not given", name),
	}), true)
}

// definiteUnset names the variables that steer the shell or a program. They are
// taken as unset when the environment was not given whole: nearly always true,
// and documented, where the opposite would make every command opaque.
func definiteUnset(name string) bool {
	switch name {
	case "CDPATH", "GLOBIGNORE", "BASH_ENV", "ENV", "POSIXLY_CORRECT", "PS4", "OLDPWD":
		return name != "OLDPWD"
	}
	return command.Steers(name)
}

// pwd is $PWD: the directories of the state when all of them are known as text.
func (st *state) pwd() *variable {
	why := shellword.Unknown(&shellplan.Opaque{Code: shellplan.OpaqueCwd, Detail: "the working directory is not known as text"})
	if st.cwdWhy != nil {
		return single(why, true)
	}
	out := &variable{exported: true}
	for _, c := range st.cwds {
		if c.pwd == "" {
			return single(why, true)
		}
		out.alts = append(out.alts, shellword.StringValue(c.pwd))
	}
	return out
}

// get is the one value of a variable under the current choice of alternatives.
func (p *planner) get(st *state, name string) shellword.Value {
	v := st.lookup(name)
	if len(v.alts) == 1 {
		return v.alts[0]
	}
	if p.choice == nil {
		return shellword.Unknown(&shellplan.Opaque{Code: shellplan.OpaqueDynamic, Detail: "$" + name + " has one of several values here"})
	}
	return v.alts[p.pick(name, len(v.alts))]
}

// choice is one assignment of alternatives to the variables that have several,
// found while a command is read: the odometer of split.
type choice struct {
	names  []string
	counts []int
	at     []int
}

// pick is the index of the alternative to use for name now.
func (p *planner) pick(name string, n int) int {
	c := p.choice
	for i, have := range c.names {
		if have == name {
			return min(c.at[i], n-1)
		}
	}
	c.names, c.counts, c.at = append(c.names, name), append(c.counts, n), append(c.at, 0)
	return 0
}

// maxChoices bounds the readings of one command over alternatives.
const maxChoices = 64

// split evaluates body once for every combination of the alternatives it looks
// up, each on a copy of the state, and joins what comes out.
func (p *planner) split(st *state, body func(*state) flow) flow {
	if p.choice != nil || !st.forked() { // under an outer choice, or nothing to choose from
		return body(st)
	}
	defer func() { p.choice = nil }()
	c := &choice{}
	p.choice = c
	before := st.clone()
	printed := p.out
	end := body(st)
	for n := 1; c.next(); n++ {
		printed.Kind = shellword.OutputUnknown
		if n >= maxChoices {
			s := p.segmentOf("", shellplan.Span{}, before)
			p.seg(s).Opaque = append(p.seg(s).Opaque, shellplan.Opaque{
				Code: shellplan.OpaqueDynamic, Detail: "the variables of the command have too many values together",
			})
			break
		}
		more := body(before.clone())
		end = flow{join(end.ok, more.ok), join(end.ko, more.ko)}
	}
	if printed.Kind == shellword.OutputUnknown {
		p.out = printed
	}
	return end
}

// forked reports whether anything in the state has more than one value.
func (st *state) forked() bool {
	if len(st.cwds) > 1 {
		return true
	}
	for _, v := range st.vars {
		if v != nil && len(v.alts) > 1 {
			return true
		}
	}
	return false
}

// next advances the odometer; false when every combination was used.
func (c *choice) next() bool {
	for i := len(c.at) - 1; i >= 0; i-- {
		if c.at[i]++; c.at[i] < c.counts[i] {
			// Variables found later depend on the earlier ones.
			c.names, c.counts, c.at = c.names[:i+1], c.counts[:i+1], c.at[:i+1]
			return true
		}
	}
	return false
}

// set assigns one value.
func (p *planner) set(st *state, name string, v shellword.Value) {
	old := st.vars[name]
	exported := st.flag[flagAllExport] != off
	if evaluatedVars[name] {
		p.oddAssigned(name, v)
	}
	if old != nil {
		exported = exported || old.exported
		if old.evaluates {
			p.oddAssigned(name, v)
		}
		if old.odd {
			v = shellword.Unknown(&shellplan.Opaque{Code: shellplan.OpaqueConstruct, Detail: "$" + name + " was declared with an attribute that changes what is assigned"})
		}
	} else if _, inEnv := st.base.env[name]; inEnv {
		if _, touched := st.vars[name]; !touched {
			exported = true
		}
	}
	nv := single(v, exported)
	if name == "TZ" && exported {
		p.zoneAssigned(v)
	}
	if old != nil {
		nv.odd, nv.evaluates, nv.array = old.odd, old.evaluates, old.array
		if old.fixed {
			nv = merge(old, nv)
		}
	}
	st.vars[name] = nv
	if len(st.vars) > shellplan.MaxNames {
		panic(tooLarge{"more variables than are followed"})
	}
	p.assigned(st, name, v)
}

// zoneAssigned looks at a TZ that is exported when it is assigned: bash reads the
// zone at once.
func (p *planner) zoneAssigned(v shellword.Value) {
	if v.Kind != shellword.ValueUnset && (v.Kind != shellword.ValueText || !command.PlainZone(v.Text)) {
		p.note(shellplan.OpaqueEnvironment, shellplan.Span{}, "$TZ may name a file that the shell reads")
	}
}

// evaluatedVars are integers from the start: bash evaluates what they are given.
var evaluatedVars = map[string]bool{
	"OPTIND": true, "RANDOM": true, "SRANDOM": true, "SECONDS": true, "LINENO": true, "HISTCMD": true, "EPOCHSECONDS": true,
	"EPOCHREALTIME": true, "BASHPID": true, "BASH_SUBSHELL": true, "MAILCHECK": true,
}

// oddAssigned looks at what is assigned to a variable that was declared an
// integer or a reference: the shell evaluates it, substitutions in a subscript
// included.
func (p *planner) oddAssigned(name string, v shellword.Value) {
	switch v.Kind {
	case shellword.ValueUnset, shellword.ValueInt:
		return
	case shellword.ValueText:
		if len(v.Text) == 0 || shellword.IsInteger(v.Text) {
			return
		}
	}
	p.note(shellplan.OpaqueDynamic, shellplan.Span{}, "$"+name+" is an integer or a reference, so the shell evaluates what it is given")
}

// assigned looks at variables whose value steers the shell itself.
func (p *planner) assigned(st *state, name string, v shellword.Value) {
	switch name {
	case "PATH":
		if v.Kind != shellword.ValueText || !trustedPath(string(v.Text)) {
			st.path = &shellplan.Opaque{
				Code: shellplan.OpaqueShadowed, Word: []byte("PATH"),
				Detail: "PATH was changed, so another file may run under the command's name",
			}
		} else {
			st.path = nil
		}
	case "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LANG":
		st.locale = shellplan.LocaleUnknown
	case "GLOBIGNORE":
		st.globDim |= shellplan.GlobDot | shellplan.GlobNull
	case "POSIXLY_CORRECT":
		st.flag[flagPosix] = perhaps
	case "PWD", "OLDPWD":
		// The text may lie about the directory; the directory itself stays.
	}
	if detail, ok := shellSwitches[name]; ok {
		st.dirty = p.why(shellplan.OpaqueEnvironment, shellplan.Span{}, detail)
		st.dirty.Word = []byte(name)
	}
}

// shellSwitches are the variables whose assignment, in whatever form, changes
// how the shell reads what follows (bash manual, "Bash Variables" and "Bash
// POSIX Mode"). What follows one is not modelled: aliases, assignments before
// special builtins, temporary files of here-documents and the files that names
// run are then other ones.
var shellSwitches = map[string]string{
	"BASH_ALIASES":        "an assignment to BASH_ALIASES defines aliases",
	"BASH_CMDS":           "an assignment to BASH_CMDS makes a name run another file",
	"BASH_COMPAT":         "BASH_COMPAT makes the shell behave like another version, which writes here-documents to files",
	"BASH_LOADABLES_PATH": "BASH_LOADABLES_PATH names directories of builtins",
	"BASH_XTRACEFD":       "BASH_XTRACEFD sends traces to a descriptor",
	"DIRSTACK":            "an assignment to DIRSTACK changes where popd and ~N lead",
	"EXECIGNORE":          "EXECIGNORE decides which file runs under a name",
	"POSIXLY_CORRECT":     "POSIXLY_CORRECT switches the shell to POSIX mode",
}

// trustedPath reports whether every entry is a directory of the system.
func trustedPath(path string) bool {
	for entry := range strings.SplitSeq(path, ":") {
		switch strings.TrimSuffix(entry, "/") {
		case "/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin":
		default:
			return false
		}
	}
	return true
}

// maxAlternatives is how many values of one variable are kept apart after
// branches; more become unknown. Each multiplies the reading of a word.
const maxAlternatives = 8

// variable is a shell variable: one value, or several when branches joined.
type variable struct {
	alts     []shellword.Value
	exported bool
	// array says that alternatives are lists or that it was declared one.
	array bool
	// odd says that an attribute changes assignments (-i, -l, -u, -n, -r):
	// its value is never known again.
	odd bool
	// evaluates says that the shell evaluates what is assigned: it is an
	// integer or a reference to another variable.
	evaluates bool
	// fixed says that it is or may be readonly: an assignment may fail and
	// leave the old value.
	fixed bool
}

func single(v shellword.Value, exported bool) *variable {
	return &variable{alts: []shellword.Value{v}, exported: exported}
}

// merge joins two variables; nil is a variable that is unset.
func merge(a, b *variable) *variable {
	if a == b {
		return a
	}
	if a == nil {
		a = single(shellword.Value{Kind: shellword.ValueUnset}, false)
	}
	if b == nil {
		b = single(shellword.Value{Kind: shellword.ValueUnset}, false)
	}
	out := &variable{
		exported: a.exported || b.exported, array: a.array || b.array, odd: a.odd || b.odd, evaluates: a.evaluates || b.evaluates, fixed: a.fixed || b.fixed,
	}
	add := func(v shellword.Value) {
		for _, have := range out.alts {
			if have.Equal(v) {
				return
			}
		}
		out.alts = append(out.alts, v)
	}
	for _, v := range a.alts {
		add(v)
	}
	for _, v := range b.alts {
		add(v)
	}
	out.widen()
	return out
}

// widen keeps the number of alternatives bounded.
func (v *variable) widen() {
	ints, all := true, len(v.alts)
	for _, a := range v.alts {
		if a.Kind == shellword.ValueUnknown {
			v.alts = []shellword.Value{a}
			return
		}
		if a.Kind != shellword.ValueInt && (a.Kind != shellword.ValueText || !shellword.IsInteger(a.Text)) {
			ints = false
		}
	}
	if all <= maxAlternatives {
		return
	}
	if ints {
		v.alts = []shellword.Value{{Kind: shellword.ValueInt}}
		return
	}
	v.alts = []shellword.Value{shellword.Unknown(&shellplan.Opaque{
		Code: shellplan.OpaqueDynamic, Detail: "the variable has more values than are kept apart",
	})}
}
