package command

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// zonePrefix begins a date that names the time zone, and with it maybe a file,
// in which it is read (GNU coreutils, "Specifying time zone rules").
var zonePrefix = []byte(`TZ="`)

// dated looks at the values of options that are dates.
func (c *Call) dated(p *shellword.Parsed, keys ...string) {
	for i := range p.Opts {
		u := &p.Opts[i]
		for _, k := range keys {
			if u.Spec.Key == k && u.Has {
				c.date(u.Value)
			}
		}
	}
}

// date adds a reason for a date whose zone may be a file.
func (c *Call) date(f shellword.Field) {
	start := bytes.TrimLeft(f.Raw, " \t\n\v\f\r")
	rest, zoned := bytes.CutPrefix(start, zonePrefix)
	end := bytes.IndexByte(rest, '"')
	switch {
	case zoned && end >= 0 && PlainZone(rest[:end]):
	case zoned:
		c.Opaque(shellplan.OpaqueDynamic, f.Span, "the zone of the date names a file")
	case (f.Dyn != nil && !f.Num || f.Set != nil || f.Pattern) && bytes.HasPrefix(zonePrefix, start):
		c.Opaque(shellplan.OpaqueDynamic, f.Span, "the date is not known, and its zone can name a file")
	}
}
