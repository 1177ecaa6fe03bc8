package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellscript"
)

func init() {
	add(&row{
		opts: "F,field-separator=V v,assign=V f,file=C e,source=X i,include=X l,load=X E,exec=X W=X D,debug?X o,pretty-print?X p,profile?X d,dump-variables?X " +
			"b,characters-as-bytes c,traditional n,non-decimal-data N,use-lc-numeric M,bignum O,optimize s,no-optimize P,posix r,re-interval S,sandbox " +
			"t,lint-old L,lint?V k,csv V,version! h,help! C,copyright! g,gen-pot",
		args: "V R*", dash: true, style: style{stop: true}, adjust: adjustAwk,
		note: "A program that opens files, runs commands or reads names that the text does not give is opaque; a literal output file is a word.",
	}, "awk", "gawk", "mawk", "nawk", "original-awk")
}

func adjustAwk(c *cmd, p *parsed, r *reading) {
	rest := p.operands
	if p.has("f") {
		r.args = "R*"
		if v := c.variable("AWKPATH"); v.kind != valUnset {
			c.environment("AWKPATH")
		}
	} else if len(rest) > 0 {
		f := rest[0].field
		rest = rest[1:]
		prog, ok := f.str()
		switch {
		case !ok && f.pattern && f.dyn == nil:
			c.opaque(shellplan.OpaqueRole, f.span, "an unquoted pattern character in the program can match file names")
		case !ok:
			c.opaque(shellplan.OpaqueDynamic, f.span, "the awk program is not known")
		default:
			files, why := shellscript.Awk([]byte(prog))
			if why != "" {
				c.opaque(shellplan.OpaqueScript, f.span, why)
				c.effectAny()
			}
			for _, w := range files {
				c.add(lit(w.Name, f.span), shellplan.SeatWrite, shellplan.Candidate{OptionSafe: true})
			}
		}
	}
	// NAME=value among the files is an assignment.
	kept := p.operands[:len(p.operands)-len(rest)]
	for _, o := range rest {
		if i := bytes.IndexByte(o.raw, '='); i > 0 && o.set == nil && isName(o.raw[:i]) {
			c.listed(o.field, true)
			if o.pattern && o.dyn == nil {
				kept = append(kept, o)
			}
			continue
		}
		kept = append(kept, o)
	}
	p.operands = kept
}

func isName(b []byte) bool {
	for i, c := range b {
		if !isLetter(c) && c != '_' && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(b) > 0
}
