package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/gitfile"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
)

// holdsRef reports whether a file in a directory of a repository is a reference:
// those below refs, and HEAD and its like at the top.
func holdsRef(dir, name string) bool {
	if strings.HasSuffix(dir, "/logs/refs") {
		return false
	}
	for _, below := range []string{"/refs", "/refs/heads", "/refs/tags", "/refs/remotes"} {
		if strings.HasSuffix(dir, below) {
			return true
		}
	}
	return strings.HasSuffix(name, "HEAD") && name == strings.ToUpper(name)
}

// ref looks whether a reference that may be written names another one: git then
// writes there, outside of the repository if the name leads out. Only HEAD and its
// like are expected to.
func (o *operand) ref(path string) error {
	if !o.c.Access.IsWrite() || o.files == nil {
		return nil
	}
	text, f, err := o.readLine(path)
	if err != nil {
		return err
	}
	symbolic := strings.HasPrefix(text, "ref:")
	if f == nil && symbolic && (!strings.HasSuffix(path, "HEAD") || gitfile.RefLeadsOut(text)) {
		f = &failure{NoAuthoritativeAnswer, path}
	}
	if f != nil {
		o.fail(f)
	}
	return nil
}

// currentBranch looks at the branch that HEAD names, however deep it lies.
func (o *operand) currentBranch(repo *repository) error {
	if !o.c.Access.IsWrite() || o.files == nil {
		return nil
	}
	text, f, err := o.readLine(resolve.Join(repo.gitDir, "HEAD"))
	if f != nil || err != nil {
		return err // a HEAD that is a link has been looked at
	}
	name, symbolic := strings.CutPrefix(text, "ref:")
	if !symbolic || gitfile.RefLeadsOut(text) {
		return nil
	}
	at := resolve.Dir{Base: repo.common, State: Canonical}
	p, err := o.resolve(&at, strings.TrimSpace(name), o.how(true))
	if err != nil || p.State != Canonical {
		return err
	}
	return o.ref(p.Path)
}
