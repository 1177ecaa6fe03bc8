package command

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

const gitConfigOptions = "global system local worktree f,file=V blob=V get get-all get-regexp get-urlmatch replace-all add unset unset-all rename-section remove-section l,list " +
	"fixed-value e,edit?P get-color get-colorbool t,type=V bool int bool-or-int bool-or-str path expiry-date z,null name-only includes show-origin show-scope default=V show-names all value=V url=V regexp"

// gitConfig reads or writes the file that its scope names. Printing a user's
// settings is an explicit read of them.
func gitConfig(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
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
	c.Words(shellword.Fields(p.Operands))
	explicit := func(f shellword.Field) {
		c.Add(f, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
		if writes {
			c.Add(f, shellplan.AccessWrite, shellplan.Candidate{OptionSafe: true})
			c.Opaque(shellplan.OpaqueConstruct, f.Span, "the lock is made beside where the file leads, which is not modelled")
		}
	}
	if p.Has("includes") && (p.Has("f") || p.Has("blob") || p.Has("global") || p.Has("system")) {
		c.Opaque(shellplan.OpaqueNames, c.Word.Span, "what the file includes is read, too")
	}
	switch {
	case p.Has("f"):
		f, _ := p.Last("f")
		explicit(f)
	case p.Has("global"):
		c.userSettings(writes)
	case p.Has("system"):
		explicit(shellword.Field{Raw: []byte("/etc/gitconfig"), Span: c.Word.Span})
	default:
		if writes {
			g.repo = 'w'
			if k, ok := shellword.First(shellword.Fields(p.Operands)); !ok || !gitSettingOK(k+"=") && !strings.HasPrefix(k, "user.") {
				c.Opaque(shellplan.OpaqueOption, c.Word.Span, "a setting of the repository can make later commands run a program")
				c.EffectAny()
			}
		}
		if lists && !p.Has("local") && !p.Has("worktree") {
			c.userSettings(false)
		}
	}
}

// userSettings is ~/.gitconfig as the subject of a command.
func (c *Call) userSettings(writes bool) {
	v := c.Variable("HOME")
	if v.Kind != shellword.ValueText {
		c.Opaque(shellplan.OpaqueEnvironment, c.Word.Span, "HOME is not known, and the settings lie there")
		return
	}
	for _, rel := range []string{"/.gitconfig", "/.config/git/config"} {
		f := shellword.Field{Raw: append(append([]byte{}, v.Text...), rel...), Span: c.Word.Span, Text: c.Word.Text}
		c.Add(f, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
		if writes {
			c.Add(f, shellplan.AccessWrite, shellplan.Candidate{OptionSafe: true})
			f.Raw = append(append([]byte{}, f.Raw...), ".lock"...)
			c.Add(f, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: true})
		}
	}
}

// gitSettings adds the user's own git settings.
func (c *Call) gitSettings(why shellplan.Implicit) {
	c.home(".gitconfig", why)
	if v := c.Variable("XDG_CONFIG_HOME"); v.Kind == shellword.ValueText && len(v.Text) > 0 {
		for _, f := range []string{"/git/config", "/git/ignore", "/git/attributes"} {
			path := append(append([]byte{}, v.Text...), f...)
			c.Add(shellword.Field{Raw: path, Span: c.Word.Span}, shellplan.AccessRead, shellplan.Candidate{Implicit: why, OptionSafe: true})
		}
		return
	} else if v.Kind == shellword.ValueUnknown {
		c.environment("XDG_CONFIG_HOME")
	}
	for _, f := range []string{".config/git/config", ".config/git/ignore", ".config/git/attributes"} {
		c.home(f, why)
	}
}
