package planner

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// cdArgs reads the options of cd, pushd and popd.
func (c *cmd) cdArgs() (args []shellword.Field, physical tri, ok bool) {
	physical = c.st.flag[flagPhysical]
	for i, a := range c.Args {
		s, known := a.Plain()
		switch {
		case !known && a.MayBeOption():
			return nil, physical, false
		case !known || len(s) < 2 || s[0] != '-' || shellword.IsInteger([]byte(s[1:])):
			return c.Args[i:], physical, true
		case s == "--":
			return c.Args[i+1:], physical, true
		}
		for _, l := range s[1:] {
			switch l {
			case 'L':
				physical = off
			case 'P':
				physical = on
			case 'e', '@':
				c.conditional = false // not every shell knows them
			default:
				return c.Args[i:], physical, true
			}
		}
	}
	return nil, physical, true
}

// runCd reads cd.
//
// POSIX, "cd": CDPATH applies to an operand that starts with neither a slash
// nor a dot component; -L handles dot-dot by text, -P by the directory itself.
func runCd(c *cmd) {
	args, physical, ok := c.cdArgs()
	c.Words(c.Args)
	if !ok {
		c.lostCwd(c.Span, "what cd gets is not known")
		return
	}
	if len(args) > 1 && c.p.plan.Shell.Dialect == shellplan.DialectBash {
		c.end = flow{nil, c.st} // too many arguments
		return
	}
	var to shellword.Field
	switch {
	case len(args) == 0:
		v := c.p.get(c.st, "HOME")
		switch v.Kind {
		case shellword.ValueText:
			to = shellword.Literal(v.Text, c.Word.Span)
		case shellword.ValueUnset:
			c.end = flow{nil, c.st}
			return
		default:
			c.lostCwd(c.Span, "HOME is not known")
			return
		}
	default:
		to = args[0]
	}
	if s, known := to.Plain(); known && s == "-" {
		v := c.p.get(c.st, "OLDPWD")
		switch v.Kind {
		case shellword.ValueText:
			to = shellword.Literal(v.Text, to.Span)
		case shellword.ValueUnset:
			c.end = flow{nil, c.st}
			return
		default:
			c.lostCwd(to.Span, "the directory before this one is not known")
			return
		}
		c.p.printUnknown(c.st)
	}
	c.changeDir(to, physical)
}

// lostCwd ends the knowledge of the directory when the change succeeds.
func (c *cmd) lostCwd(span shellplan.Span, detail string) {
	ok := c.st.clone()
	ok.loseCwd(c.p.why(shellplan.OpaqueCwd, span, detail))
	ok.vars["OLDPWD"] = single(shellword.Unknown(c.p.why(shellplan.OpaqueCwd, span, detail)), true)
	c.end = flow{ok, c.st}
}

// changeDir is cd with one operand: the new directory after success, the old
// one after failure.
//
// Long because every reason to lose the directory comes before the one place
// where the new one is made.
func (c *cmd) changeDir(to shellword.Field, physical tri) {
	st, p := c.st, c.p
	switch {
	case to.Dyn != nil:
		c.lostCwd(to.Span, to.Dyn.Detail)
		return
	case to.Set != nil || to.Many:
		c.lostCwd(to.Span, "the directory is a name that only the file system knows")
		return
	case st.lookup("PWD").fixed || st.lookup("OLDPWD").fixed:
		c.lostCwd(to.Span, "PWD may be readonly, so a change of directory may report failure")
		c.end.ko = c.end.ok
		return
	case physical == perhaps:
		c.lostCwd(to.Span, "whether cd follows links here is not known")
		return
	case st.cwdWhy != nil && (len(to.Raw) == 0 || to.Raw[0] != '/'):
		c.end = flow{st.clone(), st}
		return
	}
	if to.Pattern && (st.globDim != 0 || st.flag[flagNoGlob] == perhaps) {
		c.lostCwd(to.Span, "whether the pattern is expanded is not known")
		return
	}
	step := shellplan.CwdStep{Word: shellplan.Word{Raw: to.Raw}, Span: to.Span}
	if to.Pattern && st.flag[flagNoGlob] == off {
		step.Mask, step.Pattern, step.Glob = to.Mask, true, st.glob
	}
	if physical == on {
		step.Mode = shellplan.CwdPhysical
	}
	if !startsWithDot(to.Raw) && len(to.Raw) > 0 && to.Raw[0] != '/' {
		switch v := p.get(st, "CDPATH"); v.Kind {
		case shellword.ValueText:
			if len(v.Text) > 0 {
				step.CDPath = bytes.Split(v.Text, []byte(":"))
				p.printUnknown(st) // which directory it was
			}
		case shellword.ValueUnset:
		default:
			p.printUnknown(st)
			c.lostCwd(to.Span, "CDPATH is not known")
			return
		}
	}
	if v := p.get(st, "CDPATH"); len(to.Raw) == 0 && v.Kind != shellword.ValueUnset && (v.Kind != shellword.ValueText || len(v.Text) > 0) {
		c.lostCwd(to.Span, "with CDPATH, an empty directory is one of those that it names")
		return
	}
	ok := st.clone()
	ok.cwds = nil
	from := st.cwds
	if st.cwdWhy != nil {
		from, ok.cwdWhy = []cwdAlt{{}}, nil
	}
	if len(to.Raw) == 0 {
		ok.cwds = append(ok.cwds, from...) // cd '' stays
	} else {
		for _, f := range from {
			ok.addCwds([]cwdAlt{f.then(step)})
		}
	}
	if st.flag[flagCDable] != off && syntax.ValidName(string(to.Raw)) {
		switch v := p.get(st, string(to.Raw)); v.Kind {
		case shellword.ValueText:
			second := step
			second.Raw, second.CDPath = v.Text, nil
			for _, f := range from {
				ok.addCwds([]cwdAlt{f.then(second)})
			}
		case shellword.ValueUnset:
		default:
			c.lostCwd(to.Span, "cdable_vars is on and the variable is not known")
			return
		}
	}
	if len(ok.cwds) > shellplan.MaxCwds {
		ok.addCwds(nil)
	}
	for _, a := range ok.cwds {
		if len(a.steps) > shellplan.MaxCwdSteps {
			c.lostCwd(to.Span, "the text changes the directory too often")
			return
		}
	}
	ok.vars["OLDPWD"] = st.pwd()
	delete(ok.vars, "PWD")
	ko := st
	if c.conditional && c.Name == "cd" && len(from) == 1 && len(ok.cwds) == 1 && st.cwdWhy == nil && st.flag[flagCDable] == off &&
		!step.Pattern && step.CDPath == nil && len(to.Raw) > 0 && len(st.cwds[0].failed) < maxFailed && c.p.looping == 0 {
		ko = st.clone()
		a := st.cwds[0]
		a.failed = append(slices.Clone(a.failed), ok.cwds[0].steps)
		ko.cwds = []cwdAlt{a}
	}
	c.end = flow{ok, ko}
}

// maxFailed bounds the changes of directory that are remembered as failed.
const maxFailed = 4

// startsWithDot reports whether CDPATH does not apply.
func startsWithDot(raw []byte) bool {
	s := string(raw)
	return s == "." || s == ".." || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../")
}

// then is the directory after one more step.
func (a cwdAlt) then(step shellplan.CwdStep) cwdAlt {
	out := cwdAlt{steps: append(append([]shellplan.CwdStep{}, a.steps...), step), failed: a.failed}
	if len(step.Raw) > 0 && step.Raw[0] == '/' && step.Mode == shellplan.CwdLogical {
		out.steps = []shellplan.CwdStep{step} // nothing before an absolute change counts
	}
	if step.Mode == shellplan.CwdLogical && !step.Pattern && step.CDPath == nil {
		out.pwd = logical(a.pwd, string(step.Raw))
	}
	return out
}

// logical is what the shell makes PWD: `..` removes the component before it.
func logical(pwd, to string) string {
	if !strings.HasPrefix(to, "/") {
		if pwd == "" {
			return ""
		}
		to = pwd + "/" + to
	}
	var out []string
	for part := range strings.SplitSeq(to, "/") {
		switch part {
		case "", ".":
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, part)
		}
	}
	return "/" + strings.Join(out, "/")
}

// runPushd reads pushd: the directories exchanged, pushed or rotated.
//
// Bash manual, "Directory Stack Builtins".
func runPushd(c *cmd) {
	c.Words(c.Args)
	st := c.st
	c.p.printUnknown(st)
	args, physical, ok := c.cdArgs()
	stay := false
	if ok && len(args) > 0 {
		if s, known := args[0].Plain(); known && s == "-n" {
			stay, args = true, args[1:]
		}
	}
	here, single := st.here()
	if !ok || !single || !st.stackOK || len(args) > 1 || len(args) > 0 && rotates(args[0]) {
		lost := st.clone()
		lost.stack, lost.stackOK = nil, false
		if !stay {
			lost.loseCwd(c.p.why(shellplan.OpaqueCwd, c.Span, "the stack of directories is not known"))
		}
		c.end = flow{lost, st}
		return
	}
	switch {
	case stay && len(args) == 1:
		if args[0].Dyn != nil || args[0].Pattern || args[0].Set != nil {
			st.stack, st.stackOK = nil, false
			return
		}
		st.stack = append([]cwdAlt{here.then(shellplan.CwdStep{Word: shellplan.Word{Raw: args[0].Raw}, Span: args[0].Span})}, st.stack...)
	case len(args) == 0:
		if len(st.stack) == 0 {
			c.end = flow{nil, st}
			return
		}
		ok := st.clone()
		ok.vars["OLDPWD"] = st.pwd()
		ok.cwds = []cwdAlt{st.stack[0]}
		ok.stack[0] = here
		c.end = flow{ok, st}
	default:
		c.changeDir(args[0], physical)
		if c.end.ok != nil {
			c.end = c.end.fork()
			c.end.ok.stack = append([]cwdAlt{here}, st.stack...)
		}
	}
}

func rotates(f shellword.Field) bool {
	s, ok := f.Plain()
	return !ok && f.MayBeOption() || ok && len(s) > 1 && (s[0] == '+' || s[0] == '-')
}

// here is the one directory of the state.
func (s *state) here() (cwdAlt, bool) {
	if s.cwdWhy != nil || len(s.cwds) != 1 {
		return cwdAlt{}, false
	}
	return s.cwds[0], true
}

func runPopd(c *cmd) {
	c.Words(c.Args)
	st := c.st
	c.p.printUnknown(st)
	if len(c.Args) > 0 || !st.stackOK {
		lost := st.clone()
		lost.stack, lost.stackOK = nil, false
		if s, ok := shellword.First(c.Args); !ok || s != "-n" {
			lost.loseCwd(c.p.why(shellplan.OpaqueCwd, c.Span, "the stack of directories is not known"))
		}
		c.end = flow{lost, st}
		return
	}
	if len(st.stack) == 0 {
		c.end = flow{nil, st}
		return
	}
	ok := st.clone()
	ok.vars["OLDPWD"] = st.pwd()
	ok.cwds, ok.cwdWhy, ok.stack = []cwdAlt{st.stack[0]}, nil, ok.stack[1:]
	c.end = flow{ok, st}
}

func runDirs(c *cmd) {
	c.Words(c.Args)
	for _, a := range c.Args {
		if s, ok := a.Plain(); !ok || s == "-c" {
			c.st.stack, c.st.stackOK = nil, ok
		}
	}
	c.p.printUnknown(c.st)
}
