package shellplan

// Effect is a change to names that a segment may leave behind. Only changes
// that can re-point a later word count: making or rewriting a plain file or a
// directory does not.
type Effect struct {
	// Kind says what changed.
	Kind EffectKind
	// Candidate is the index, in the segment, of the word whose landing
	// changed; -1 for EffectAny.
	Candidate int
	// From are the indices of the words that were moved or copied there.
	From []int
	// Target is the text of the link that EffectLink makes, when it is
	// known; nil when it is not.
	Target []byte
	// VisibleFrom is the index of the first segment, in the same plan, that
	// may run after the change. It is at most the segment's own index inside
	// a loop, a pipeline or beside a background command.
	VisibleFrom int
}

// EffectKind says how names changed. The zero value is the widest.
type EffectKind uint8

const (
	// EffectAny may have changed any name: an opaque program ran.
	EffectAny EffectKind = iota
	// EffectLink made a symbolic link at the word.
	EffectLink
	// EffectMove renamed From to the word: what was there is gone, and a
	// link or a directory moved with it.
	EffectMove
	// EffectCopy copied From to the word keeping links (cp -P, -a, -r).
	EffectCopy
	// EffectRemove removed the entry (rm, rmdir); a word that was a link
	// lands elsewhere afterwards.
	EffectRemove
	// EffectReplace put a plain file in place of the entry (sed -i, cp
	// --remove-destination, install): a link is a link no more.
	EffectReplace
	// EffectTree wrote names below the word that the text does not give: an
	// extraction, a checkout.
	EffectTree
)
