package shellplan

// The JSON form of the values. Every text that may hold bytes that are not
// UTF-8 is a pair: the text itself, escaped for reading when it is not UTF-8,
// and then a sibling ...Bytes in base64, which wins when it is present.

type planJSON struct {
	Source      string        `json:"source"`
	SourceBytes []byte        `json:"sourceBytes,omitempty"`
	Shell       shellJSON     `json:"shell"`
	Start       string        `json:"start,omitempty"`
	StartBytes  []byte        `json:"startBytes,omitempty"`
	Segments    []segmentJSON `json:"segments"`
	Nested      []nestedJSON  `json:"nested,omitempty"`
	Opaque      []opaqueJSON  `json:"opaque,omitempty"`
}

type nestedJSON struct {
	Segment int      `json:"segment"`
	How     string   `json:"how"`
	Plan    planJSON `json:"plan"`
}

type shellJSON struct {
	Dialect string   `json:"dialect"`
	Version int      `json:"version,omitempty"`
	Locale  string   `json:"locale,omitempty"`
	Glob    []string `json:"glob,omitempty"`
}

type segmentJSON struct {
	Command    string          `json:"command,omitempty"`
	Argv       []argumentJSON  `json:"argv,omitempty"`
	OwnEnv     bool            `json:"ownEnv,omitempty"`
	Moved      bool            `json:"moved,omitempty"`
	Span       Span            `json:"span"`
	Candidates []candidateJSON `json:"candidates,omitempty"`
	Cwds       []cwdJSON       `json:"cwds,omitempty"`
	CwdUnknown bool            `json:"cwdUnknown,omitempty"`
	Reach      string          `json:"reach,omitempty"`
	Effects    []effectJSON    `json:"effects,omitempty"`
	Checks     []checkJSON     `json:"checks,omitempty"`
	Opaque     []opaqueJSON    `json:"opaque,omitempty"`
}

// argumentJSON without a text is a word that is not known.
type argumentJSON struct {
	Text *string `json:"text,omitempty"`
}

type wordJSON struct {
	Raw      string `json:"raw"`
	RawBytes []byte `json:"rawBytes,omitempty"`
	// Mask has one letter per byte of the raw word: q quoted, a active.
	// Absent: every byte is quoted.
	Mask    string   `json:"mask,omitempty"`
	Pattern bool     `json:"pattern,omitempty"`
	Glob    []string `json:"glob,omitempty"`
}

type candidateJSON struct {
	wordJSON
	Kind       string         `json:"kind"`
	Access     string         `json:"access"`
	NoFollow   bool           `json:"noFollow,omitempty"`
	DirOnly    bool           `json:"dirOnly,omitempty"`
	Parents    bool           `json:"parents,omitempty"`
	Traversal  *traversalJSON `json:"traversal,omitempty"`
	Into       *intoJSON      `json:"into,omitempty"`
	Chdir      []cwdStepJSON  `json:"chdir,omitempty"`
	Redirect   *redirectJSON  `json:"redirect,omitempty"`
	OptionSafe bool           `json:"optionSafe,omitempty"`
	Resplit    bool           `json:"resplit,omitempty"`
	Script     string         `json:"script,omitempty"`
	Implicit   string         `json:"implicit,omitempty"`
	Names      []string       `json:"names,omitempty"`
	NamesBytes [][]byte       `json:"namesBytes,omitempty"`
	Text       string         `json:"text,omitempty"`
	TextBytes  []byte         `json:"textBytes,omitempty"`
	Span       Span           `json:"span"`
}

type traversalJSON struct {
	FollowRoot bool       `json:"followRoot,omitempty"`
	Links      string     `json:"links,omitempty"`
	MaxDepth   int        `json:"maxDepth,omitempty"`
	Hidden     bool       `json:"hidden,omitempty"`
	DirsOnly   bool       `json:"dirsOnly,omitempty"`
	Match      *wordJSON  `json:"match,omitempty"`
	Skips      []skipJSON `json:"skips,omitempty"`
}

type skipJSON struct {
	wordJSON
	What string `json:"what"`
}

type intoJSON struct {
	Always     bool     `json:"always,omitempty"`
	From       []int    `json:"from,omitempty"`
	Names      []string `json:"names,omitempty"`
	NamesBytes [][]byte `json:"namesBytes,omitempty"`
}

type redirectJSON struct {
	Op       string `json:"op"`
	Fd       int    `json:"fd"`
	OneMatch bool   `json:"oneMatch,omitempty"`
}

type cwdJSON struct {
	Steps  []cwdStepJSON   `json:"steps,omitempty"`
	Failed [][]cwdStepJSON `json:"failed,omitempty"`
}

type cwdStepJSON struct {
	wordJSON
	Mode        string   `json:"mode,omitempty"`
	CDPath      []string `json:"cdPath,omitempty"`
	CDPathBytes [][]byte `json:"cdPathBytes,omitempty"`
	Span        Span     `json:"span"`
}

type effectJSON struct {
	Kind        string  `json:"kind"`
	Candidate   int     `json:"candidate"`
	From        []int   `json:"from,omitempty"`
	Target      *string `json:"target,omitempty"`
	TargetBytes []byte  `json:"targetBytes,omitempty"`
	VisibleFrom int     `json:"visibleFrom"`
}

type checkJSON struct {
	Kind       string        `json:"kind"`
	Chdir      []cwdStepJSON `json:"chdir,omitempty"`
	Hooks      []string      `json:"hooks,omitempty"`
	Keys       []string      `json:"keys,omitempty"`
	Attributes bool          `json:"attributes,omitempty"`
	Files      []string      `json:"files,omitempty"`
	FilesBytes [][]byte      `json:"filesBytes,omitempty"`
	Span       Span          `json:"span"`
}

type opaqueJSON struct {
	Code      string `json:"code"`
	Word      string `json:"word,omitempty"`
	WordBytes []byte `json:"wordBytes,omitempty"`
	Detail    string `json:"detail,omitempty"`
	Needs     string `json:"needs,omitempty"`
	Span      Span   `json:"span"`
}
