package command

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

const rgOptions = "e,regexp=V f,file=R pre=P pre-glob=V no-pre z,search-zip no-search-zip s,case-sensitive crlf no-crlf dfa-size-limit=V E,encoding=V no-encoding engine=V " +
	"F,fixed-strings no-fixed-strings i,ignore-case v,invert-match no-invert-match x,line-regexp m,max-count=V mmap no-mmap U,multiline no-multiline multiline-dotall " +
	"no-multiline-dotall no-unicode unicode null-data P,pcre2 no-pcre2 regex-size-limit=V S,smart-case stop-on-nonmatch a,text no-text j,threads=V w,word-regexp " +
	"auto-hybrid-regex no-auto-hybrid-regex no-pcre2-unicode pcre2-unicode binary no-binary L,follow no-follow g,glob=V glob-case-insensitive no-glob-case-insensitive " +
	".,hidden no-hidden iglob=V ignore-file=R ignore-file-case-insensitive no-ignore-file-case-insensitive d,max-depth,maxdepth=V max-filesize=V no-ignore ignore " +
	"no-ignore-dot ignore-dot no-ignore-exclude ignore-exclude no-ignore-files ignore-files no-ignore-global ignore-global no-ignore-parent ignore-parent " +
	"no-ignore-vcs ignore-vcs no-require-git require-git one-file-system no-one-file-system t,type=V T,type-not=V type-add=V type-clear=V u,unrestricted " +
	"A,after-context=V B,before-context=V block-buffered no-block-buffered b,byte-offset no-byte-offset color=V colors=V column no-column C,context=V " +
	"context-separator=V no-context-separator field-context-separator=V field-match-separator=V heading no-heading h,help! hostname-bin=P hyperlink-format=V " +
	"include-zero no-include-zero line-buffered no-line-buffered n,line-number N,no-line-number M,max-columns=V max-columns-preview no-max-columns-preview 0,null:Z " +
	"o,only-matching path-separator=V passthru,passthrough p,pretty q,quiet r,replace=V sort=V sortr=V trim no-trim vimgrep H,with-filename I,no-filename " +
	"sort-files no-sort-files c,count:count count-matches l,files-with-matches:names files-without-match:names json no-json debug no-ignore-messages " +
	"ignore-messages no-messages messages stats no-stats trace files generate=V no-config pcre2-version! type-list! V,version! no-hyperlink-format"

// adjustRg: the ignore files above each root are read, unless turned off. Hidden
// names count although they are skipped: an ignore file may take them back in.
//
// ripgrep guide, "Automatic filtering".
func adjustRg(c *Call, p *shellword.Parsed, r *reading) {
	if p.Has("e") || p.Has("f") || p.Has("files") {
		r.args = "R*"
	}
	unrestricted := 0
	for i := range p.Opts {
		if p.Opts[i].Spec.Key == "u" {
			unrestricted++
		}
	}
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	if p.Has("L") {
		walk.Links = shellplan.LinksFollow
	}
	r.read.Traversal = walk
	// With a pipe or a file on standard input rg without a path reads that.
	in := c.Descriptor(0)
	r.dot = in != DescriptorPipe && in != DescriptorFile
	roots := p.Operands
	if r.args != "R*" {
		roots = roots[min(1, len(roots)):]
	}
	if p.Has("no-ignore") || unrestricted > 0 {
		return
	}
	// The ignore files of every directory it meets are opened, links followed.
	ignores := shellplan.Candidate{Implicit: shellplan.ImplicitJudged, OptionSafe: true, Traversal: &shellplan.Traversal{
		FollowRoot: true, Links: shellplan.LinksOpen, Hidden: true,
		Match: patternWord(shellword.Field{Raw: []byte(".*ignore")}),
	}}
	if len(roots) == 0 && r.dot {
		c.Add(shellword.Field{Raw: []byte("."), Span: c.Word.Span}, shellplan.AccessRead, ignores)
	}
	for _, o := range roots {
		if o.Dyn == nil && string(o.Raw) != "-" {
			c.Add(o.Field, shellplan.AccessRead, ignores)
		}
	}
	names := [][]byte{[]byte(".gitignore"), []byte(".ignore"), []byte(".rgignore"), []byte(".git/info/exclude"), []byte(".git/config")}
	with := shellplan.Candidate{Kind: shellplan.KindUpward, Names: names, Implicit: shellplan.ImplicitJudged, OptionSafe: true}
	if !p.Has("no-ignore-parent") {
		if len(roots) == 0 && r.dot {
			c.Add(shellword.Field{Raw: []byte("."), Span: c.Word.Span}, shellplan.AccessRead, with)
		}
		for _, o := range roots {
			if o.Dyn == nil && string(o.Raw) != "-" {
				c.Add(o.Field, shellplan.AccessRead, with)
			}
		}
	}
	c.gitSettings(shellplan.ImplicitDisclosed)
}

var rgRow = &row{
	names: "rg",
	opts:  rgOptions, args: "V R*", dash: true, env: "RIPGREP_CONFIG_PATH", adjust: adjustRg, after: namesOfGrep,
	note: "Reads the ignore files of every directory above the search roots, and git's settings below the home.",
}
