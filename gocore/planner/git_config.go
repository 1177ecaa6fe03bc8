package planner

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

const gitConfigOptions = "global system local worktree f,file=V blob=V get get-all get-regexp get-urlmatch replace-all add unset unset-all rename-section remove-section l,list " +
	"fixed-value e,edit?P get-color get-colorbool t,type=V bool int bool-or-int bool-or-str path expiry-date z,null name-only includes show-origin show-scope default=V show-names all value=V url=V regexp"

// gitConfig reads or writes the file that its scope names. Printing a user's
// settings is an explicit read of them.
func gitConfig(c *cmd, p *shellword.Parsed, g *gitSub, r *reading) {
	r.skip = true
	g.repo = 'r' // it looks for one in any case
	verbs := 0
	writes, lists := false, p.Has("l")
	for _, k := range []string{"replace-all", "add", "unset", "unset-all", "rename-section", "remove-section"} {
		writes = writes || p.Has(k)
	}
	for _, k := range []string{"get", "get-all", "get-regexp", "get-urlmatch", "get-color", "get-colorbool", "l"} {
		if p.Has(k) {
			verbs++
		}
	}
	n := len(p.Operands)
	if n > 0 {
		switch s, ok := p.Operands[0].Plain(); {
		case !ok:
			writes = true
		case s == "list":
			lists = true
		case s == "set" || s == "unset" || s == "rename-section" || s == "remove-section" || s == "edit":
			writes = true
		case s == "get":
			n--
		}
	}
	writes = writes || verbs == 0 && n > 1
	c.words(shellword.Fields(p.Operands))
	explicit := func(f shellword.Field) {
		c.add(f, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
		if writes {
			c.add(f, shellplan.AccessWrite, shellplan.Candidate{OptionSafe: true})
			c.opaque(shellplan.OpaqueConstruct, f.Span, "the lock is made beside where the file leads, which is not modelled")
		}
	}
	switch {
	case p.Has("f"):
		f, _ := p.Last("f")
		explicit(f)
	case p.Has("global"):
		c.userSettings(writes)
	case p.Has("system"):
		explicit(shellword.Field{Raw: []byte("/etc/gitconfig"), Span: c.word.Span})
	default:
		if writes {
			g.repo = 'w'
			if k, ok := shellword.First(shellword.Fields(p.Operands)); !ok || !gitSettingOK(k+"=") && !strings.HasPrefix(k, "user.") {
				c.opaque(shellplan.OpaqueOption, c.word.Span, "a setting of the repository can make later commands run a program")
				c.effectAny()
			}
		}
		if lists && !p.Has("local") && !p.Has("worktree") {
			c.userSettings(false)
		}
	}
}

// userSettings is ~/.gitconfig as the subject of a command.
func (c *cmd) userSettings(writes bool) {
	v := c.variable("HOME")
	if v.Kind != shellword.ValueText {
		c.opaque(shellplan.OpaqueEnvironment, c.word.Span, "HOME is not known, and the settings lie there")
		return
	}
	for _, rel := range []string{"/.gitconfig", "/.config/git/config"} {
		f := shellword.Field{Raw: append(append([]byte{}, v.Text...), rel...), Span: c.word.Span, Text: c.word.Text}
		c.add(f, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
		if writes {
			c.add(f, shellplan.AccessWrite, shellplan.Candidate{OptionSafe: true})
			f.Raw = append(append([]byte{}, f.Raw...), ".lock"...)
			c.add(f, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: true})
		}
	}
}
