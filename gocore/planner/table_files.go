package planner

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Commands that look at, make, change and remove files.
func init() {
	const backup = " backup?V b S,suffix=V "
	add(&row{
		opts: "a,archive attributes-only copy-contents d f,force i,interactive H l,link L,dereference n,no-clobber P,no-dereference p preserve?V no-preserve=V " +
			"parents R,r,recursive:r reflink?V remove-destination sparse=V strip-trailing-slashes s,symbolic-link t,target-directory=V T,no-target-directory " +
			"u,update?V v,verbose x,one-file-system Z context?V debug keep-directory-symlink" + backup + gnu,
		args: "R* I", adjust: adjustCopy, after: afterCopy,
	}, "cp")
	add(&row{
		opts: "f,force i,interactive n,no-clobber strip-trailing-slashes t,target-directory=V T,no-target-directory u,update?V v,verbose Z,context debug exchange no-copy" + backup + gnu,
		args: "E* I", adjust: adjustMove, after: afterCopy,
	}, "mv")
	add(&row{
		opts: "d,F,directory f,force i,interactive L,logical n,no-dereference P,physical r,relative s,symbolic t,target-directory=V T,no-target-directory v,verbose" + backup + gnu,
		args: "R* I", adjust: adjustLink, after: afterCopy,
	}, "ln")
	add(&row{
		opts: "c C,compare d,directory D g,group=V m,mode=V o,owner=V p,preserve-timestamps s,strip strip-program=P t,target-directory=V T,no-target-directory v,verbose " +
			"preserve-context Z context?V debug" + backup + gnu,
		args: "R* I", adjust: adjustInstall, after: afterCopy,
	}, "install")
	add(&row{
		opts: "f,force i I interactive?V one-file-system no-preserve-root preserve-root?V r,R,recursive d,dir v,verbose" + gnu,
		args: "E*", quiet: true,
		adjust: func(c *cmd, p *shellword.Parsed, r *reading) {
			if p.Has("r") {
				r.write.Traversal = &shellplan.Traversal{Links: shellplan.LinksSkip, Hidden: true}
			}
		},
		after: removes,
	}, "rm")
	add(&row{opts: "help! version!", args: "E", quiet: true, after: removes}, "unlink")
	add(&row{
		opts: "ignore-fail-on-non-empty p,parents v,verbose" + gnu, args: "E*", quiet: true,
		after: func(c *cmd, p *shellword.Parsed, r *reading) {
			if p.Has("p") {
				for _, o := range p.Operands {
					c.parents(o)
				}
			}
			removes(c, p, r)
		},
	}, "rmdir")
	add(&row{
		opts: "m,mode=V p,parents v,verbose Z context?V" + gnu, args: "E*", quiet: true,
		adjust: func(c *cmd, p *shellword.Parsed, r *reading) {
			if r.write.Parents = p.Has("p"); r.write.Parents {
				c.opensCwd()
			}
		},
	}, "mkdir")
	add(&row{opts: "m,mode=V Z context?V" + gnu, args: "E*", quiet: true}, "mkfifo")
	add(&row{
		opts: "a c,no-create d,date=V f h,no-dereference m r,reference=S t=V time=V" + gnu, args: "W*", quiet: true, dash: true,
		adjust: func(c *cmd, p *shellword.Parsed, r *reading) {
			if p.Has("h") {
				r.args = "E*"
			}
		},
	}, "touch")
	add(&row{
		opts: "c,changes f,silent,quiet v,verbose no-preserve-root preserve-root reference=S R,recursive " +
			"r?V:mode w?V:mode x?V:mode X?V:mode s?V:mode t?V:mode u?V:mode g?V:mode o?V:mode a?V:mode H L P h,no-dereference dereference" + gnu,
		args: "V W*", quiet: true,
		adjust: func(c *cmd, p *shellword.Parsed, r *reading) {
			if p.Has("reference") || p.Has("mode") {
				r.args = "W*"
			}
			if p.Has("R") {
				r.write.Traversal = &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
				if p.Has("L") {
					r.write.Traversal.Links = shellplan.LinksFollow
				}
			}
		},
	}, "chmod")
	add(&row{
		opts: "c,changes f,silent,quiet v,verbose dereference h,no-dereference from=V no-preserve-root preserve-root reference=S R,recursive H L P" + gnu,
		args: "V W*", quiet: true,
		adjust: func(c *cmd, p *shellword.Parsed, r *reading) {
			rest := "W*"
			if p.Has("h") {
				rest = "E*"
			}
			if r.args = "V " + rest; p.Has("reference") {
				r.args = rest
			}
			if p.Has("R") {
				walk := &shellplan.Traversal{FollowRoot: p.Has("H") || p.Has("L"), Links: shellplan.LinksSkip, Hidden: true}
				if p.Has("L") {
					walk.Links = shellplan.LinksFollow
				}
				r.write.Traversal = walk
			}
		},
	}, "chown", "chgrp")
	add(&row{opts: "c,no-create o,io-blocks r,reference=R s,size=V" + gnu, args: "W*", quiet: true}, "truncate")
	add(&row{run: runDd, stdin: true, note: "if= is read, of= is written."}, "dd")
	add(&row{
		opts: "a,suffix-length=V additional-suffix=V b,bytes=V C,line-bytes=V d numeric-suffixes?V x hex-suffixes?V e,elide-empty-files filter=P l,lines=V n,number=V " +
			"t,separator=V u,unbuffered verbose" + gnu,
		args: "R V", dash: true, style: shellword.Style{Count: true}, after: afterSplit, quiet: true,
	}, "split")
	add(&row{
		opts: "b,suffix-format=V f,prefix=V k,keep-files suppress-matched n,digits=V s,quiet,silent z,elide-empty-files" + gnu,
		args: "R V*", dash: true, after: afterSplit,
	}, "csplit")
	add(&row{
		opts: "d,directory u,dry-run q,quiet suffix=V p=V tmpdir?V:p t V,version! help! version!", args: "V", after: afterMktemp,
		note: "The name is made up: below TMPDIR or /tmp unless a template says otherwise.",
	}, "mktemp")
	add(&row{
		opts: "L,dereference f,file-system cached=V c,format=V printf=V t,terse" + gnu, args: "L*",
		adjust: func(c *cmd, p *shellword.Parsed, r *reading) {
			if p.Has("L") || p.Has("f") {
				r.args = "S*"
			}
		},
	}, "stat")
	add(&row{
		opts: "v,version! m,magic-file=R z,uncompress Z,uncompress-noreport b,brief c,checking-printout e,exclude=V exclude-quiet=V f,files-from=N F,separator=V i,mime apple " +
			"extension mime-type mime-encoding k,keep-going l,list L,dereference h,no-dereference n,no-buffer N,no-pad 0,print0 p,preserve-date P,parameter=V r,raw " +
			"s,special-files S,no-sandbox C=X compile=X d,debug help!",
		args: "R*", dash: true, env: "MAGIC",
		adjust: func(c *cmd, p *shellword.Parsed, r *reading) { r.read.NoFollow = !p.Has("L") },
		note:   "Reads the magic data of the system.",
	}, "file")
	add(&row{
		opts: "f,canonicalize e,canonicalize-existing m,canonicalize-missing n,no-newline q,quiet s,silent v,verbose z,zero" + gnu, args: "L*",
		adjust: func(c *cmd, p *shellword.Parsed, r *reading) {
			if p.Has("f") || p.Has("e") || p.Has("m") {
				r.args = "S*"
			}
		},
	}, "readlink")
	add(&row{
		opts: "e,canonicalize-existing m,canonicalize-missing L,logical P,physical q,quiet relative-to=S relative-base=S s,strip,no-symlinks z,zero" + gnu,
		args: "S*",
	}, "realpath")
}
