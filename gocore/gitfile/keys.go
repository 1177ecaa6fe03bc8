package gitfile

import "strings"

// A setting is harmless when git's documentation of it (git-config(1), and
// git's source where the page is silent) names no file, no program and no other
// repository that a modelled subcommand would open or run for it. A key that
// stands in no group is one that may: new keys of git, and misspelt ones, fail
// closed.

// harmlessKeys are the groups, `*` for one or more parts.
var harmlessKeys = []struct{ why, keys string }{
	{"what is printed, and in which order", `advice.* color.* column.* branch.sort tag.sort versionsort.* status.* i18n.* stash.* showbranch.*
		core.quotepath core.abbrev core.commentchar core.commentstring core.whitespace core.warnambiguousrefs help.autocorrect
		log.date log.decorate log.abbrevcommit log.follow log.graphcolors log.showroot log.mailmap log.excludedecoration log.initialdecorationset
		blame.blankboundary blame.coloring blame.date blame.markignoredlines blame.markunblamablelines blame.showemail blame.showroot grep.*
		format.attach format.subjectprefix format.notes format.signoff format.numbered format.thread format.from format.suffix
		diff.algorithm diff.autorefreshindex diff.colormoved diff.colormovedws diff.context diff.dirstat diff.indentheuristic diff.interhunkcontext
		diff.mnemonicprefix diff.noprefix diff.srcprefix diff.dstprefix diff.relative diff.renamelimit diff.renames diff.statgraphwidth diff.statnamewidth
		diff.suppressblankempty diff.wordregex diff.wserrorhighlight diff.ignoresubmodules diff.*.binary diff.*.xfuncname diff.*.wordregex`},
	{"who writes", "user.* author.* committer.*"},
	{"how files and objects are kept inside the repository and the working tree", `core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase
		core.symlinks core.precomposeunicode core.autocrlf core.eol core.safecrlf core.checkstat core.trustctime core.ignorestat core.bigfilethreshold
		core.checkroundtripencoding core.compression core.loosecompression core.commitgraph core.multipackindex core.deltabasecachelimit
		core.packedgitlimit core.packedgitwindowsize core.packedrefstimeout core.filesreflocktimeout core.preloadindex core.untrackedcache core.sharedrepository
		core.sparsecheckout core.sparsecheckoutcone core.fsync core.fsyncmethod core.fsyncobjectfiles core.protecthfs core.protectntfs core.hidedotfiles
		core.longpaths core.fscache core.usereplacerefs core.notesref core.createobject extensions.objectformat extensions.refstorage extensions.worktreeconfig
		index.* pack.* repack.* commitgraph.* sparse.* splitindex.* feature.* gc.auto gc.autodetach maintenance.auto maintenance.strategy`},
	{"names of branches and references", "branch.* init.defaultbranch checkout.* clean.requireforce worktree.guessremote notes.displayref notes.mergestrategy notes.rewriteref notes.rewritemode revert.reference mailmap.blob"},
	{"how texts and patches are taken", "add.ignoreerrors apply.* commit.cleanup commit.status commit.verbose interactive.singlekey rerere.*"},
	{"only subcommands that talk to another repository read them, and these are opaque", `remote.*.url remote.*.pushurl remote.*.fetch remote.*.push remote.*.tagopt remote.*.prune
		remote.*.prunetags remote.*.mirror remote.*.skipdefaultupdate remote.*.skipfetchall remote.*.uploadpack remote.*.receivepack remote.*.proxy
		remote.*.proxyauthmethod remote.*.gh-resolved remote.pushdefault remotes.* push.* pull.* fetch.* clone.* transfer.* receive.* uploadpack.*
		uploadarchive.* protocol.* http.* url.*.insteadof url.*.pushinsteadof credential.* credentialcache.* credentialstore.* ssh.variant core.sshcommand core.gitproxy core.askpass
		safe.directory sendemail.* imap.* bundle.* lsrefs.* lfs.* lfs.repositoryformatversion`},
	{"only subcommands that merge, replay or show things in other programs read them, and these are opaque", `am.* rebase.* merge.tool merge.guitool merge.ff merge.log merge.stat
		merge.conflictstyle merge.renames merge.renamelimit merge.directoryrenames merge.renormalize merge.verbosity merge.branchdesc merge.autostash merge.defaulttoupstream merge.suppressdest
		merge.*.name merge.*.recursive mergetool.* difftool.* diff.tool diff.guitool guitool.* gui.* gitweb.* instaweb.* gitcvs.* browser.* web.* man.* help.format help.browser completion.*`},
	{"an alias is another subcommand, and that is opaque", "alias.*"},
}

// usedKeys name programs and files, by what makes git use them. A subcommand of
// which it is declared that it never does, does not mind the group.
var usedKeys = map[string]string{
	// The content of a file of the working tree is compared or written.
	"filters": "filter.*",
	// A patch is shown.
	"diffs": "diff.external diff.*.command diff.*.textconv diff.*.cachetextconv diff.*.trustexitcode diff.trustexitcode diff.orderfile diff.submodule mailmap.file log.diffmerges",
	// Two versions of a file become one.
	"merges": "merge.*.driver",
	// A signature is made or verified.
	"signatures": "gpg.* log.showsignature merge.verifysignatures",
	// A message is written, or somebody is asked.
	"messages": "core.editor sequence.editor trailer.* interactive.difffilter",
	// One subcommand only.
	"commit":  "commit.gpgsign commit.template gc.*",
	"tag":     "tag.gpgsign tag.forcesignannotated",
	"gc":      "gc.* maintenance.*",
	"init":    "init.templatedir",
	"archive": "tar.*",
	"blame":   "blame.ignorerevsfile",
	"fsck":    "fsck.*",
}

// UsedKeys are the patterns of a group of settings that name programs or files;
// empty for a group that is not there.
func UsedKeys(group string) []string { return strings.Fields(usedKeys[group]) }

// UsedGroups are the names of the groups.
func UsedGroups() (out []string) {
	for name := range usedKeys {
		out = append(out, name)
	}
	return out
}

// Harmless reports whether a setting names no file and no program, whatever the
// subcommand.
func Harmless(s Setting) bool {
	off := s.Value == "" || strings.EqualFold(s.Value, "false")
	switch s.Key {
	case "core.fsmonitor", "commit.gpgsign", "tag.gpgsign", "log.showsignature", "submodule.recurse", "tag.forcesignannotated":
		return off
	case "core.pager":
		return s.Value == "" || s.Value == "cat"
	case "format.pretty":
		return !VerifiesSignatures(s.Value)
	}
	if strings.HasPrefix(s.Key, "pretty.") {
		return !VerifiesSignatures(s.Value)
	}
	for _, group := range harmlessKeys {
		for k := range strings.FieldsSeq(group.keys) {
			if KeyMatches(k, s.Key) {
				return true
			}
		}
	}
	return false
}

// VerifiesSignatures reports whether a format for commits makes git run gpg
// (`%G?` and its kin, `%(signature)`).
func VerifiesSignatures(format string) bool {
	for i := 0; i+1 < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		rest := strings.TrimLeft(format[i+1:], "+- ")
		if strings.HasPrefix(rest, "G") || strings.HasPrefix(rest, "(signature") || strings.HasPrefix(rest, "(*signature") {
			return true
		}
	}
	return false
}

// hooksElsewhere are the hooks that only one subcommand runs; of commit they are
// declared, the others are opaque. Every other name may run with anything that
// writes: post-index-change with a mere refresh of the index.
var hooksElsewhere = map[string]bool{
	"applypatch-msg": true, "pre-applypatch": true, "post-applypatch": true, // am
	"pre-commit": true, "prepare-commit-msg": true, "commit-msg": true, "post-commit": true, "pre-merge-commit": true, // commit, merge
	"pre-rebase": true, "post-merge": true, "pre-push": true, "sendemail-validate": true, // rebase, merge, push, send-email
	"pre-receive": true, "update": true, "proc-receive": true, "post-receive": true, "post-update": true, "push-to-checkout": true, // receive-pack
	"fsmonitor-watchman": true,                                                                                   // named by core.fsmonitor alone
	"p4-changelist":      true, "p4-prepare-changelist": true, "p4-post-changelist": true, "p4-pre-submit": true, // p4
}

// HookRunsElsewhere reports whether a file in the directory of hooks is run by
// no subcommand but those that name it.
func HookRunsElsewhere(name string) bool {
	return strings.HasSuffix(name, ".sample") || hooksElsewhere[name]
}
