package command

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Call is one command line while its row reads it.
type Call struct {
	// Shell is the shell around it.
	Shell
	Name  string
	Args  []shellword.Field // without the name
	Word  shellword.Field   // the name as written
	Span  shellplan.Span    // the whole command
	Stdin shellword.Input
	Env   map[string]shellword.Value // what the command alone gets in its environment
	Clean bool                       // env -i: nothing of the shell's environment is passed on
	Chdir []shellplan.CwdStep        // directory changes on top of the shell's

	// What the row says of it as a whole.
	Consumed bool              // it read from the shell's standard input
	Silent   bool              // it prints nothing
	Printed  *shellword.Output // what it prints, when a row knows
}

// PrintUnknown says that the command prints something that is not known.
func (c *Call) PrintUnknown() { c.Print(shellword.Output{Kind: shellword.OutputUnknown}) }

// Words looks at arguments that are no paths.
func (c *Call) Words(list []shellword.Field) {
	for _, f := range list {
		c.Listed(f, true)
	}
}

// Add makes a word of the command a candidate at a access. It gives
// the candidate's index, or -1; see Shell.
func (c *Call) Add(f shellword.Field, access shellplan.Access, with shellplan.Candidate) int {
	with.Access = access
	if len(with.Chdir) == 0 {
		with.Chdir = c.Chdir
	}
	return c.Candidate(f, with)
}

// Parse splits the arguments of the command. A program that only prints its help
// looks at none of them, but the shell has expanded them by then.
func (c *Call) Parse(set *shellword.OptionSet, st shellword.Style) shellword.Parsed {
	p := shellword.Parse(c.Name, c.Args, set, st, c)
	if p.Exits {
		for _, a := range c.Args {
			c.Listed(a, true)
		}
	}
	return p
}

// EffectAny says that the command may change any name.
func (c *Call) EffectAny() { c.Effect(shellplan.Effect{Kind: shellplan.EffectAny}) }

// Consumes ends what is known of the input that the shell's next command reads.
func (c *Call) Consumes() { c.Consumed = true }

// Listed adds a pattern that is no path: expanding it lists directories all the
// same.
func (c *Call) Listed(f shellword.Field, safe bool) {
	if !f.Pattern || f.Dyn != nil || !c.Globs() {
		return
	}
	c.Add(f, shellplan.AccessStat, shellplan.Candidate{OptionSafe: safe || f.Raw[0] == '-', NoFollow: !shellword.EndsInSlash(f.Raw)})
}

// chdirTo adds a directory change for the words that follow. Some programs open
// the directory for it (tar), others only change to it.
func (c *Call) chdirTo(f shellword.Field, access shellplan.Access) {
	if f.Dyn != nil || f.Pattern || f.Set != nil {
		c.Opaque(shellplan.OpaqueCwd, f.Span, "the directory that the option changes to is not known")
		f = shellword.Literal([]byte("."), f.Span)
	}
	c.Add(f, access, shellplan.Candidate{OptionSafe: true, DirOnly: access == shellplan.AccessRead})
	c.Chdir = append(append([]shellplan.CwdStep{}, c.Chdir...), shellplan.CwdStep{Word: shellplan.Word{Raw: f.Raw}, Mode: shellplan.CwdProcess, Span: f.Span})
}

// several reports whether an operand may become another number of words than
// one.
func (c *Call) several(f shellword.Field) bool {
	return f.Many || f.Pattern && f.Dyn == nil && c.Globs()
}

// parents adds the directories above a word, as the word spells them.
func (c *Call) parents(o shellword.Operand) {
	if o.Dyn != nil || o.Set != nil {
		return
	}
	if o.Pattern {
		c.Opaque(shellplan.OpaquePattern, o.Span, "the directories above the matches of a pattern are not modelled")
		return
	}
	for raw := bytes.TrimRight(o.Raw, "/"); ; {
		i := bytes.LastIndexByte(raw, '/')
		if i <= 0 {
			return
		}
		raw = bytes.TrimRight(raw[:i], "/")
		f := o.Field
		f.Raw = raw
		c.Add(f, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: o.Safe})
	}
}

// opensCwd adds the working directory, which a program opens to come back to it.
func (c *Call) opensCwd() {
	c.Add(shellword.Field{Raw: []byte("."), Span: c.Word.Span}, shellplan.AccessRead, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: true})
}

// besideOf adds the directory that a file lies in, as the word spells it: some
// programs open it to write it out.
func (c *Call) besideOf(o shellword.Operand) {
	if o.Dyn != nil || o.Set != nil {
		return // a walk lists its directories, a reason is on the segment
	}
	f := o.Field
	i := bytes.LastIndexByte(bytes.TrimRight(f.Raw, "/"), '/')
	switch {
	case i < 0:
		f = shellword.Field{Raw: []byte("."), Span: o.Span}
	default:
		f.Raw = f.Raw[:i+1]
		if f.Pattern {
			f.Mask = f.Mask[:i+1]
			f.Pattern = shellword.IsPattern(f.Raw, f.Mask)
		}
	}
	c.Add(f, shellplan.AccessRead, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: o.Safe, DirOnly: true})
}

// aboveHome adds files of the home, and of the directories above it, that a
// program opens by itself where they are.
func (c *Call) aboveHome(names ...string) {
	v := c.Variable("HOME")
	if v.Kind == shellword.ValueUnset {
		return
	}
	if v.Kind != shellword.ValueText || !bytes.HasPrefix(v.Text, []byte("/")) {
		c.Opaque(shellplan.OpaqueEnvironment, c.Word.Span, "HOME is not known, and "+c.Name+" reads its settings there")
		return
	}
	with := shellplan.Candidate{Kind: shellplan.KindUpward, Access: shellplan.AccessRead, Implicit: shellplan.ImplicitJudged, OptionSafe: true}
	for _, n := range names {
		with.Names = append(with.Names, []byte(n))
	}
	c.Candidate(shellword.Field{Raw: v.Text, Span: c.Word.Span}, with)
}

// home adds a file below the home directory that a program opens by itself.
func (c *Call) home(rel string, why shellplan.Implicit) {
	v := c.Variable("HOME")
	if v.Kind == shellword.ValueUnset {
		return
	}
	if v.Kind != shellword.ValueText || !bytes.HasPrefix(v.Text, []byte("/")) {
		c.Opaque(shellplan.OpaqueEnvironment, c.Word.Span, "HOME is not known, and "+c.Name+" reads its settings there")
		return
	}
	if !c.Inherited("HOME") && why == shellplan.ImplicitDisclosed {
		why = shellplan.ImplicitJudged // the text itself says where the settings are
	}
	path := append(bytes.TrimRight(bytes.Clone(v.Text), "/"), '/')
	path = append(path, rel...)
	f := shellword.Field{Raw: path, Span: c.Word.Span}
	c.Candidate(f, shellplan.Candidate{Access: shellplan.AccessRead, OptionSafe: true, Implicit: why})
}

// paths adds the words of a command that is not modelled which read like paths:
// whatever the command does with them, a person wants to know where they lead.
func (c *Call) paths() {
	for _, a := range c.Args {
		if a.Dyn != nil || a.Set != nil {
			continue
		}
		f := a
		if len(f.Raw) > 1 && f.Raw[0] == '-' {
			i := bytes.IndexByte(f.Raw, '=')
			if i < 0 {
				continue
			}
			f = f.From(i + 1)
		}
		if len(f.Raw) > 1 && f.Raw[0] == '@' { // curl -d @file
			f = f.From(1)
		}
		if bytes.IndexByte(f.Raw, '/') < 0 || bytes.Contains(f.Raw, []byte("://")) || bytes.ContainsAny(f.Raw, "\n") {
			continue
		}
		c.Add(f, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
	}
}
