package harness

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/judge"
)

// An earlier command of the text makes a name lead out of the root; where it
// leads now, is no file at all, or is a file, tells nothing about that.
func TestGateSeesThatANameLeadsElsewhereByThen(t *testing.T) {
	for want, commands := range map[judge.Decision][]string{
		judge.Ask: {
			`(ln -sfn ../out a.txt; mv l l/sub); cat n`,
			`ln -sfn ../out a.txt; mv n l/sub`,
			`ln -sfn ../out a.txt; mv n a.txt/sub`,
			`rm a.txt; ln -s ../out a.txt; mv l l/sub`,
			`ln -s ../out new; mv n new/sub`,
			`ln -s ../out new; mkdir new/sub`,
			`ln -s ../out new; ln -s x new/sub`,
			`ln -sfn ../out a.txt; mkdir a.txt/sub`,
			`ln -sfn ../out a.txt; rm a.txt/sub`,
			`ln -sfn ../out a.txt; mkdir -p a.txt/sub/x`,
			`ln -sfn ../out a.txt; ln n a.txt/sub`,
			`ln -sfn ../out a.txt; install n a.txt/sub`,
			`ln -sfn ../out a.txt; rmdir l/sub`,
			`ln -sfn ../out a.txt; tar xf x.tar -C l`,
			`ln -sfn ../out a.txt; split n a.txt/p`,
			`ln -sfn ../out a.txt; mktemp -p a.txt`,
			`ln -sfn ../out a.txt; sed -i s/a/b/ a.txt/n`,
			`ln -sfn ../out a.txt; truncate -s 0 a.txt/n`,
			`ln -sfn ../out a.txt; cd a.txt && touch x`,
			`ln -sfn ../out a.txt; (cd l; mv ../root/n x)`,
			`ln -sfn ../out a.txt; pushd l; touch x`,
			`ln -sfn ../out a.txt; find l/ -delete`,
			`ln -sfn ../out a.txt; cp -t a.txt n`,
			`ln -sfn ../out a.txt; mv -t l n`,
			`ln -sfn ../out a.txt; ls l/*`,
			`ln -sfn ../out a.txt; echo x > l/y`,
			`ln -sfn ../out a.txt; unzip -d l x.zip`,
			`ln -sfn ../out a.txt; git -C l status`,
			`ln -sfn ../out a.txt; patch -d l -i p`,
			`ln -sfn ../out a.txt; gzip l/x`,
			`mv a.txt b; ln -s ../out a.txt; mkdir a.txt/d`,
			`ln -sfn ../out a.txt; mv -t a.txt n`,
			`ln -sfn ../out a.txt; ln -t l n`,
			`ln -sfn ../out a.txt; mv n l`,
			`ln -sfn ../out a.txt; mv n a.txt`,
			`ln -sfn ../out a.txt; ln n a.txt`,
			`ln -sfn ../out a.txt; ln -s n l`,
			`ln -s ../out new; mv n new`,
			`ln -s ../out new; ln n new`,
			`ln -s ../out new; cp n new`,
			`rm a.txt; ln -s ../out a.txt; mv n a.txt`,
			`mv l m; ln -s ../out l; mv n l`,
		},
		judge.Allow: {
			`rm -f a.txt; mv n a.txt`,
			`rm -f a.txt && cp n a.txt`,
			`cp a.txt b && mv b c`,
			`mkdir -p d && mv n d/`,
			`mkdir d && mv n d`,
			`mv a.txt b; mv n a.txt`,
			`touch q; mv q r; mv r s`,
		},
	} {
		for _, command := range commands {
			base := coretest.Tree(t, "out/n: secret", "root/a.txt: x", "root/l -> a.txt", "root/n: n")
			rt, req := gated(t, base+"/root", command)
			req.Boundary.WriteRoots = req.Boundary.ReadRoots
			g, err := rt.Gate(context.Background(), req)
			require.NoError(t, err)
			assert.Equal(t, want, g.Decision, "%s: %v", command, g.Reasons)
		}
	}
}
