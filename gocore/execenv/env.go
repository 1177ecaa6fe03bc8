package execenv

import "context"

// Env answers questions about a file system. Paths are bytes in a string, never
// normalised; every path handed in is absolute. Implementations are safe for
// concurrent use and keep no memory of earlier answers.
type Env interface {
	// Capabilities says what the answers are worth. It makes no call to the
	// file system and does not change over the life of the value.
	Capabilities() Capabilities

	// CanonicalPath is the path without links, `.` and `..` that the kernel
	// reaches when it opens path, every link followed and `..` taken as the
	// parent of the directory reached. The path is resolved as it is
	// spelled: cleaning it first names another file. A trailing slash
	// demands a directory.
	CanonicalPath(ctx context.Context, path string) (string, error)

	// Lstat says what kind of entry path is, its last component not
	// followed. The directory part is canonical.
	Lstat(ctx context.Context, path string) (Kind, error)

	// ListDir reads at most max+1 names of the directory at the canonical
	// path dir, in any order, without `.` and `..`. More than max names back
	// means that there are more than max. A directory that has become a link
	// is not followed.
	ListDir(ctx context.Context, dir string, max int) ([]DirEntry, error)
}

// LinkReader is an Env that can also read links. Without it a link whose
// target does not exist has no landing.
type LinkReader interface {
	// ReadLink is the text of the link at path, whose directory part is
	// canonical.
	ReadLink(ctx context.Context, path string) (string, error)
}

// FileReader is an Env that can also read files. Without it a check of file
// contents answers that it could not look.
type FileReader interface {
	// ReadFile is the content of the file at path, links followed; over max
	// bytes is the problem TooLong.
	ReadFile(ctx context.Context, path string, max int) ([]byte, error)
}

// Executability is an Env that can tell whether a file has an execute bit.
type Executability interface {
	// Executable reports whether the file at path, links followed, is a
	// regular file with an execute bit set.
	Executable(ctx context.Context, path string) (bool, error)
}

// DirEntry is one name of a directory. Kind is Unknown where the file system
// does not say; the caller asks Lstat then.
type DirEntry struct {
	Name string
	Kind Kind
}

// Kind is the kind of a directory entry.
type Kind uint8

const (
	// Unknown: the directory did not say.
	Unknown Kind = iota
	// File is a regular file.
	File
	// Dir is a directory.
	Dir
	// Link is a symbolic link.
	Link
	// Other is a device, a socket or a pipe.
	Other
)

// Capabilities are what an environment declares about itself. The zero value
// claims nothing.
type Capabilities struct {
	// Isolated says that the command runs in a sandbox that is the boundary
	// itself: paths are judged by their spelling and no call is made.
	Isolated bool `json:"isolated,omitempty"`
	// Authoritative says that where no answer comes, none may be assumed.
	// Without it a path that nobody could answer for keeps its spelling.
	Authoritative bool `json:"authoritative,omitempty"`
	// CaseInsensitive says that names differing in case are one name.
	CaseInsensitive bool `json:"caseInsensitive,omitempty"`
	// CanonicalStopsAtMagic says that CanonicalPath never passes a link
	// whose target depends on the process that asks (/proc/self/cwd,
	// /dev/fd/3): it answers Loop there. Without it such paths are walked
	// one component at a time, so that the links are seen.
	CanonicalStopsAtMagic bool `json:"canonicalStopsAtMagic,omitempty"`
	// MaxLinks is how many links one path may pass; 0 means LinuxMaxLinks.
	MaxLinks int `json:"maxLinks,omitempty"`
	// MaxPath is the longest path in bytes, the closing NUL included; 0
	// means LinuxMaxPath.
	MaxPath int `json:"maxPath,omitempty"`
}

// Bounds that kernels set on one path.
const (
	LinuxMaxLinks  = 40   // MAXSYMLINKS
	LinuxMaxPath   = 4096 // PATH_MAX
	DarwinMaxLinks = 32   // MAXSYMLINKS
	DarwinMaxPath  = 1024 // PATH_MAX
)

// Links is the number of links one path may pass.
func (c Capabilities) Links() int {
	if c.MaxLinks <= 0 {
		return LinuxMaxLinks
	}
	return c.MaxLinks
}

// PathBytes is the length of the longest path that can be opened, the NUL not
// counted.
func (c Capabilities) PathBytes() int {
	if c.MaxPath <= 0 {
		return LinuxMaxPath - 1
	}
	return c.MaxPath - 1
}
