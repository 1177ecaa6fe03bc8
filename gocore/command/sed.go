package command

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellscript"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

var sedRow = &row{
	names: "sed gsed",
	opts: "n,quiet,silent debug e,expression=V f,file=C follow-symlinks i,in-place?V l,line-length=V posix E,r,regexp-extended s,separate sandbox " +
		"u,unbuffered b,binary z,null-data,zero-terminated help! version!",
	args: "V R*", dash: true, adjust: adjustSed, after: afterSed,
	note: "-i replaces the entry itself by way of a temporary file beside it. Files that the script reads and writes are words too; a script that runs a command is opaque.",
}

// adjustSed reads the script for the files that it names.
//
// Sed manual, "Command-Line Options": without -e or -f the first operand is the
// script.
func adjustSed(c *Call, p *shellword.Parsed, r *reading) {
	var script []byte
	span, given := c.Span, p.Has("f")
	known := true
	collect := func(f shellword.Field) {
		s, ok := f.Plain()
		if !ok && f.Pattern && f.Dyn == nil {
			// The word could match the name of a file, which would be another
			// script.
			c.Opaque(shellplan.OpaqueRole, f.Span, "an unquoted pattern character in the script can match file names")
			known = false
			return
		}
		if !ok {
			c.Opaque(shellplan.OpaqueDynamic, f.Span, "the sed script is not known")
			known = false
			return
		}
		span = f.Span
		if len(script) > 0 {
			script = append(script, '\n')
		}
		script = append(script, s...)
	}
	for i := range p.Opts {
		if p.Opts[i].Spec.Key == "e" {
			collect(p.Opts[i].Value)
			given = true
		}
	}
	if given {
		r.args = "R*"
	} else if len(p.Operands) > 0 {
		collect(p.Operands[0].Field)
	}
	if p.Has("i") {
		r.dash = false
	}
	if !known {
		return
	}
	files, why := shellscript.Sed(script)
	if why != "" {
		c.Opaque(shellplan.OpaqueScript, span, why)
		c.EffectAny()
	}
	for _, f := range files {
		access := shellplan.AccessRead
		if f.Write {
			access = shellplan.AccessWrite
		}
		c.Add(shellword.Literal(f.Name, span), access, shellplan.Candidate{OptionSafe: true})
	}
}

// afterSed adds what -i writes.
//
// Sed manual, "Command-Line Options" (-i): the output goes to a temporary file
// in the directory of the input, which is then renamed over it; a suffix keeps
// the input under another name.
func afterSed(c *Call, p *shellword.Parsed, r *reading) {
	if !p.Has("i") {
		return
	}
	if p.Has("follow-symlinks") {
		c.Opaque(shellplan.OpaqueOption, c.Word.Span, "--follow-symlinks with -i writes beside the link's target")
	}
	suffix, backup := p.Last("i")
	for i, o := range p.Operands {
		if i >= len(r.roles) || r.roles[i] != 'R' || r.ops[i] < 0 {
			continue
		}
		n := c.Add(o.Field, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: o.Safe})
		c.Effect(shellplan.Effect{Kind: shellplan.EffectReplace, Candidate: n})
		c.Add(o.Field, shellplan.AccessEntry, shellplan.Candidate{Kind: shellplan.KindBeside, Names: [][]byte{[]byte("sed*")}, OptionSafe: o.Safe})
		if !backup || len(suffix.Raw) == 0 && suffix.Dyn == nil {
			continue
		}
		switch s, ok := suffix.Plain(); {
		case !ok:
			c.Opaque(shellplan.OpaqueDynamic, suffix.Span, "the suffix of the backup is not known")
		case bytes.ContainsAny([]byte(s), "*/"):
			c.Opaque(shellplan.OpaqueOption, suffix.Span, "a backup name with * or / in it is not modelled")
		default:
			if len(o.Raw) > 0 && o.Set != nil {
				c.Opaque(shellplan.OpaqueDynamic, o.Span, "the name of the backup is not known")
				continue
			}
			c.Add(o.Field, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: o.Safe, Names: [][]byte{[]byte(s)}})
		}
	}
}
