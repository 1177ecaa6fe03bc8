package command

import "github.com/hydraharness/harness-runtime/gocore/shellword"

// gitSub is one subcommand of git.
type gitSub struct {
	name string // as the command line gives it
	opts string
	args string // roles of the operands, as in row
	// repo is what it does to the git directory: 'r' reads, 'w' rewrites
	// (the index, objects, refs). 0 is nothing.
	repo byte
	// work is what it does to the working tree: 'r' reads it, 'w' writes it.
	work  byte
	mails bool   // it reads .mailmap at the top of the tree
	hooks string // hooks it can run
	keys  string // configuration keys that make it run or read more
	free  bool   // no option of it opens anything, whatever it is
	// adjust changes a copy of the entry by the options given.
	adjust func(c *Call, p *shellword.Parsed, g *gitSub, r *reading)
	why    string // not modelled at all: why
	note   string
}

// Configuration keys of the repository itself that make git run a program or
// look outside. The user's own settings are the user's own.
const (
	gitKeysAll   = "core.worktree include.path includeif.*.path extensions.partialclone extensions.worktreeconfig remote.*.promisor remote.*.partialclonefilter core.pager pager.* core.attributesfile core.excludesfile submodule.* trace2.*"
	gitKeysIndex = " core.fsmonitor core.fsmonitorhookversion filter.*.clean filter.*.smudge filter.*.process"
	gitKeysDiff  = " diff.external diff.*.command diff.*.textconv diff.orderfile mailmap.file log.showsignature log.diffmerges gpg.program gpg.*.program interactive.difffilter"
	gitKeysWrite = gitKeysIndex + " core.hookspath core.editor sequence.editor commit.gpgsign tag.gpgsign gpg.program gpg.*.program commit.template trailer.*.command trailer.*.cmd merge.*.driver gc.*"

	hooksIndex = "post-index-change"
	hooksRefs  = hooksIndex + " reference-transaction"
)

// gitOpaque are subcommands that run programs or talk to other machines.
var gitOpaque = map[string]string{
	"network": "it talks to another repository, and runs what its transport needs",
	"editor":  "it may open an editor, and runs the hooks and drivers that the repository names",
	"program": "it runs programs that its words or the settings name",
}
