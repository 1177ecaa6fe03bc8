package command

import (
	"bytes"
	"strconv"
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

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

// Zone adds a reason when TZ names a file of its own: whatever prints or
// computes a time reads it, and most programs do somewhere.
func (c *Call) Zone() {
	if v := c.Variable("TZ"); v.Kind == shellword.ValueUnknown || v.Kind == shellword.ValueText && !plainZone(v.Text) {
		c.environment("TZ")
	}
	if v := c.Variable("TZDIR"); v.Kind != shellword.ValueUnset {
		c.environment("TZDIR")
	}
}

// harmless are usual values of variables that could do more.
func harmless(name string, v shellword.Value) bool {
	if v.Kind != shellword.ValueText {
		return false
	}
	switch name {
	case "LESS": // letters that name no file and no command
		return len(bytes.Trim(v.Text, "-RFXiIMmSwWQgGKNJnqrescafu0123456789 #.x=z")) == 0
	case "LINES", "COLUMNS": // of a terminal that has room for a page
		n, err := strconv.Atoi(string(v.Text))
		return err == nil && n >= 10 && n < 10_000
	case "XZ_OPT", "XZ_DEFAULTS", "GZIP", "BZIP", "BZIP2":
		return len(bytes.Trim(v.Text, "-T0123456789evq ")) == 0
	}
	return false
}

// plainZone reports whether a TZ value names no file outside the zone data.
func plainZone(v []byte) bool {
	v = bytes.TrimPrefix(v, []byte(":"))
	system := string(v) == "/etc/localtime" || bytes.HasPrefix(v, []byte("/usr/share/zoneinfo/"))
	return (system || !bytes.HasPrefix(v, []byte("/"))) && !bytes.Contains(v, []byte(".."))
}

func (c *Call) environment(name string) {
	c.AddReason(shellplan.Opaque{
		Code: shellplan.OpaqueEnvironment, Word: []byte(name), Span: c.Word.Span,
		Detail: "the variable " + name + " makes the command read, write or run more than its words say",
	})
}

// Steers reports whether a variable makes some command read, write or run more
// than its words say.
func Steers(name string) bool { return steering()[name] }
