package establish

// Bounds of one operand: a word that is a pattern, or one root of a walk. Each
// alternative of a brace expansion is an operand of its own, and so is a word
// of a nested plan. Past a bound the operand is Unestablishable and what was
// found so far is dropped.
const (
	// MaxGlobDirs is how many directories may be listed. It takes a pattern
	// of two levels over the top of a source tree.
	MaxGlobDirs = 256
	// MaxGlobMatches is how many names may match at one level of a pattern,
	// and how many members a walk may have: ten times a large dependency
	// directory.
	MaxGlobMatches = 8192
	// MaxScan is how many names may be read, matching or not, so that a
	// directory of a million other names ends too. Eight times the matches.
	MaxScan = 65_536
)

// maxConfig is the longest settings file that a check reads, in bytes: git's
// own are a few hundred.
const maxConfig = 1 << 20

// maxScript is the longest sed or jq program that is read, in bytes; longer
// ones are not everyday files and not worth the reading.
const maxScript = 256 << 10

// maxIncludes is how many files one git configuration may include before the
// check gives up; git stops at ten levels.
const maxIncludes = 32

// maxEarlier is how many effects, and how many new names that patterns could meet,
// one text may have before every later word counts as re-pointed: each is held
// against each, and a text with a thousand links is not one to vouch for.
const maxEarlier = 1024

// maxResolutions bounds the values of one establishment: candidates times
// directories. Every real command stays thousandfold below.
const maxResolutions = 1 << 18

// maxLandings bounds what all operands of one establishment report together,
// so that a plan of many wide patterns ends before memory does: 64 operands at
// their own bound.
const maxLandings = 64 * MaxGlobMatches
