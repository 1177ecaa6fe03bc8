package command

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// afterSplit adds the parts that split and csplit write: names that start with
// the prefix.
func afterSplit(c *Call, p *shellword.Parsed, r *reading) {
	prefix := shellword.Field{Raw: []byte("x"), Span: c.Word.Span}
	if c.Name == "csplit" {
		prefix.Raw = []byte("xx")
		if f, ok := p.Last("f"); ok {
			prefix = f
		}
	} else if len(p.Operands) > 1 {
		prefix = p.Operands[1].Field
	}
	if prefix.Dyn != nil || prefix.Set != nil || prefix.Pattern {
		c.Opaque(shellplan.OpaqueDynamic, prefix.Span, "the prefix of the parts is not known")
		return
	}
	if f, ok := p.Last("additional-suffix"); ok {
		if s, known := f.Plain(); !known || strings.Contains(s, "/") {
			c.Opaque(shellplan.OpaqueDynamic, f.Span, "the suffix of the parts is not known")
		}
	}
	if f, ok := p.Last("b"); ok && c.Name == "csplit" {
		if s, known := f.Plain(); !known || strings.Contains(s, "/") {
			c.Opaque(shellplan.OpaqueDynamic, f.Span, "the suffix of the parts is not known")
		}
	}
	base := prefix.Raw[bytes.LastIndexByte(prefix.Raw, '/')+1:]
	spelled := prefix
	spelled.Raw = append(bytes.Clone(prefix.Raw), "aa"...)
	c.Add(spelled, shellplan.AccessWrite, shellplan.Candidate{
		Kind: shellplan.KindBeside, Names: [][]byte{append(bytes.Clone(base), '*')}, OptionSafe: true,
	})
}

// afterMktemp adds the made-up name.
func afterMktemp(c *Call, p *shellword.Parsed, r *reading) {
	dir := []byte("/tmp")
	if v := c.Variable("TMPDIR"); v.Kind == shellword.ValueText && len(v.Text) > 0 {
		dir = v.Text
	} else if v.Kind == shellword.ValueUnknown {
		c.environment("TMPDIR")
	}
	below := len(p.Operands) == 0 || p.Has("p") || p.Has("t")
	if f, ok := p.Last("p"); ok {
		if f.Dyn != nil {
			c.AddReason(*c.Reason(f.Dyn, f.Span))
			return
		}
		if len(f.Raw) > 0 {
			dir = f.Raw
		}
	}
	template := []byte("tmp.XXXXXXXXXX")
	if len(p.Operands) > 0 {
		s, ok := p.Operands[0].Plain()
		if !ok {
			c.Opaque(shellplan.OpaqueDynamic, p.Operands[0].Span, "the template of the name is not known")
			return
		}
		template = []byte(s)
	}
	if below {
		template = append(append(bytes.Clone(dir), '/'), template...)
	}
	base := template[bytes.LastIndexByte(template, '/')+1:]
	i := bytes.Index(base, []byte("XXX"))
	if i < 0 {
		return // mktemp refuses it
	}
	c.Add(shellword.Field{Raw: template, Span: c.Word.Span}, shellplan.AccessEntry, shellplan.Candidate{
		Kind: shellplan.KindBeside, Names: [][]byte{append(bytes.Clone(base[:i]), '*')}, OptionSafe: true,
	})
}

var splitRow = &row{
	names: "split",
	opts: "a,suffix-length=V additional-suffix=V b,bytes=V C,line-bytes=V d numeric-suffixes?V x hex-suffixes?V e,elide-empty-files filter=P l,lines=V n,number=V " +
		"t,separator=V u,unbuffered verbose" + gnu,
	args: "R V", dash: true, style: shellword.Style{Count: true}, after: afterSplit, quiet: true,
}

var csplitRow = &row{
	names: "csplit",
	opts:  "b,suffix-format=V f,prefix=V k,keep-files suppress-matched n,digits=V s,quiet,silent z,elide-empty-files" + gnu,
	args:  "R V*", dash: true, after: afterSplit,
}

var mktempRow = &row{
	names: "mktemp",
	opts:  "d,directory u,dry-run q,quiet suffix=V p=V tmpdir?V:p t V,version! help! version!", args: "V", after: afterMktemp,
	note: "The name is made up: below TMPDIR or /tmp unless a template says otherwise.",
}
