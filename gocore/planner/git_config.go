package planner

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

const gitConfigOptions = "global system local worktree f,file=V blob=V get get-all get-regexp get-urlmatch replace-all add unset unset-all rename-section remove-section l,list " +
	"fixed-value e,edit?P get-color get-colorbool t,type=V bool int bool-or-int bool-or-str path expiry-date z,null name-only includes show-origin show-scope default=V show-names all value=V url=V regexp"

// gitConfig reads or writes the file that its scope names. Printing a user's
// settings is an explicit read of them.
func gitConfig(c *cmd, p *parsed, g *gitSub, r *reading) {
	r.skip = true
	g.repo = 'r' // it looks for one in any case
	verbs := 0
	writes, lists := false, p.has("l")
	for _, k := range []string{"replace-all", "add", "unset", "unset-all", "rename-section", "remove-section"} {
		writes = writes || p.has(k)
	}
	for _, k := range []string{"get", "get-all", "get-regexp", "get-urlmatch", "get-color", "get-colorbool", "l"} {
		if p.has(k) {
			verbs++
		}
	}
	n := len(p.operands)
	if n > 0 {
		switch s, ok := p.operands[0].str(); {
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
	c.words(fieldsOf(p.operands))
	explicit := func(f field) {
		c.add(f, shellplan.SeatRead, shellplan.Candidate{OptionSafe: true})
		if writes {
			c.add(f, shellplan.SeatWrite, shellplan.Candidate{OptionSafe: true})
			c.opaque(shellplan.OpaqueConstruct, f.span, "the lock is made beside where the file leads, which is not modelled")
		}
	}
	switch {
	case p.has("f"):
		f, _ := p.last("f")
		explicit(f)
	case p.has("global"):
		c.userSettings(writes)
	case p.has("system"):
		explicit(field{raw: []byte("/etc/gitconfig"), span: c.word.span})
	default:
		if writes {
			g.repo = 'w'
			if k, ok := first(fieldsOf(p.operands)); !ok || !gitSettingOK(k+"=") && !strings.HasPrefix(k, "user.") {
				c.opaque(shellplan.OpaqueOption, c.word.span, "a setting of the repository can make later commands run a program")
				c.effectAny()
			}
		}
		if lists && !p.has("local") && !p.has("worktree") {
			c.userSettings(false)
		}
	}
}

// userSettings is ~/.gitconfig as the subject of a command.
func (c *cmd) userSettings(writes bool) {
	v := c.variable("HOME")
	if v.kind != valText {
		c.opaque(shellplan.OpaqueEnvironment, c.word.span, "HOME is not known, and the settings lie there")
		return
	}
	for _, rel := range []string{"/.gitconfig", "/.config/git/config"} {
		f := field{raw: append(append([]byte{}, v.str...), rel...), span: c.word.span, text: c.word.text}
		c.add(f, shellplan.SeatRead, shellplan.Candidate{OptionSafe: true})
		if writes {
			c.add(f, shellplan.SeatWrite, shellplan.Candidate{OptionSafe: true})
			f.raw = append(append([]byte{}, f.raw...), ".lock"...)
			c.add(f, shellplan.SeatEntry, shellplan.Candidate{OptionSafe: true})
		}
	}
}
