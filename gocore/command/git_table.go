package command

import (
	"maps"
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

const gitDiffOptions = "p,u,patch s,no-patch U,unified?V W,function-context raw patch-with-raw patch-with-stat numstat shortstat X?V dirstat?V cumulative dirstat-by-file?V " +
	"check summary name-only name-status stat?V stat-width=V stat-name-width=V stat-graph-width=V stat-count=V compact-summary binary full-index color?V " +
	"ws-error-highlight=V z abbrev?V src-prefix=V dst-prefix=V line-prefix=V no-prefix default-prefix inter-hunk-context=V output-indicator-new=V output-indicator-old=V " +
	"output-indicator-context=V B,break-rewrites?V M,find-renames?V D,irreversible-delete C,find-copies?V find-copies-harder no-renames l=V rename-empty follow minimal " +
	"w,ignore-all-space b,ignore-space-change ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines I,ignore-matching-lines=V indent-heuristic patience histogram " +
	"diff-algorithm=V anchored=V word-diff?V word-diff-regex=V color-words?V color-moved?V color-moved-ws=V relative?V a,text R exit-code quiet ext-diff?P textconv " +
	"ignore-submodules?V submodule?V ita-invisible-in-index ita-visible-in-index S=V G=V pickaxe-all pickaxe-regex O=R rotate-to=V skip-to=V find-object=V diff-filter=V " +
	"output=W m c cc combined-all-paths t h,help! diff-merges=X no-diff-merges dd"

const gitLogOptions = " n=V max-count=V skip=V since=V since-as-filter=V after=V until=V before=V max-age=V min-age=V author=V committer=V grep=V grep-reflog=V all-match " +
	"invert-grep i,regexp-ignore-case basic-regexp E,extended-regexp F,fixed-strings P,perl-regexp remove-empty merges no-merges min-parents=V max-parents=V no-min-parents " +
	"no-max-parents first-parent exclude-first-parent-only not all branches?V tags?V remotes?V glob=V exclude=V exclude-hidden=V reflog alternate-refs single-worktree " +
	"ignore-missing stdin cherry-mark cherry-pick left-only right-only cherry walk-reflogs g merge boundary simplify-by-decoration show-pulls full-history dense sparse " +
	"simplify-merges ancestry-path?V bisect bisect-vars bisect-all date-order author-date-order topo-order reverse no-walk?V do-walk pretty?V format=V abbrev-commit no-abbrev-commit " +
	"oneline encoding=V expand-tabs?V notes?V no-notes show-notes?V standard-notes no-standard-notes show-signature?P relative-date date=V parents children left-right graph " +
	"show-linear-break?V count quiet source use-mailmap mailmap clear-decorations decorate-refs=V decorate-refs-exclude=V decorate?V no-decorate log-size L=V disk-usage?V " +
	"objects objects-edge unpacked filter=V header timestamp no-commit-header commit-header full-diff root no-expand-tabs no-color no-ext-diff no-textconv no-relative " +
	"use-bitmap-index progress=V"

// gitSubs is the table of subcommands, most frequent first.
var gitSubs = map[string]*gitSub{
	"diff": {
		unused: unusedShown,
		opts:   gitDiffOptions + " cached staged merge-base base 1 2 3 ours theirs 0 no-index N", args: "R*", repo: 'w', work: 'r', adjust: gitDiff,
		note: "It refreshes the index. Two paths outside the repository are compared as files.",
	},
	"add": {
		unused: unusedWrites,
		opts: "n,dry-run v,verbose i,interactive?X p,patch?X e,edit?P f,force u,update renormalize N,intent-to-add A,all ignore-removal refresh ignore-errors ignore-missing sparse " +
			"chmod=V warn-embedded-repo pathspec-from-file=N pathspec-file-nul h!",
		args: "V*", repo: 'w', work: 'r',
	},
	"checkout": {
		unused: unusedWrites,
		opts: "b=V:create B=V:create l guess overlay q,quiet recurse-submodules?X progress m,merge conflict=V d,detach t,track?V f,force orphan=V overwrite-ignore ignore-other-worktrees " +
			"2,ours 3,theirs p,patch?X ignore-skip-worktree-bits pathspec-from-file=N pathspec-file-nul",
		args: "V*", repo: 'w', work: 'w',
	},
	"switch": {
		unused: unusedWrites,
		opts:   "c,create=V C,force-create=V guess discard-changes q,quiet recurse-submodules?X progress m,merge conflict=V d,detach t,track?V f,force orphan=V overwrite-ignore ignore-other-worktrees",
		args:   "V*", repo: 'w', work: 'w',
	},
	"restore": {
		unused: unusedWrites,
		opts: "s,source=V S,staged W,worktree ignore-unmerged overlay q,quiet recurse-submodules?X progress m,merge conflict=V 2,ours 3,theirs p,patch?X ignore-skip-worktree-bits " +
			"pathspec-from-file=N pathspec-file-nul",
		args: "V*", repo: 'w', work: 'w',
	},
	"stash": {unused: "messages", adjust: gitStash, args: "V*", repo: 'w', work: 'w',
		opts: "k,keep-index S,staged p,patch?X q,quiet u,include-untracked only-untracked a,all m,message=V pathspec-from-file=N pathspec-file-nul index " + gitDiffOnly + gitLogOptions},
	"clean": {
		unused: unusedIndex,
		opts:   "q,quiet n,dry-run f,force i,interactive?X d x X e,exclude=V", args: "V*", repo: 'r', work: 'w',
		adjust: func(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
			if p.Has("n") {
				g.work = 'r'
			}
		},
	},
	"commit": {
		unused: "merges",
		opts: "q,quiet v,verbose F,file=R author=V date=V m,message=V c,reedit-message=V C,reuse-message=V fixup=V squash=V reset-author trailer=V s,signoff t,template=R e,edit cleanup=V " +
			"status S,gpg-sign?P a,all i,include interactive?X p,patch?X o,only n,verify dry-run short branch ahead-behind porcelain long z,null amend post-rewrite " +
			"u,untracked-files?V pathspec-from-file=N pathspec-file-nul allow-empty allow-empty-message",
		args: "V*", repo: 'w', work: 'r', adjust: gitCommit,
		hooks: "pre-commit prepare-commit-msg commit-msg post-commit pre-merge-commit",
	},
	"log":         {unused: unusedHistory, mails: true, opts: gitDiffOptions + gitLogOptions, args: "V*", repo: 'r', adjust: gitLog},
	"show":        {unused: unusedHistory, opts: gitDiffOptions + gitLogOptions, args: "V*", repo: 'r', work: 'r', adjust: gitFormat},
	"whatchanged": {unused: unusedHistory, opts: gitDiffOptions + gitLogOptions, args: "V*", repo: 'r', work: 'r', adjust: gitFormat},
	"rev-list":    {unused: unusedHistory, mails: true, opts: gitDiffOptions + gitLogOptions, args: "V*", repo: 'r', adjust: gitFormat},
	"status": {
		unused: unusedShown,
		opts:   "v,verbose s,short b,branch show-stash ahead-behind porcelain?V long z,null u,untracked-files?V ignored?V ignore-submodules?V column?V renames M,find-renames?V",
		args:   "V*", repo: 'w', work: 'r', note: "It refreshes the index.",
	},
	"rev-parse": {
		unused: unusedAll, args: "V*", repo: 'r',
		opts: "q,quiet verify short?V abbrev-ref?V symbolic symbolic-full-name all branches?V tags?V remotes?V glob=V exclude=V exclude-hidden=V disambiguate=V not revs-only no-revs flags " +
			"no-flags default=V prefix=V sq since=V after=V until=V before=V absolute-git-dir git-dir git-common-dir path-format=V git-path=V is-inside-git-dir is-inside-work-tree " +
			"is-bare-repository is-shallow-repository show-cdup show-prefix show-toplevel show-object-format?V show-ref-format shared-index-path local-env-vars resolve-git-dir=X " +
			"show-superproject-working-tree?X parseopt?X sq-quote?X h!",
	},
	"reset": {
		unused: unusedWrites,
		opts:   "q,quiet refresh mixed soft hard merge keep recurse-submodules?X p,patch?X N,intent-to-add pathspec-from-file=N pathspec-file-nul", args: "V*",
		repo: 'w', work: 'r',
		adjust: func(c *Call, p *shellword.Parsed, g *gitSub, r *reading) {
			if p.Has("hard") || p.Has("merge") || p.Has("keep") {
				g.work = 'w'
			}
		},
	},
	"blame": {
		unused: unusedShown,
		opts: "incremental root show-stats progress score-debug f,show-name n,show-number p,porcelain line-porcelain c t l s e,show-email w ignore-rev=V ignore-revs-file=R color-lines color-by-age " +
			"minimal S=R contents=R C?V M?V L=V abbrev?V b date=V encoding=V reverse first-parent since=V h",
		args: "R*", repo: 'r', work: 'r',
	},
	"grep": {
		unused: unusedShown,
		opts: "cached no-index untracked exclude-standard recurse-submodules?X v,invert-match i,ignore-case w,word-regexp a,text I textconv r,recursive max-depth=V E,extended-regexp " +
			"G,basic-regexp F,fixed-strings P,perl-regexp n,line-number column h H full-name l,files-with-matches,name-only L,files-without-match z,null o,only-matching c,count color?V " +
			"break heading C,context=V B,before-context=V A,after-context=V threads=V p,show-function W,function-context f=R e=V and or not q,quiet all-match O,open-files-in-pager?P ext-grep " +
			"m,max-count=V index",
		args: "V*", repo: 'r', work: 'r', adjust: gitGrep,
	},
	"ls-files": {
		unused: unusedIndex,
		opts: "z t v f c,cached d,deleted m,modified o,others i,ignored s,stage k,killed directory eol empty-directory u,unmerged resolve-undo x,exclude=V X,exclude-from=R " +
			"exclude-per-directory=V exclude-standard full-name recurse-submodules error-unmatch with-tree=V abbrev?V debug deduplicate sparse format=V",
		args: "V*", repo: 'r', work: 'r', adjust: gitListFiles,
	},
	"ls-tree": {unused: unusedAll, opts: "d r t z l,long name-only name-status object-only full-name full-tree format=V abbrev?V", args: "V*", repo: 'r'},
	"branch": {
		unused: "filters diffs merges messages",
		opts: "v,verbose q,quiet t,track?V set-upstream u,set-upstream-to=V unset-upstream color?V r,remotes contains?V no-contains?V with=V without=V abbrev?V a,all d,delete D m,move M c,copy C " +
			"l,list show-current create-reflog edit-description?P f,force merged?V no-merged?V column?V sort=V points-at=V i,ignore-case recurse-submodules format=V",
		args: "V*", repo: 'w', adjust: gitBranch,
	},
	"tag": {
		unused: "filters diffs merges",
		opts: "n?V l,list d,delete v,verify?P a,annotate m,message=V F,file=R e,edit?P s,sign?P cleanup=V u,local-user=P f,force create-reflog column?V contains?V no-contains?V with=V without=V " +
			"merged?V no-merged?V sort=V points-at=V format=V color?V i,ignore-case trailer=V",
		args: "V*", repo: 'w', adjust: gitBranch,
	},
	"remote": {unused: unusedAll, opts: "v,verbose f=X t=V m=V mirror?V tags no-tags push all d,delete a,auto add", args: "V*", repo: 'w', adjust: gitRemote},
	"cat-file": {
		unused: unusedShown,
		opts:   "p e t s z Z allow-unknown-type use-mailmap mailmap batch?V batch-check?V batch-command?V batch-all-objects buffer follow-symlinks unordered textconv filters path=V",
		args:   "V*", repo: 'r', work: 'r',
	},
	"shortlog":      {unused: unusedHistory, mails: true, opts: gitLogOptions + " s,summary n,numbered e,email w?V group=V c,committer", args: "V*", repo: 'r', adjust: gitFormat},
	"describe":      {unused: unusedIndex, opts: "contains debug all tags long first-parent abbrev?V exact-match candidates=V match=V exclude=V always dirty?V broken?V", args: "V*", repo: 'w', work: 'r'},
	"reflog":        {unused: unusedHistory, mails: true, opts: gitDiffOnly + gitLogOptions, args: "V*", repo: 'r', adjust: gitReflog},
	"for-each-ref":  {unused: "filters diffs merges messages", opts: "s,shell p,perl python tcl count=V format=V color?V sort=V points-at=V merged?V no-merged?V contains?V no-contains?V i,ignore-case exclude=V omit-empty", args: "V*", repo: 'r'},
	"merge-base":    {unused: unusedAll, opts: "a,all octopus independent is-ancestor fork-point", args: "V*", repo: 'r'},
	"show-ref":      {unused: unusedAll, opts: "tags heads branches verify exists head d,dereference s,hash?V abbrev?V q,quiet exclude-existing?V", args: "V*", repo: 'r'},
	"name-rev":      {unused: unusedAll, opts: "name-only tags refs=V exclude=V all stdin annotate-stdin undefined always peel-tag", args: "V*", repo: 'r'},
	"symbolic-ref":  {unused: unusedAll, opts: "q,quiet d,delete short recurse m=V", args: "V*", repo: 'w'},
	"count-objects": {unused: unusedAll, opts: "v,verbose H,human-readable", args: "V*", repo: 'r'},
	"check-ignore":  {unused: unusedIndex, opts: "q,quiet v,verbose stdin z n,non-matching no-index index", args: "V*", repo: 'r', work: 'r'},
	"check-attr":    {unused: unusedIndex, opts: "a,all cached stdin z source=V", args: "V*", repo: 'r', work: 'r'},
	"diff-tree":     {unused: unusedHistory, opts: gitDiffOptions + gitLogOptions + " r no-commit-id", args: "V*", repo: 'r', adjust: gitFormat},
	"diff-index":    {unused: unusedShown, opts: gitDiffOptions + " cached merge-base", args: "V*", repo: 'r', work: 'r'},
	"diff-files":    {unused: unusedShown, opts: gitDiffOptions + " base ours theirs 0 1 2 3 q", args: "V*", repo: 'r', work: 'r'},
	"show-branch":   {unused: "filters merges messages", opts: "a,all r,remotes color?V more?V list no-name current sha1-name merge-base independent topo-order topics sparse date-order g,reflog?V", args: "V*", repo: 'r'},
	"cherry":        {unused: "filters merges messages", opts: "abbrev?V v,verbose", args: "V*", repo: 'r'},
	"var":           {unused: unusedAll, opts: "l", args: "V*", repo: 'r'},
	"fsck":          {unused: unusedAll, opts: "v,verbose unreachable dangling tags root cache reflogs full connectivity-only strict lost-found progress name-objects", args: "V*", repo: 'w'},
	"gc":            {unused: unusedAll, opts: "q,quiet prune?V cruft aggressive auto force keep-largest-pack detach max-cruft-size=V", args: "V*", repo: 'w'},
	"pack-refs":     {unused: unusedAll, opts: "all prune include=V exclude=V auto", args: "V*", repo: 'w'},
	"archive": {
		unused: unusedIndex,
		opts:   "format=V prefix=V o,output=W add-file=R add-virtual-file=V worktree-attributes v,verbose 0 1 2 3 4 5 6 7 8 9 l,list remote=P exec=P mtime=V",
		args:   "V*", repo: 'r', work: 'r',
	},
	"hash-object": {unused: unusedIndex, opts: "t=V w stdin stdin-paths?X filters?X no-filters literally path=V", args: "R*", repo: 'w'},
	"mv":          {unused: unusedWrites, opts: "v,verbose n,dry-run f,force k sparse", args: "E*", adjust: gitMove, repo: 'w', work: 'w'},
	"rm": {
		unused: unusedWrites,
		opts:   "n,dry-run q,quiet cached f,force r ignore-unmatch sparse pathspec-from-file=N pathspec-file-nul", args: "V*",
		repo: 'w', work: 'w',
	},
	"apply": {
		unused: unusedWrites,
		opts: "exclude=V include=V p=V no-add stat binary allow-binary-replacement numstat summary check index N,intent-to-add cached unsafe-paths?X apply 3,3way ours theirs union " +
			"build-fake-ancestor=W z C=V whitespace=V ignore-space-change ignore-whitespace R,reverse unidiff-zero reject allow-overlap v,verbose q,quiet inaccurate-eof recount directory=V allow-empty",
		args: "R*", repo: 'w', work: 'w', adjust: gitApply,
		note: "The names to change come from the patch; git keeps them inside the working tree, or below the working directory outside a repository.",
	},
	"init": {
		unused: unusedAll,
		opts:   "template=X bare shared?V q,quiet separate-git-dir=T b,initial-branch=V object-format=V ref-format=V", args: "V", repo: 'n', adjust: gitInit,
	},
	"config":   {unused: unusedAll + " index", adjust: gitConfig, args: "V*", opts: gitConfigOptions},
	"worktree": {unused: unusedWrites, opts: "f,force d,detach b=V B=V checkout lock reason=V q,quiet track?V guess-remote porcelain z v,verbose expire=V n,dry-run orphan", args: "V*", repo: 'w', adjust: gitWorktree},
}

// gitDiffOnly is what stash show and reflog share with diff, without the
// letters that they use themselves.
const gitDiffOnly = "patch stat?V numstat shortstat name-only name-status summary raw unified=V U=V color?V word-diff?V output=W ext-diff?P textconv "

// gitTable is gitSubs with the second names and what is never modelled.
var gitTable = sync.OnceValue(func() map[string]*gitSub {
	out := maps.Clone(gitSubs)
	for kind, names := range map[string]string{
		"network": "fetch pull push clone ls-remote submodule remote-https request-pull send-email svn p4 daemon upload-pack receive-pack bundle fetch-pack send-pack",
		"editor":  "merge rebase cherry-pick revert am notes bisect replace",
		"program": "difftool mergetool filter-branch gui gitk instaweb credential hook for-each-repo maintenance help citool web--browse",
	} {
		for name := range strings.FieldsSeq(names) {
			out[name] = &gitSub{why: gitOpaque[kind]}
		}
	}
	out["annotate"], out["stage"] = out["blame"], out["add"]
	return out
})
