//go:build linux

package family

import (
	"regexp"

	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

// proof are lines that leave their bounds, one for each way to. Run without
// asking the gate, each has to be seen: an oracle that sees nothing says the same
// as one that has nothing to see.
type proof struct{}

// Beyond are the lines of the family proof.
var Beyond = []string{
	"cat ../out/secret.txt", "cat link-out", "ls ../out/d", "ls dlink-out/", "echo x > ../out/new", "echo x >> link-out", "mkdir ../out/q", "rm ../out/secret.txt",
	"mv a.txt ../out/", "mv ../out/j.json .", "ln -s x ../out/l", "ln ../out/j.json hard", "chmod 600 ../out/j.json", "touch -d now ../out/j.json", "cd ../out && cat secret.txt",
	"cd ../out/d; cat ../secret.txt", "(cat link-out) & wait", "kill -9 -1; cat link-out", "{ sleep 0.2; cat link-out; } & disown; exit", "setsid cat link-out", "../out/pay", "./pay",
	"cat /etc/fstab", "echo x > /tmp/new", "ls ../..", "find ../.. -maxdepth 1", "cat $(printf '../out/sec%set.txt' r)", "bash -c 'cat ../out/secret.txt'", "env -C ../out cat secret.txt", "truncate -s 0 ../out/j.json",
}

func newProof(Options, *regexp.Regexp) Family { return proof{} }

func (proof) Blocks() int { return len(settings) + 1 }

func (proof) Block(i int) Block {
	b := Block{World: &world.Spec{Tree: plain}, Setting: common, Together: 1}
	if i > 0 {
		b.Setting = settings[i-1]
	}
	if b.Setting.Name == "outer root" { // half of the lines stay inside
		return b
	}
	for _, text := range Beyond {
		b.Cases = append(b.Cases, Case{Kind: "proof: " + text, By: "proof", Command: text})
	}
	return b
}
