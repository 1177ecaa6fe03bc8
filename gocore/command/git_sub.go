package command

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// gitSub is one subcommand of git.
type gitSub struct {
	name string // as the command line gives it
	opts string
	args string // roles of the operands, as in row
	// repo is what it does to the git directory: 'r' reads, 'w' rewrites
	// (the index, objects, refs), 'n' reads its settings alone. 0 is not
	// declared, and opaque.
	repo byte
	// work is what it does to the working tree: 'r' reads it, 'w' writes it.
	work  byte
	mails bool   // it reads .mailmap at the top of the tree
	hooks string // hooks it runs that are usually another subcommand's
	// unused are the groups of settings that name programs or files and that it
	// surely does not use (gitfile.UsedKeys). What is not named counts.
	unused string
	// adjust changes a copy of the entry by the options given.
	adjust func(c *Call, p *shellword.Parsed, g *gitSub, r *reading)
	why    string // not modelled at all: why
	note   string
}

// Groups of settings that subcommands do not use: git-config(1) says of each setting
// who obeys it.
const (
	unusedAll     = "filters " + unusedIndex // only references, names and objects
	unusedIndex   = "diffs " + unusedShown   // the index and the working tree, and shows no patch
	unusedShown   = "merges signatures messages"
	unusedHistory = "filters merges messages" // what was committed
	unusedWrites  = "diffs signatures messages"
)

// gitOnly are the groups that one subcommand alone uses.
var gitOnly = map[string]string{
	"commit": "commit", "tag": "tag", "gc": "gc", "init": "init", "archive": "archive", "blame": "blame", "annotate": "blame", "fsck": "fsck",
}

// gitNeeds says what a sub-command of that kind would miss in a sandbox.
var gitNeeds = map[string]shellplan.Need{
	gitOpaque["network"]: shellplan.NeedNetwork, gitOpaque["editor"]: shellplan.NeedTerminal,
}

// gitOpaque are subcommands that run programs or talk to other machines.
var gitOpaque = map[string]string{
	"network": "it talks to another repository, and runs what its transport needs",
	"editor":  "it may open an editor, and runs the hooks and drivers that the repository names",
	"program": "it runs programs that its words or the settings name",
}
