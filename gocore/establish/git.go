package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
)

// repository is what git finds from a directory.
type repository struct {
	gitDir string // canonical
	common string // where objects, configuration and hooks are; often gitDir
	top    string // the working tree; empty for a bare repository
}

// discover looks for a repository the way git does: in the directory and then
// in each ancestor a `.git` directory, a `.git` file that names one, or a
// repository without a working tree. nil without a failure: there is none.
func (r *run) discover(dir string) (*repository, *failure, error) {
	for ; ; dir = resolve.Parent(dir) {
		at := resolve.Dir{Base: dir, State: Canonical}
		dot, err := r.resolve(&at, ".git", resolve.Options{Follow: true, Reads: true})
		if err != nil {
			return nil, nil, err
		}
		gitDir := ""
		switch {
		case dot.State == Unestablishable:
			return nil, &failure{dot.Reason, dot.Detail}, nil
		case dot.State == Lexical:
			return nil, &failure{NoAuthoritativeAnswer, dot.Path}, nil
		case dot.State == Canonical:
			isDir, err := r.isDir(&dot)
			if err != nil {
				return nil, nil, err
			}
			if gitDir = dot.Path; !isDir {
				named, f, err := r.gitFile(dot.Path, dir)
				if f != nil || err != nil {
					return nil, f, err
				}
				gitDir = named
			}
		}
		// A `.git` that is no repository leaves the directory itself, and then
		// the one above.
		for _, repo := range []*repository{{gitDir: gitDir, top: dir}, {gitDir: dir}} {
			if repo.gitDir == "" {
				continue
			}
			ok, f, err := r.isGitDir(repo.gitDir, repo.top != "" && gitDir != resolve.Join(dir, ".git"))
			if f != nil || err != nil {
				return nil, f, err
			}
			if ok {
				return r.commonOf(repo)
			}
		}
		if dir == "/" {
			return nil, nil, nil
		}
	}
}

// gitFile reads `gitdir: PATH`.
func (r *run) gitFile(path, dir string) (string, *failure, error) {
	text, f, err := r.readLine(path)
	if f != nil || err != nil {
		return "", f, err
	}
	target, ok := strings.CutPrefix(text, "gitdir: ")
	if !ok || target == "" {
		return "", nil, nil
	}
	return r.resolveDir(dir, target)
}

func (r *run) commonOf(repo *repository) (*repository, *failure, error) {
	repo.common = repo.gitDir
	at := resolve.Dir{Base: repo.gitDir, State: Canonical}
	p, err := r.resolve(&at, "commondir", resolve.Options{Follow: true, Reads: true})
	if err != nil || p.State == AbsentTail {
		return repo, nil, err
	}
	text, f, err := r.readLine(p.Path)
	if f != nil || err != nil {
		return nil, f, err
	}
	common, f, err := r.resolveDir(repo.gitDir, text)
	if f != nil || err != nil {
		return nil, f, err
	}
	repo.common = common
	return repo, nil, nil
}

func (r *run) resolveDir(from, word string) (string, *failure, error) {
	at := resolve.Dir{Base: from, State: Canonical}
	p, err := r.resolve(&at, word, resolve.Options{Follow: true, Reads: true})
	if err != nil {
		return "", nil, err
	}
	if p.State == Unestablishable || p.State == Lexical || p.Path == "" {
		return "", &failure{NoAuthoritativeAnswer, word}, nil
	}
	return p.Path, nil, nil
}

// readLine is the content of a small file, white space at its end removed.
func (r *run) readLine(path string) (string, *failure, error) {
	files, ok := r.files, r.files != nil
	if !ok {
		return "", &failure{NoAuthoritativeAnswer, path}, nil
	}
	data, err := files.ReadFile(r.ctx, path, maxConfig)
	if err != nil {
		if err := r.gone(err); err != nil {
			return "", nil, err
		}
		return "", &failure{NoAuthoritativeAnswer, path}, nil
	}
	return strings.TrimRight(string(data), "\r\n"), nil, nil
}

// repositories finds the repository of each path of the word. The last result
// is false when the operand has failed or there is none.
func (o *operand) repositories() ([]*repository, error) {
	dirs, err := o.paths(&o.c.Word, true)
	if err != nil || o.failed() {
		return nil, err
	}
	var out []*repository
	for i := range dirs {
		d := dirs[i].place
		if d.State == Unestablishable || d.State == Lexical {
			o.fail(&failure{NoAuthoritativeAnswer, d.Detail})
			return nil, nil
		}
		if d.Path == "" {
			continue
		}
		from := d.Dir("")
		for dir := from.Base; ; dir = resolve.Parent(dir) {
			if o.seg.earlier.replaces(resolve.Join(dir, ".git")) {
				o.fail(&failure{MutatedEarlier, resolve.Join(dir, ".git")})
				return nil, nil
			}
			if dir == "/" {
				break
			}
		}
		repo, f, err := o.discover(from.Base)
		if err != nil {
			return nil, err
		}
		if f != nil {
			o.fail(f)
			return nil, nil
		}
		if repo != nil {
			out = append(out, repo)
		}
	}
	if len(out) == 0 {
		o.out.Reason = NoRepository
	}
	return out, nil
}

// workTree handles KindWorkTree.
func (o *operand) workTree() error {
	repos, err := o.repositories()
	if err != nil || o.failed() {
		return err
	}
	for _, repo := range repos {
		if repo.top == "" {
			continue
		}
		top := found{place: resolve.Place{State: Canonical, Path: repo.top, Kind: execenv.Dir}, spelled: repo.top}
		if err := o.land(&top); err != nil || o.failed() {
			return err
		}
		if err := o.nested(repo); err != nil || o.failed() {
			return err
		}
	}
	return nil
}

// gitDir handles KindGitDir. The inside of a repository is not enumerated: git
// follows few links in it, which are looked at, and reads the object stores it
// borrows from.
func (o *operand) gitDir() error {
	repos, err := o.repositories()
	if err != nil || o.failed() {
		return err
	}
	for _, repo := range repos {
		if err := o.stores(repo); err != nil || o.failed() {
			return err
		}
		if err := o.linkedTrees(repo); err != nil || o.failed() {
			return err
		}
		if err := o.topFiles(repo); err != nil || o.failed() {
			return err
		}
	}
	return nil
}

// gitLinkDirs are the directories of a repository in which links are looked at:
// its top and those whose files git reads by name. Links deeper down, among the
// single objects and branches of branches, are not.
var gitLinkDirs = []string{"", "/info", "/refs", "/refs/heads", "/refs/tags", "/refs/remotes", "/logs", "/logs/refs", "/objects", "/objects/info", "/objects/pack"}

// gitLinks reports where the links in one directory of a repository lead.
func (o *operand) gitLinks(dir string) error {
	at, entries, err := o.lookThrough(dir)
	if err != nil || o.failed() {
		return err
	}
	for _, e := range entries {
		if e.Kind == execenv.File && holdsRef(dir, e.Name) {
			if err := o.ref(resolve.Join(at.Base, e.Name)); err != nil || o.failed() {
				return err
			}
		}
		if e.Kind != execenv.Link && e.Kind != execenv.Unknown {
			continue
		}
		p, err := o.resolve(&at, e.Name, o.how(true))
		if err != nil {
			return err
		}
		if o.gitTree(p); o.failed() {
			return nil
		}
	}
	return nil
}

// gitTree reports a path that git owns with all below it.
func (o *operand) gitTree(p resolve.Place) {
	if o.add(p, Landing{Access: o.c.Access}); o.failed() || p.Path == "" {
		return
	}
	o.out.Subtrees = append(o.out.Subtrees, Subtree{Root: p.Path, Access: o.c.Access})
}

// alternates are the object stores that a repository borrows from; git reads
// them whatever the command.
func (o *operand) alternates(repo *repository) error {
	at := resolve.Dir{Base: repo.common, State: Canonical}
	p, err := o.resolve(&at, "objects/info/alternates", o.how(true))
	if err != nil || p.State == AbsentTail {
		return err
	}
	text, f, err := o.readLine(p.Path)
	if err != nil {
		return err
	}
	if f != nil || p.State == Unestablishable {
		o.fail(&failure{NoAuthoritativeAnswer, p.Path})
		return nil
	}
	objects, err := o.resolve(&at, "objects", o.how(true))
	if err != nil {
		return err
	}
	from := objects.Dir("")
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		q, err := o.resolve(&from, line, o.how(true))
		if err != nil {
			return err
		}
		if o.gitTree(q); o.failed() {
			return nil
		}
	}
	return nil
}
