package command

import (
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// role makes a candidate of a word by its role; -1 when it is none. word is the
// option's own word when f is its value.
func (c *Call) role(role byte, f shellword.Field, safe bool, rd *reading, word shellword.Field) int {
	stream := rd.dash && f.Dyn == nil && f.Set == nil && !f.Pattern && string(f.Raw) == "-"
	with := shellplan.Candidate{}
	switch role {
	case 'R', 'N', 'C':
		with = rd.read
	case 'W', 'E', 'T', 'I':
		with = rd.write
	}
	with.OptionSafe = safe || with.OptionSafe
	switch role {
	case 'V', 0:
		c.Listed(f, safe)
		return -1
	case 'R':
		if stream {
			return -1
		}
		return c.Add(f, shellplan.AccessRead, with)
	case 'N':
		c.Opaque(shellplan.OpaqueNames, word.Span, "the names come from the content of a file")
		if stream {
			return -1
		}
		return c.Add(f, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
	case 'C':
		return c.script(f, word)
	case 'W':
		if stream {
			return -1
		}
		return c.Add(f, shellplan.AccessWrite, with)
	case 'E':
		return c.Add(f, shellplan.AccessEntry, with)
	case 'S':
		return c.Add(f, shellplan.AccessStat, with)
	case 'L':
		with.NoFollow = true
		return c.Add(f, shellplan.AccessStat, with)
	case 'T':
		with.Traversal = treeWalk
		return c.Add(f, shellplan.AccessTree, with)
	case 'D':
		c.chdirTo(f, shellplan.AccessStat)
		return -1
	case 'I':
		if f.Dyn != nil {
			return c.Add(f, shellplan.AccessEntry, with)
		}
		return -1 // the row adds it when the sources are known
	case 'P':
		c.Opaque(shellplan.OpaqueProgram, word.Span, "it names a program that the command runs")
		c.EffectAny()
		return -1
	}
	c.Opaque(shellplan.OpaqueOption, word.Span, fmt.Sprintf("what %s does with it is not modelled", c.Name))
	return -1
}

// script adds a file that is a program for the command. The establishment reads
// it, in the languages it can be asked about, unless the text itself may have
// written it before.
func (c *Call) script(f, word shellword.Field) int {
	with := shellplan.Candidate{OptionSafe: true}
	switch c.Name {
	case "sed", "gsed":
		with.Script = shellplan.ScriptSed
	case "jq":
		with.Script = shellplan.ScriptJq
	case "awk", "gawk", "mawk", "nawk", "original-awk":
		with.Script = shellplan.ScriptAwk
	}
	if string(f.Raw) == "-" && f.Dyn == nil && c.Name != "jq" {
		c.Opaque(shellplan.OpaqueScript, word.Span, "the program comes from the standard input")
		return -1
	}
	if with.Script == "" || c.MayHaveWritten() {
		with.Script = ""
		c.Opaque(shellplan.OpaqueScript, word.Span, "the file is a program for the command, which is not read")
	}
	n := c.Add(f, shellplan.AccessRead, with)
	if n < 0 {
		c.Opaque(shellplan.OpaqueScript, word.Span, "the program comes from another command")
	}
	return n
}

// treeWalk is the walk below a tree that is written: links that lie there may
// be written through.
var treeWalk = &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksOpen, Hidden: true}
