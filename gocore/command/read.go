package command

import (
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Run reads the command by its row. A program that is not in the table may do
// anything.
func (c *Call) Run() {
	r, known := byName()[c.Name]
	if !known {
		c.Consumes()
		c.paths()
		c.Opaque(shellplan.OpaqueCommandUnknown, c.Word.Span, "the command is not in the table of known commands")
		c.EffectAny()
		c.PrintUnknown()
		return
	}
	c.steered(r)
	c.table(r)
}

// table reads a command by its row.
func (c *Call) table(r *row) {
	if r.run != nil {
		r.run(c, r)
		return
	}
	c.Printed = nil
	does := c.standard(r)
	switch {
	case !does: // --help
		c.PrintUnknown()
	case c.Printed != nil:
		c.Print(*c.Printed)
	case r.quiet:
		c.Silent = true
	}
}

// alwaysSteers are variables that change what any program opens.
const alwaysSteers = "POSIXLY_CORRECT GCONV_PATH LOCPATH MALLOC_TRACE"

// steering is every variable that some row or the shell looks at, for variables
// of an environment that was not given whole.
var steering = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(alwaysSteers) {
		out[name] = true
	}
	for _, r := range rows {
		for name := range strings.FieldsSeq(r.env) {
			out[name] = true
		}
	}
	return out
})

// steered adds a reason for every variable that takes the command out of its
// row.
func (c *Call) steered(r *row) {
	for _, names := range []string{alwaysSteers, r.env} {
		for name := range strings.FieldsSeq(names) {
			if v := c.Variable(name); v.Kind != shellword.ValueUnset && (v.Kind != shellword.ValueText || len(v.Text) > 0) && !harmless(name, v) {
				c.environment(name)
			}
		}
	}
	for _, name := range c.Loaders() {
		c.environment(name)
	}
	if !timeless[c.Name] {
		c.Zone()
	}
}

// timeless commands never look at a time.
var timeless = map[string]bool{
	"cat": true, "tac": true, "head": true, "tail": true, "wc": true, "cut": true, "paste": true, "tr": true, "rev": true, "fold": true,
	"nl": true, "grep": true, "egrep": true, "fgrep": true, "sed": true, "cmp": true, "comm": true, "join": true, "uniq": true, "sort": true,
	"basename": true, "dirname": true, "tee": true, "true": true, "false": true, "readlink": true, "realpath": true, "rm": true, "mkdir": true,
}

// Steers reports whether a variable makes some command read, write or run more
// than its words say.
func Steers(name string) bool { return steering()[name] }
