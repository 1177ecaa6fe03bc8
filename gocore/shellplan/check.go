package shellplan

// Check is a look at the content of files that decides whether a segment is
// what it seems. The planner reads no files: it names the look, and the
// establishment makes it when its environment can read files, and answers that
// it could not look when it cannot.
type Check struct {
	// Kind says what to look at.
	Kind CheckKind
	// Chdir leads, from the segment's directory, to where the program looks
	// for its repository.
	Chdir []CwdStep
	// Hooks are the names of the git hooks that the subcommand would run.
	// AnyHook stands for every one that is not known to belong to another
	// subcommand alone.
	Hooks []string
	// Keys are configuration keys, lower case, `*` for one or more parts
	// (`filter.*.clean`), whose presence makes git run a program or leave
	// the repository, besides all that are not known to be harmless. With
	// UnusedKey before it a pattern takes what it names out: the subcommand
	// does not use it.
	Keys []string
	// Attributes says that the keys of filters, textconv and diff drivers
	// count only when an attributes file can name them; the establishment
	// may ignore it and treat any such key as used.
	Attributes bool
	// Files are the absolute paths of CheckAbsent, and for CheckGit the user's
	// configuration files by the environment of the command.
	Files [][]byte
	// Span is the word that caused the check.
	Span Span
}

const (
	// AnyHook among the hooks of a Check is every hook that may run.
	AnyHook = "*"
	// UnusedKey before a pattern of Keys turns it around.
	UnusedKey = "!"
)

// CheckKind is a closed set. The zero value is invalid.
type CheckKind uint8

const (
	_ CheckKind = iota
	// CheckGit looks at a repository's hooks and at the configuration files
	// that git reads: the repository's and the user's.
	CheckGit
	// CheckAbsent holds when none of the files in Files exists: start-up
	// files that a shell or a program would run.
	CheckAbsent
)
