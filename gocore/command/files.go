package command

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

var rmRow = &row{
	names: "rm",
	opts:  "f,force i I interactive?V one-file-system no-preserve-root preserve-root?V r,R,recursive d,dir v,verbose" + gnu,
	args:  "E*", quiet: true,
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		if p.Has("r") {
			r.write.Traversal = &shellplan.Traversal{Links: shellplan.LinksSkip, Hidden: true}
		}
	},
	after: removes,
}

var unlinkRow = &row{
	names: "unlink",
	opts:  "help! version!", args: "E", quiet: true, after: removes,
}

var rmdirRow = &row{
	names: "rmdir",
	opts:  "ignore-fail-on-non-empty p,parents v,verbose" + gnu, args: "E*", quiet: true,
	after: func(c *Call, p *shellword.Parsed, r *reading) {
		if p.Has("p") {
			for _, o := range p.Operands {
				c.parents(o)
			}
		}
		removes(c, p, r)
	},
}

var mkdirRow = &row{
	names: "mkdir",
	opts:  "m,mode=V p,parents v,verbose Z context?V" + gnu, args: "E*", quiet: true,
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		if r.write.Parents = p.Has("p"); r.write.Parents {
			c.opensCwd()
		}
	},
}

var mkfifoRow = &row{
	names: "mkfifo",
	opts:  "m,mode=V Z context?V" + gnu, args: "E*", quiet: true,
}

var touchRow = &row{
	names: "touch",
	opts:  "a c,no-create d,date=V f h,no-dereference m r,reference=S t=V time=V" + gnu, args: "W*", quiet: true, dash: true,
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		if p.Has("h") {
			r.args = "E*"
		}
		c.dated(p, "d")
	},
}

var chmodRow = &row{
	names: "chmod",
	opts: "c,changes f,silent,quiet v,verbose no-preserve-root preserve-root reference=S R,recursive " +
		"r?V:mode w?V:mode x?V:mode X?V:mode s?V:mode t?V:mode u?V:mode g?V:mode o?V:mode a?V:mode H L P h,no-dereference dereference" + gnu,
	args: "V W*", quiet: true,
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		if p.Has("reference") || p.Has("mode") {
			r.args = "W*"
		}
		if p.Has("R") {
			r.write.Traversal = changeWalk(p)
			r.write.Traversal.FollowRoot = true
		}
	},
}

var chownRow = &row{
	names: "chown chgrp",
	opts:  "c,changes f,silent,quiet v,verbose dereference h,no-dereference from=V no-preserve-root preserve-root reference=S R,recursive H L P" + gnu,
	args:  "V W*", quiet: true,
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		rest := "W*"
		if p.Has("h") && !p.Has("dereference") { // the last one counts
			rest = "E*"
		}
		if r.args = "V " + rest; p.Has("reference") {
			r.args = rest
		}
		if p.Has("R") {
			r.write.Traversal = changeWalk(p)
		}
	},
}

// changeWalk is the walk of chmod -R, chown -R and chgrp -R. Of -H, -L and -P the
// last one counts; the widest that is given is taken. With -H and -L, and with
// --dereference, links met on the way are changed through.
func changeWalk(p *shellword.Parsed) *shellplan.Traversal {
	walk := &shellplan.Traversal{FollowRoot: p.Has("H") || p.Has("L"), Links: shellplan.LinksSkip, Hidden: true}
	switch {
	case p.Has("L"):
		walk.Links = shellplan.LinksFollow
	case p.Has("H"), p.Has("dereference"):
		walk.Links = shellplan.LinksOpen
	}
	return walk
}

var truncateRow = &row{
	names: "truncate",
	opts:  "c,no-create o,io-blocks r,reference=R s,size=V" + gnu, args: "W*", quiet: true,
}

var statRow = &row{
	names: "stat",
	opts:  "L,dereference f,file-system cached=V c,format=V printf=V t,terse" + gnu, args: "L*",
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		if p.Has("L") || p.Has("f") {
			r.args = "S*"
		}
	},
}

var fileRow = &row{
	names: "file",
	opts: "v,version! m,magic-file=X z,uncompress Z,uncompress-noreport b,brief c,checking-printout e,exclude=V exclude-quiet=V f,files-from=N F,separator=V i,mime apple " +
		"extension mime-type mime-encoding k,keep-going l,list L,dereference h,no-dereference n,no-buffer N,no-pad 0,print0 p,preserve-date P,parameter=V r,raw " +
		"s,special-files S,no-sandbox C=X compile=X d,debug help!",
	args: "R*", dash: true, env: "MAGIC",
	adjust: adjustFile,
	note:   "Reads the magic data of the system, and .magic below the home. Some options follow links, so all are.",
}

// adjustFile: -p sets the times of what was read, which is a write.
func adjustFile(c *Call, p *shellword.Parsed, r *reading) {
	if p.Has("p") {
		r.args = "W*"
	}
	c.aboveHome(".magic", ".magic.mgc")
}

var readlinkRow = &row{
	names: "readlink",
	opts:  "f,canonicalize e,canonicalize-existing m,canonicalize-missing n,no-newline q,quiet s,silent v,verbose z,zero" + gnu, args: "L*",
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		if p.Has("f") || p.Has("e") || p.Has("m") {
			r.args = "S*"
		}
	},
}

var realpathRow = &row{
	names: "realpath",
	opts:  "e,canonicalize-existing m,canonicalize-missing L,logical P,physical q,quiet relative-to=S relative-base=S s,strip,no-symlinks z,zero" + gnu,
	args:  "S*",
}

// removes records that the entries are gone: a link among them is a link no
// more.
func removes(c *Call, p *shellword.Parsed, r *reading) {
	for _, n := range r.ops {
		c.Effect(shellplan.Effect{Kind: shellplan.EffectRemove, Candidate: n})
	}
}
