package command

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellscript"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

var awkRow = &row{
	names: "awk gawk mawk nawk original-awk",
	opts: "F,field-separator=V v,assign=V f,file=C e,source=X i,include=X l,load=X E,exec=X W=X D,debug?X o,pretty-print?X p,profile?X d,dump-variables?X " +
		"b,characters-as-bytes c,traditional n,non-decimal-data N,use-lc-numeric M,bignum O,optimize s,no-optimize P,posix r,re-interval S,sandbox " +
		"t,lint-old L,lint?V k,csv V,version! h,help! C,copyright! g,gen-pot",
	args: "V R*", dash: true, style: shellword.Style{Stop: true}, env: "AWKPATH AWKLIBPATH GAWK_PERSIST_FILE", adjust: adjustAwk,
	note: "A program that opens files, runs commands or reads names that the text does not give is opaque; a literal output file is a word.",
}

// adjustAwk reads the program and takes assignments out of the operands.
//
// Gawk manual, "Other Command-Line Arguments": a word that reads like
// NAME=value is an assignment and no file.
func adjustAwk(c *Call, p *shellword.Parsed, r *reading) {
	rest := p.Operands
	if p.Has("f") {
		r.args = "R*"
		if v := c.Variable("AWKPATH"); v.Kind != shellword.ValueUnset {
			c.environment("AWKPATH")
		}
	} else if len(rest) > 0 {
		f := rest[0].Field
		rest = rest[1:]
		prog, ok := f.Plain()
		switch {
		case !ok && f.Pattern && f.Dyn == nil:
			c.Opaque(shellplan.OpaqueRole, f.Span, "an unquoted pattern character in the program can match file names")
		case !ok:
			c.Opaque(shellplan.OpaqueDynamic, f.Span, "the awk program is not known")
		default:
			files, why := shellscript.Awk([]byte(prog))
			if why != "" {
				c.Opaque(shellplan.OpaqueScript, f.Span, why)
				c.EffectAny()
			}
			for _, w := range files {
				c.Add(shellword.Literal(w.Name, f.Span), shellplan.AccessWrite, shellplan.Candidate{OptionSafe: true})
			}
		}
	}
	// NAME=value among the files is an assignment.
	kept := p.Operands[:len(p.Operands)-len(rest)]
	for _, o := range rest {
		if i := bytes.IndexByte(o.Raw, '='); i > 0 && o.Set == nil && isName(o.Raw[:i]) {
			c.Listed(o.Field, true)
			if o.Pattern && o.Dyn == nil {
				kept = append(kept, o)
			}
			continue
		}
		kept = append(kept, o)
	}
	p.Operands = kept
}

func isName(b []byte) bool {
	for i, c := range b {
		if !shellword.IsLetter(c) && c != '_' && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(b) > 0
}
