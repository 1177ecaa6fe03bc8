package shellplan

// Shell is the profile of the shell that will run the text.
type Shell struct {
	// Dialect is the grammar and the expansion rules.
	Dialect Dialect
	// Version is major*100+minor (502 for bash 5.2); 0 is unknown, which
	// takes the widest reading wherever versions differ.
	Version int
	// Locale is what the shell matches patterns under.
	Locale Locale
	// Glob are the options in force when the text starts.
	Glob Glob
}

// Dialect is a shell language. The zero value is invalid.
type Dialect uint8

const (
	_ Dialect = iota
	// DialectBash is GNU bash.
	DialectBash
	// DialectDash is dash.
	DialectDash
	// DialectPosix is an sh of unknown make: where bash and dash differ, both
	// readings hold.
	DialectPosix
)

// Locale is what is known of LC_ALL, LC_CTYPE and LC_COLLATE.
type Locale uint8

const (
	// LocaleUnknown: the union of the byte and the character reading.
	LocaleUnknown Locale = iota
	// LocaleC: `?`, ranges and classes match bytes.
	LocaleC
	// LocaleUTF8: they match characters, ranges by code point.
	LocaleUTF8
)

// Glob is a set of shell options that change pathname expansion. An option
// whose state is not known is never guessed: the segment says
// OpaqueShellOption instead.
type Glob uint16

const (
	GlobDot      Glob = 1 << iota // dotglob: a pattern matches a leading dot
	GlobNull                      // nullglob: a pattern without a match vanishes
	GlobFail                      // failglob: a pattern without a match fails the command
	GlobNoCase                    // nocaseglob: letters match either case
	GlobStar                      // globstar: ** crosses directories
	GlobExt                       // extglob: ?(...) and its kin are operators
	GlobSkipDots                  // globskipdots on (bash 5.2 default): . and .. never match
	GlobKeepDots                  // globskipdots known to be off; neither bit: by version
	GlobCollate                   // globasciiranges off: ranges follow the collation order
)

// Has reports whether every option of want is set.
func (g Glob) Has(want Glob) bool { return g&want == want }
