package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/gitfile"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
)

// isGitDir tells a repository from another directory as git does (setup.c,
// is_git_directory): a valid HEAD, and objects and refs here or in the common
// directory. Without one git goes on upwards. Where git may see it another way
// than is seen here, or has read a file elsewhere to find out (aside), there is
// a failure and no answer.
func (r *run) isGitDir(dir string, aside bool) (bool, *failure, error) {
	at := resolve.Dir{Base: dir, State: Canonical}
	head, err := r.resolve(&at, "HEAD", resolve.Options{Reads: true})
	if err != nil || head.State == AbsentTail {
		return false, nil, err
	}
	valid, f, err := r.validHead(&at, &head)
	if f != nil || err != nil {
		return false, f, err
	}
	doubt := &failure{NoAuthoritativeAnswer, resolve.Join(dir, "HEAD")}
	if !valid {
		if aside {
			return false, doubt, nil
		}
		return false, nil, nil
	}
	common, f, err := r.commonOf(&repository{gitDir: dir})
	if f != nil || err != nil {
		return false, f, err
	}
	from := resolve.Dir{Base: common.common, State: Canonical}
	for _, name := range []string{"objects", "refs"} {
		p, err := r.resolve(&from, name, resolve.Options{Follow: true, Reads: true})
		if err != nil {
			return false, nil, err
		}
		isDir, err := r.isDir(&p)
		switch {
		case err != nil:
			return false, nil, err
		case p.State == AbsentTail && common.common == dir && !aside:
			return false, nil, nil
		case p.State != Canonical || !isDir:
			return false, doubt, nil
		}
	}
	return true, nil, nil
}

// validHead reports whether HEAD is a link to or names a reference, or is the
// name of an object.
func (r *run) validHead(at *resolve.Dir, head *resolve.Place) (bool, *failure, error) {
	if head.Kind == execenv.Link {
		p, err := r.resolve(at, "HEAD", resolve.Options{Follow: true, Reads: true})
		if err != nil {
			return false, nil, err
		}
		if p.Path == "" || !resolve.Under(p.Path, resolve.Join(at.Base, "refs")) {
			return false, &failure{NoAuthoritativeAnswer, resolve.Join(at.Base, "HEAD")}, nil
		}
		return true, nil, nil
	}
	if r.files == nil {
		return true, nil, nil // the look at the settings says that nobody can read
	}
	text, f, err := r.readLine(head.Path)
	if f != nil || err != nil {
		return false, f, err
	}
	return gitfile.ValidHead(text), nil, nil
}

// stores reports what git opens of a repository: its own directory, the common
// one, the links in them that lead elsewhere, and what it borrows from.
func (o *operand) stores(repo *repository) error {
	for i, dir := range []string{repo.gitDir, repo.common} {
		if i == 1 && dir == repo.gitDir {
			continue
		}
		o.gitTree(resolve.Place{State: Canonical, Path: dir, Kind: execenv.Dir})
		for _, below := range gitLinkDirs {
			if err := o.gitLinks(dir + below); err != nil || o.failed() {
				return err
			}
		}
	}
	if err := o.currentBranch(repo); err != nil || o.failed() {
		return err
	}
	return o.alternates(repo)
}

// linkedTrees reports the directories that a repository keeps for its other
// working trees: status, fsck, branch and what prunes read them, and follow
// the common directory that each names.
func (o *operand) linkedTrees(repo *repository) error {
	dir := repo.common + "/worktrees"
	at, entries, err := o.lookThrough(dir)
	if err != nil || o.failed() {
		return err
	}
	for _, e := range entries {
		p, err := o.resolve(&at, e.Name, o.how(true))
		if err != nil {
			return err
		}
		if !resolve.Under(p.Path, repo.common) {
			o.gitTree(p)
		}
		if o.failed() {
			return nil
		}
		isDir, err := o.isDir(&p)
		if err != nil {
			return err
		}
		if p.State != Canonical || !isDir {
			continue
		}
		if err := o.linked(repo, p.Path); err != nil || o.failed() {
			return err
		}
	}
	return nil
}

// linked reports what one such directory leads to.
func (o *operand) linked(repo *repository, dir string) error {
	tree, f, err := o.commonOf(&repository{gitDir: dir})
	if err != nil {
		return err
	}
	if f != nil {
		o.fail(f)
		return nil
	}
	if !resolve.Under(tree.common, repo.common) {
		o.gitTree(resolve.Place{State: Canonical, Path: tree.common, Kind: execenv.Dir})
	}
	if o.failed() {
		return nil
	}
	for _, below := range gitLinkDirs {
		if err := o.gitLinks(dir + below); err != nil || o.failed() {
			return err
		}
	}
	return nil
}

// topFiles reports the files of git at the top of a working tree that are links:
// newer versions of git do not open some of them, older ones do.
func (o *operand) topFiles(repo *repository) error {
	if repo.top == "" {
		return nil
	}
	at := resolve.Dir{Base: repo.top, State: Canonical}
	for _, name := range []string{".gitmodules", ".gitattributes", ".gitignore", ".mailmap"} {
		p, err := o.resolve(&at, name, o.how(false))
		if err != nil {
			return err
		}
		if p.Kind != execenv.Link {
			continue
		}
		if p, err = o.resolve(&at, name, o.how(true)); err != nil {
			return err
		}
		if o.add(p, Landing{Access: o.c.Access, Name: name}); o.failed() {
			return nil
		}
	}
	return nil
}

// nested reports the repositories that a walk of a working tree met: git looks
// into each to see whether it is one, and into a submodule for what changed.
// Past the bounds of the walk those that the index names are known to the look at
// the settings, and others are not looked for.
func (o *operand) nested(repo *repository) error {
	met := []string{}
	for i := range o.out.Landings {
		if l := &o.out.Landings[i]; l.Path != resolve.Join(repo.top, ".git") && resolve.Under(l.Path, repo.top) && strings.HasSuffix(l.Path, "/.git") {
			met = append(met, l.Path)
		}
	}
	for _, path := range met {
		dir := resolve.Parent(path)
		sub, f, err := o.discover(dir)
		if err != nil {
			return err
		}
		if f != nil {
			o.fail(f)
			return nil
		}
		if sub == nil || sub.top != dir || sub.common == repo.common {
			continue
		}
		if err := o.stores(sub); err != nil || o.failed() {
			return err
		}
	}
	return nil
}
