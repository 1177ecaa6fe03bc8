package shellplan

// Bounds of a plan. Past one of them a text is opaque with OpaqueTooLarge, and
// a plan handed in is refused: time and memory stay bounded whatever the text.
const (
	// MaxSource is the longest text that is parsed, in bytes: ten times what
	// Linux takes as one argument, so every text that can run fits.
	MaxSource = 1 << 20
	// MaxNesting is how deep nested plans may lie, and how deep compound
	// commands may nest in the text: real commands stay below 10, and the
	// parser and every later stage recurse on it.
	MaxNesting = 64
	// MaxSegments and MaxCandidates bound one outermost plan with all that
	// is nested in it. A generated file list fits; a brace bomb does not.
	MaxSegments   = 20_000
	MaxCandidates = 131_072
	// MaxFields is how many words one word may become by brace expansion,
	// splitting and known variables.
	MaxFields = 4096
	// MaxExpansion is how many bytes all expansions of one text may produce.
	MaxExpansion = 8 << 20
	// MaxNames bounds the variables, functions and aliases that are followed:
	// the state is copied wherever the text branches.
	MaxNames = 1024
	// MaxCwdSteps bounds the changes of directory that lead to one segment,
	// each of which carries all of them.
	MaxCwdSteps = 64
	// MaxArgv is how many words of a command line a segment carries: rules about
	// commands look at the first few.
	MaxArgv = 64
	// MaxShown bounds the source text that a reason or a candidate repeats for
	// messages, and a word of a command line.
	MaxShown = 512
)
