package shellplan

// Word is the spelling of a path after every expansion but pathname expansion,
// quotes removed.
type Word struct {
	// Raw are the bytes the program or the shell would pass to the kernel if
	// no pattern applied. They are bytes: never normalised, never cleaned.
	Raw []byte
	// Mask says per byte of Raw whether it was quoted: MaskQuoted or
	// MaskActive. Empty means that every byte is quoted. Quoting counts
	// inside brackets too: in `["!"a]*` the `!` is a member, no operator.
	Mask []byte
	// Pattern says that pathname expansion applies: an active byte of Raw is
	// `*`, `?` or `[` (or an extended operator) and the shell expands here.
	// False makes Raw a literal whatever its bytes.
	Pattern bool
	// Glob are the shell options in force for this word, on top of the
	// plan's Shell.
	Glob Glob
}

// Values of Word.Mask, one per byte.
const (
	MaskQuoted byte = 0 // by quotes, a backslash, or because no expansion applies
	MaskActive byte = 1 // unquoted: a pattern character here is an operator
)

// Span is a range of bytes [Start, End) of a plan's Source.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}
