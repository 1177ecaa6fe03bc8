package shellplan

// Candidate is one word that a segment may touch, with one access.
type Candidate struct {
	Word
	// Kind says how the word becomes paths.
	Kind Kind
	// Access says what happens to the path.
	Access Access
	// NoFollow says that the last component is not followed when it is a
	// symbolic link (lstat, readlink, `ls -l LINK`, `cp -P`). A trailing
	// slash follows all the same. AccessEntry implies it.
	NoFollow bool
	// DirOnly says that the target is opened only when it is a directory and
	// merely looked at otherwise: `ls FILE` opens nothing.
	DirOnly bool
	// Parents says that missing directories on the way are created too
	// (mkdir -p): each of them is a path of the candidate, and with a `..`
	// behind a missing component the ones that `..` leads out of as well.
	Parents bool
	// Traversal makes every path of the word the root of a walk; nil for
	// none.
	Traversal *Traversal
	// Into makes the word the destination of cp, mv, ln or install; nil for
	// a plain word.
	Into *Into
	// Chdir are directory changes that apply to this word alone, in order,
	// on top of the segment's directory: `tar -C d`, `git -C d`.
	Chdir []CwdStep
	// Redirect is set for the target of a redirection.
	Redirect *Redirect
	// OptionSafe says that a name starting with `-` that a pattern matches
	// cannot become an option: the word stands after `--`, is the value of
	// an option or a redirection, or its command parses no options.
	OptionSafe bool
	// Resplit says that each name found (a match, a member) is read again as
	// words, by the shell for an unquoted expansion or by xargs: a name that
	// holds white space, a quote, a backslash or a pattern character then
	// has no answer.
	Resplit bool
	// Script names the language ("sed", "jq") of a file that is a program for
	// the command; the establishment reads it and asks ReadsOnly, since a
	// program that writes, runs or opens more than its words say takes the
	// command out of the plan. Empty for every other word.
	Script string
	// Implicit says that no word of the text names this path: the program
	// opens it by itself.
	Implicit Implicit
	// Names are the file names of KindUpward and KindBeside; on a KindWord they are the
	// suffixes that each path found gets (`"$f.bak"`, `{}.bak`): the
	// candidate is then those names and not the paths found.
	Names [][]byte
	// Text is the word as it stands in the source, for messages; it is never
	// parsed again. Empty for implicit reads.
	Text []byte
	// Span is where the word stands in the plan's Source.
	Span Span
}

// Languages of Candidate.Script.
const (
	ScriptSed = "sed"
	ScriptJq  = "jq"
	ScriptAwk = "awk"
)

// Kind says how a candidate's word becomes paths. The zero value is invalid.
type Kind uint8

const (
	_ Kind = iota
	// KindWord is the path the Word spells: a literal, or a pattern when
	// Word.Pattern is set; with Traversal the root of a walk.
	KindWord
	// KindUpward is every existing path Names[i] in the directory the Word
	// spells and in each of its ancestors up to `/` (ignore files).
	KindUpward
	// KindGitDir is the git directory of the repository found from the
	// directory the Word spells, upwards, the way git looks for it (a `.git`
	// directory, a `.git` file that names one, a bare repository), and all
	// below it.
	KindGitDir
	// KindWorkTree is the top directory of that repository's working tree,
	// and all below it as Traversal says. No repository: no path.
	KindWorkTree
	// KindBeside is every name Names[i] in the directory of the path that the
	// Word spells (its last component dropped, not followed), `*` standing
	// for what the program makes up: the temporary file of sed -i, the parts
	// of split. At AccessWrite an existing link of such a name is written
	// through; at AccessEntry the names are new.
	KindBeside
)

// Access says what a program does with a path. The zero value is invalid.
type Access uint8

const (
	_ Access = iota
	// AccessRead opens the path for reading or lists it; links are followed.
	AccessRead
	// AccessWrite opens, creates or changes what the path leads to: the last
	// component is followed and a dangling link creates its target.
	AccessWrite
	// AccessEntry changes the directory entry itself: unlink, rename, mkdir,
	// symlink. The last component is not followed, except through a trailing
	// slash.
	AccessEntry
	// AccessStat looks at metadata only.
	AccessStat
	// AccessTree may create, replace or remove anything at or below the path
	// (an extraction, a recursive copy); links that already lie there may be
	// written through.
	AccessTree
	// AccessExec runs the file.
	AccessExec
)

// IsWrite reports whether the access changes something.
func (s Access) IsWrite() bool { return s == AccessWrite || s == AccessEntry || s == AccessTree }

// Traversal is a recursive walk below each path of a word.
type Traversal struct {
	// FollowRoot says that a root which is a symbolic link is followed; if
	// not, such a root is one entry without members (a trailing slash
	// follows all the same).
	FollowRoot bool
	// Links says what happens at symbolic links met in the walk.
	Links Links
	// MaxDepth is how many levels below the root are visited; 0 is no bound.
	MaxDepth int
	// Hidden says that entries whose name starts with a dot are visited too.
	Hidden bool
	// Match restricts the members that the access applies to, and not the walk:
	// only those whose last component matches the pattern, a leading dot
	// being an ordinary character (find -name, grep --include). Nil for all.
	Match *Word
	// DirsOnly says that only directories are opened (find, du, ls -R); the
	// other members are merely looked at.
	DirsOnly bool
	// Skips are members that the walk is sure to leave out, whatever else it
	// does. A member is only left out when its name is sure to match.
	Skips []Skip
}

// Skip names members that a walk leaves out.
type Skip struct {
	// Word is matched against the last component of the member or, when it
	// holds a slash, against the member's path as the walk spells it.
	Word
	// What says which members, and how far.
	What SkipWhat
}

// SkipWhat says what a Skip leaves out. The zero value is invalid.
type SkipWhat uint8

const (
	_ SkipWhat = iota
	// SkipFile leaves members that are no directories alone
	// (grep --exclude).
	SkipFile
	// SkipDir leaves directories alone, and all below them
	// (grep --exclude-dir).
	SkipDir
	// SkipBelow does not go into directories, which are members all the same
	// (find -prune).
	SkipBelow
)

// Links says what a walk does with a symbolic link it meets.
type Links uint8

const (
	// LinksFollow opens the link's target and walks on into it when it is a
	// directory. The zero value: the widest reading.
	LinksFollow Links = iota
	// LinksOpen opens the link's target but does not walk into it: the
	// operand of `find -exec cat {}`, the old files below a copy.
	LinksOpen
	// LinksSkip leaves links alone.
	LinksSkip
)

// Into is the destination rule of cp, mv, ln and install: when the word leads
// to a directory (after following links), the path is that directory joined
// with the last component of each source.
//
// With Candidate.NoFollow a word that is a link counts as no directory
// (ln -n).
type Into struct {
	// Always says that the word must be a directory (`-t DIR`, more than one
	// source); otherwise a word that is none is the destination itself.
	Always bool
	// From are the indices, in the segment, of the candidates whose last
	// path component names the result; a pattern gives one per match.
	From []int
	// Names are further last components, for sources that are no candidates
	// (the text of `ln -s TEXT dir`).
	Names [][]byte
}

// Redirect describes a redirection.
type Redirect struct {
	// Op is the operator as written: "<", ">", ">>", "<>", ">|", "&>".
	Op string
	// Fd is the descriptor that is opened; -1 when `&>` opens two or the
	// shell chooses one ({name}>).
	Fd int
	// OneMatch says that a pattern opens its match only when it is the only
	// one: with two or more the shell reports an ambiguous redirect, opens
	// nothing and does not run the command. Without it the first is opened.
	OneMatch bool
}

// Implicit says whether the text names the path and, if not, what it is.
type Implicit uint8

const (
	// Explicit: a word of the text names it.
	Explicit Implicit = iota
	// ImplicitJudged is opened by the program on its own and judged like a
	// word: a git index that is rewritten, ignore files above the root.
	ImplicitJudged
	// ImplicitDisclosed is a settings file of the program itself, which is
	// disclosed and is no reason to ask (`~/.gitconfig` for git).
	ImplicitDisclosed
)
