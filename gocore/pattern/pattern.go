package pattern

import (
	"unicode/utf8"
)

// MaxComponent is the longest component that is compiled, in bytes. File names
// end at 255 bytes on every system this runs on, so a longer pattern is no
// everyday one; the bound keeps matching cheap whatever the text.
const MaxComponent = 1024

// Dialect is whose rules apply. The zero value is invalid.
type Dialect uint8

const (
	_ Dialect = iota
	// Bash is GNU bash.
	Bash
	// Dash is dash with its own matcher (not the C library's fnmatch).
	Dash
)

// Options are one reading of a pattern.
type Options struct {
	// Dialect is whose rules apply.
	Dialect Dialect
	// UTF8 matches characters instead of bytes: `?` is one character, ranges
	// go by character. Bash only; dash always matches bytes. A pattern or a
	// name that is not valid UTF-8 is matched as bytes, as bash does.
	UTF8 bool
	// Dot lets operators match a leading dot (dotglob).
	Dot bool
	// NoCase lets letters match either case (nocaseglob).
	NoCase bool
	// Extended makes `?(`, `*(`, `+(`, `@(` and `!(` operators (extglob).
	Extended bool
	// Collate says that ranges follow the locale's collation order, which is
	// not known here: what may lie in a range is Maybe.
	Collate bool
}

// Result is the answer of Match.
type Result uint8

const (
	// No: the name does not match.
	No Result = iota
	// Maybe: it depends on the locale whether the name matches.
	Maybe
	// Yes: the name matches.
	Yes
)

// Component is one part of a word between slashes.
type Component struct {
	Raw, Mask []byte
}

// Split cuts a word at its slashes, quoted or not: a slash inside a bracket
// ends the component, so the bracket was none. An empty mask means that every
// byte is quoted; Split gives components with an empty mask then.
func Split(raw, mask []byte) []Component {
	var out []Component
	start := 0
	for i := 0; i <= len(raw); i++ {
		if i < len(raw) && raw[i] != '/' {
			continue
		}
		c := Component{Raw: raw[start:i]}
		if len(mask) == len(raw) {
			c.Mask = mask[start:i]
		}
		out = append(out, c)
		start = i + 1
	}
	return out
}

// Pattern is one compiled component. It is safe for concurrent use.
type Pattern struct {
	literal string
	meta    bool
	dot     bool // operators match a leading dot
	leads   bool // the pattern starts with a literal dot
	mayLead bool // only an extended operator lets it: whether bash agrees depends on its version
	noCase  bool
	bytes   []node
	chars   []node // nil: bytes always
}

// Compile reads one component. mask has one entry per byte of raw, zero for a
// quoted byte and anything else for an unquoted one; an empty mask means that
// every byte is quoted. The error is an *Error.
func Compile(raw, mask []byte, o Options) (*Pattern, error) {
	if len(mask) != 0 && len(mask) != len(raw) {
		return nil, &Error{Code: CodeBadMask, Construct: "a mask whose length is not the pattern's"}
	}
	p := &Pattern{literal: string(raw), dot: o.Dot, noCase: o.NoCase}
	p.leads = len(raw) > 0 && raw[0] == '.'
	if len(mask) == 0 {
		p.bytes = literalNodes(raw)
		return p, nil
	}
	if err := unmodelled(raw, mask, o); err != nil {
		return nil, err
	}
	var err error
	if p.bytes, p.meta, err = compile(escape(raw, mask, false), o, false); err != nil {
		return nil, err
	}
	if !p.leads {
		p.mayLead = leadsWithDot(p.bytes)
		p.leads = p.mayLead
	}
	if o.UTF8 && o.Dialect == Bash && utf8.Valid(raw) {
		var meta bool
		if p.chars, meta, err = compile(escape(raw, mask, true), o, true); err != nil {
			return nil, err
		}
		p.meta = p.meta || meta
	}
	return p, nil
}

// HasMeta reports whether the component has an operator; without one only the
// literal name matches.
func (p *Pattern) HasMeta() bool { return p.meta }

// Literal is the component itself: the name that is meant when nothing matches.
func (p *Pattern) Literal() string { return p.literal }

// LeadsWithDot reports whether the pattern starts with a dot of its own. Only
// such a pattern can match the names `.` and `..`, in the shells that let it.
func (p *Pattern) LeadsWithDot() bool { return p.leads }

// Match reports whether the name matches. Names `.` and `..` are matched like
// any other: whether a shell offers them is the caller's to know.
func (p *Pattern) Match(name string) Result {
	if name == "" {
		return No
	}
	if name[0] == '.' && !p.leads && !p.dot {
		return No
	}
	nodes, text := p.bytes, byteText(name)
	if p.chars != nil && utf8.ValidString(name) {
		nodes, text = p.chars, []rune(name)
	}
	if !run(nodes, text, Maybe) {
		return No
	}
	if run(nodes, text, Yes) && (name[0] != '.' || !p.mayLead || p.dot) {
		return Yes
	}
	return Maybe
}

func byteText(s string) []rune {
	out := make([]rune, len(s))
	for i := range len(s) {
		out[i] = rune(s[i])
	}
	return out
}

// escape writes the component in the form both shells match from: a backslash
// before each quoted character. A byte is a rune of its value unless chars.
func escape(raw, mask []byte, chars bool) []rune {
	out := make([]rune, 0, 2*len(raw))
	for i := 0; i < len(raw); {
		r, n := rune(raw[i]), 1
		if chars {
			r, n = utf8.DecodeRune(raw[i:])
		}
		if mask[i] == 0 {
			out = append(out, '\\')
		}
		out = append(out, r)
		i += n
	}
	return out
}

// unmodelled finds what no reading follows, before anything is compiled.
func unmodelled(raw, mask []byte, o Options) error {
	for i, c := range raw {
		if mask[i] == 0 {
			continue
		}
		switch {
		case c == '\\':
			// The product of an expansion: versions differ on whether
			// it quotes.
			return &Error{CodeNotModelled, i, "an unquoted backslash"}
		case len(raw) > MaxComponent && (c == '*' || c == '?' || c == '['):
			return &Error{CodeNotModelled, i, "a pattern longer than a name can be"}
		}
	}
	return nil
}

func isExtended(c byte) bool {
	return c == '?' || c == '*' || c == '+' || c == '@' || c == '!'
}
