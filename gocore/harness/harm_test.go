package harness

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/judge"
)

// Whoever may write everything may still not remove the home, however it is
// spelled; what lies in it is theirs.
func TestAHomeIsNeverRemoved(t *testing.T) {
	for command, want := range map[string]judge.Decision{
		"rm -rf ~": judge.Deny, `rm -fr -- "$HOME"/`: judge.Deny, "rm -r ../x/home/./": judge.Deny, "rm -rf ~/..": judge.Deny,
		"rm -rf /": judge.Deny, "rm -r --no-preserve-root /": judge.Deny, "rm -rf /*": judge.Deny, "cd / && rm -rf ./*": judge.Deny,
		"rm -rf ~/*": judge.Deny, "rm -rf ~/{.,}*": judge.Deny, "rm -rf ~/.[!.]*": judge.Deny, "rm -rf hom?": judge.Deny, "rm -rf link/": judge.Deny,
		"cd ~ && rm -rf .": judge.Deny, "cd ~; rm -rf *": judge.Deny, "H=~; rm -rf $H": judge.Deny, "eval rm -rf ~": judge.Deny,
		"bash -c 'rm -rf ~'": judge.Deny, "env -u X rm -rf ~": judge.Deny, `for f in ~/*; do rm -rf "$f"; done`: judge.Deny,
		"find ~ -delete": judge.Deny, "find ~ -type f -delete": judge.Deny, "find / -exec rm -rf {} +": judge.Deny, "find ~ | xargs rm -rf": judge.Deny,

		"rm -rf ~/d": judge.Allow, "rm -rf ~/d/*": judge.Allow, "rm -rf ~/*.o": judge.Allow, "rm -rf ~/a*": judge.Allow, "find ~/d -delete": judge.Allow,
		"rm -rf link": judge.Allow, "mkdir -p ~": judge.Allow, "rm -f ~/*.o": judge.Allow, "ls ~": judge.Allow, "rm -rf out": judge.Allow,
	} {
		t.Run(command, func(t *testing.T) {
			root := coretest.Tree(t, "x/home/d/f: f", "x/home/a.o: o", "x/home/.bashrc: b", "x/out/o: o", "x/link -> home")
			rt, req := gated(t, root+"/x", command)
			req.Boundary.ReadRoots, req.Boundary.WriteRoots, req.Boundary.DenyPaths = []string{"/"}, []string{"/"}, []string{}
			g, err := rt.Gate(context.Background(), req)
			require.NoError(t, err)
			assert.Equal(t, want, g.Decision, "%v", g.Reasons)
			if want == judge.Deny {
				assert.Equal(t, judge.Harm, g.Reasons[len(g.Reasons)-1].Code, "%v", g.Reasons)
			}
		})
	}
}
