package command

import (
	"bytes"
	"strconv"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Zone adds a reason when TZ names a file of its own: whatever prints or
// computes a time reads it, and most programs do somewhere.
func (c *Call) Zone() {
	if v := c.Variable("TZ"); v.Kind == shellword.ValueUnknown || v.Kind == shellword.ValueText && !PlainZone(v.Text) {
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

// PlainZone reports whether a TZ value names no file outside the zone data.
func PlainZone(v []byte) bool {
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

// ownTemporaries makes the directory that the text itself gives for temporary files a
// place that is written in; which one the user's own environment gives is the user's
// business.
func ownTemporaries(c *Call, _ *shellword.Parsed, _ *reading) {
	if c.Inherited("TMPDIR") {
		return
	}
	switch v := c.Variable("TMPDIR"); {
	case v.Kind == shellword.ValueUnset || v.Kind == shellword.ValueText && len(v.Text) == 0:
	case v.Kind == shellword.ValueText:
		file := shellword.Literal(append(bytes.Clone(v.Text), "/"+c.Name+"XXXXXX"...), c.Word.Span)
		c.Add(file, shellplan.AccessWrite, shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: true})
	default:
		c.environment("TMPDIR")
	}
}
