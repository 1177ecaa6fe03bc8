package command

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Commands that search: grep, ripgrep, and the plain listing ones. find has a
// file of its own.

var grepRow = &row{
	names: "grep egrep fgrep",
	opts:  grepOptions, args: "V R*", dash: true, style: shellword.Style{Digits: true}, env: "GREP_OPTIONS",
	filter: "some", adjust: adjustGrep, after: namesOfGrep,
}

var zgrepRow = &row{
	names: "zgrep",
	// The script reads abbreviations by itself.
	opts: grepOptions, args: "V R*", dash: true, style: shellword.Style{Digits: true, GoesOn: true}, env: "GREP_OPTIONS GREP",
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		if p.Has("r") || p.Has("R") || p.Has("d") {
			c.Opaque(shellplan.OpaqueOption, c.Word.Span, c.Name+" does not search directories")
		}
		if p.Has("f") {
			c.Opaque(shellplan.OpaqueOption, c.Word.Span, c.Name+" -f copies the patterns to a temporary file")
		}
		adjustGrep(c, p, r)
	},
	after: func(c *Call, p *shellword.Parsed, r *reading) {
		for i, o := range p.Operands {
			if r.roles[i] == 'R' {
				c.besideOf(o)
				c.packed(o)
			}
		}
	},
	note: "A shell script of the system around grep and gzip.",
}

var lsRow = &row{
	names: "ls dir vdir",
	opts: "a,all A,almost-all author b,escape block-size=V B,ignore-backups c C color?V d,directory D,dired f F,classify?V file-type format=V full-time " +
		"g group-directories-first G,no-group h,human-readable si H,dereference-command-line dereference-command-line-symlink-to-dir hide=V hyperlink?V " +
		"indicator-style=V i,inode I,ignore=V k,kibibytes l L,dereference m n,numeric-uid-gid N,literal o p q,hide-control-chars show-control-chars " +
		"Q,quote-name quoting-style=V r,reverse R,recursive s,size S sort=V time=V time-style=V t T,tabsize=V u U v w,width=V x X Z,context zero 1" + gnu,
	args: "R*", dot: true, adjust: adjustLs, after: namesOfLs,
	note: "With -l it looks users and groups up in the system's files.",
}

var treeRow = &row{
	names: "tree",
	opts: "a,all d f i p s h u g D c t r U v J X C n F q N x A l prune noreport du si inodes device matchdirs ignore-case metafirst dirsfirst filesfirst " +
		"gitignore L=V P=V I=V H=V T=V o=W R filelimit=V charset=V timefmt=V sort?V gitfile=R infofile=R info fromfile=N fromtabfile=N nolinks hintro=R houtro=R" + gnu,
	args: "R*", dot: true,
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: p.Has("a"), DirsOnly: true}
		if p.Has("l") {
			walk.Links = shellplan.LinksFollow
		}
		if p.Has("R") {
			c.Opaque(shellplan.OpaqueProgram, c.Word.Span, "tree -R runs itself again in the directories it meets")
		}
		if p.Has("gitignore") || p.Has("gitfile") || p.Has("info") || p.Has("infofile") {
			c.Opaque(shellplan.OpaqueOption, c.Word.Span, "tree opens files of its own in every directory that it meets, and above")
		}
		r.read.Traversal, r.read.DirOnly = walk, true
	},
}

var duRow = &row{
	names: "du",
	opts: "0,null a,all apparent-size B,block-size=V b,bytes c,total D,dereference-args d,max-depth=V files0-from=N H h,human-readable inodes k " +
		"L,dereference l,count-links m P,no-dereference S,separate-dirs si s,summarize t,threshold=V time?V time-style=V X,exclude-from=R exclude=V x,one-file-system" + gnu,
	args: "R*", dot: true,
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		walk := &shellplan.Traversal{Links: shellplan.LinksSkip, Hidden: true, DirsOnly: true}
		if p.Has("D") || p.Has("H") || p.Has("L") {
			walk.FollowRoot = true
		}
		if p.Has("L") {
			walk.Links = shellplan.LinksFollow
		}
		r.read.Traversal, r.read.DirOnly = walk, true
	},
}

var dfRow = &row{
	names: "df",
	opts:  "a,all B,block-size=V h,human-readable H,si i,inodes k l,local no-sync output?V P,portability sync total t,type=V T,print-type x,exclude-type=V v" + gnu,
	args:  "R*", note: "Without operands it looks at the table of mounts.",
}

const grepOptions = "E,extended-regexp F,fixed-strings G,basic-regexp P,perl-regexp e,regexp=V f,file=R i,y,ignore-case no-ignore-case w,word-regexp " +
	"x,line-regexp z,null-data s,no-messages v,invert-match V,version! help! m,max-count=V b,byte-offset:c n,line-number:c line-buffered H,with-filename:c " +
	"h,no-filename label=V o,only-matching:c q,quiet,silent binary-files=V a,text I d,directories=V D,devices=V r,recursive R,dereference-recursive " +
	"include=V exclude=V exclude-from=R exclude-dir=V L,files-without-match:names l,files-with-matches:names c,count:c T,initial-tab:c Z,null B,before-context=V " +
	"A,after-context=V C,context=V group-separator=V no-group-separator color?V colour?V U,binary u,unix-byte-offsets X=V"

// adjustGrep reads the options that decide which files grep opens.
//
// Grep manual, "File and Directory Selection": -r skips links below the roots,
// -R follows them; a pattern option makes the first word a file.
func adjustGrep(c *Call, p *shellword.Parsed, r *reading) {
	if p.Has("e") || p.Has("f") {
		r.args = "R*"
	}
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	recursive := p.Has("r") || p.Has("R")
	for i := range p.Opts {
		switch u := &p.Opts[i]; u.Spec.Key {
		case "d":
			switch s, ok := u.Value.Plain(); {
			case !ok:
				c.Opaque(shellplan.OpaqueDynamic, u.Word.Span, "what grep does with directories is not known")
			case strings.HasPrefix("recurse", s) && s != "" && s != "r" || s == "recurse":
				recursive = true
			}
		case "R":
			walk.Links = shellplan.LinksFollow
		}
	}
	if recursive {
		walk.Match = onlyMatch(p, "include", "exclude", "exclude-from")
		walk.Skips = skipsOf(p, "exclude-dir", shellplan.SkipDir)
		if !p.Has("include") {
			walk.Skips = append(walk.Skips, skipsOf(p, "exclude", shellplan.SkipFile)...)
		}
		r.read.Traversal, r.dot = walk, true
	}
}

// onlyMatch is the pattern of the members that are opened, when exactly one
// option restricts them.
func onlyMatch(p *shellword.Parsed, include string, other ...string) *shellplan.Word {
	var found *shellplan.Word
	for i := range p.Opts {
		u := &p.Opts[i]
		if u.Spec.Key == include {
			if found != nil {
				return nil
			}
			found = patternWord(u.Value)
			if found == nil {
				return nil
			}
		}
		for _, o := range other {
			if u.Spec.Key == o {
				return nil
			}
		}
	}
	return found
}

// namesOfGrep: with -l the output is a list of the files searched.
func namesOfGrep(c *Call, p *shellword.Parsed, r *reading) {
	if c.Name == "rg" && p.Has("files") {
		// the operands are all roots
	} else if !p.Has("names") {
		if p.Has("c") && len(p.Operands) <= 2 && !p.Has("r") && !p.Has("R") && !p.Has("H") && c.Name != "rg" && !p.Has("n") {
			c.printedCount(p, r)
		}
		return
	}
	for i := range p.Opts {
		if k := p.Opts[i].Spec.Key; k == "c" || k == "color" || k == "colour" || k == "json" || k == "hyperlink-format" || k == "path-separator" {
			return
		}
	}
	out := shellword.Output{Kind: shellword.OutputNames, Nul: p.Has("Z") || p.Has("null")}
	for _, cand := range c.Candidates() {
		if cand.Access != shellplan.AccessRead || cand.Redirect != nil || cand.Kind != shellplan.KindWord || cand.Implicit == shellplan.ImplicitDisclosed || len(cand.Chdir) > 0 {
			continue
		}
		set := &shellword.NameSet{Word: cand.Word, Traversal: cand.Traversal, CwdKey: c.Directory(), Text: cand.Text, Span: cand.Span}
		set.Prefixed = len(cand.Raw) > 0 && cand.Raw[0] != '-' && (len(cand.Mask) == 0 || !shellword.StartsMeta(cand.Raw, cand.Mask))
		if cand.Implicit == shellplan.ImplicitJudged && set.Traversal != nil {
			return // without an operand names are printed without ./, so that one can read as an option
		}
		out.Sets = append(out.Sets, set)
	}
	if len(out.Sets) > 0 && !p.Failed {
		c.Printed = &out
	}
}

// printedCount: grep -c of one stream or file prints a number.
func (c *Call) printedCount(p *shellword.Parsed, r *reading) {
	counts := 0
	for i := range p.Opts {
		if p.Opts[i].Spec.Names[0] == "c" {
			counts++
		} else if p.Opts[i].Spec.Key == "c" {
			return
		}
	}
	if counts == 0 {
		return
	}
	for _, o := range p.Operands {
		if o.Many || o.Pattern || o.Set != nil {
			return
		}
	}
	c.Printed = &shellword.Output{Kind: shellword.OutputInt}
}

// listsLong reports whether the listing is sure to be a long one. Of the options
// that set the format the last one counts, so that any that sets another leaves
// it open.
func listsLong(c *Call, p *shellword.Parsed) bool {
	long := c.Name == "vdir"
	for _, k := range []string{"l", "g", "n", "o", "full-time"} {
		long = long || p.Has(k)
	}
	for _, k := range []string{"C", "m", "x", "f"} {
		if p.Has(k) {
			return false
		}
	}
	if c.Name == "vdir" && (p.Has("1") || p.Has("zero")) {
		return false // one name a line, unless another option asks for more
	}
	for i := range p.Opts {
		if u := &p.Opts[i]; u.Spec.Key == "format" {
			s, known := u.Value.Plain()
			if !known || s == "" || !strings.HasPrefix("long", s) && !strings.HasPrefix("verbose", s) {
				return false
			}
			long = true
		}
	}
	return long
}

// classifies reports whether the entries are sure to be marked by their kind,
// links included; again the last option counts.
func classifies(p *shellword.Parsed) bool {
	marked := false
	for i := range p.Opts {
		u := &p.Opts[i]
		s, known := u.Value.Plain()
		switch u.Spec.Key {
		case "p", "file-type":
			return false
		case "F":
			if u.Has && (!known || s != "always") {
				return false
			}
			marked = true
		case "indicator-style":
			if !known || s == "" || !strings.HasPrefix("classify", s) {
				return false
			}
			marked = true
		}
	}
	return marked
}

// adjustLs: a directory is opened, a file only looked at; a link named on the
// command line is followed unless a long listing, -d or -F shows it itself.
//
// Coreutils manual, "ls invocation".
func adjustLs(c *Call, p *shellword.Parsed, r *reading) {
	never := p.Has("d") || listsLong(c, p) || classifies(p)
	follow := p.Has("L") || p.Has("H") || p.Has("dereference-command-line-symlink-to-dir")
	r.read.NoFollow = never && !follow
	if p.Has("d") {
		r.args, r.dot = "S*", false
		if never && !follow {
			r.args = "L*"
		}
		return
	}
	r.read.DirOnly = true
	if p.Has("R") {
		walk := &shellplan.Traversal{FollowRoot: !r.read.NoFollow, Links: shellplan.LinksSkip, DirsOnly: true,
			Hidden: p.Has("a") || p.Has("A") || p.Has("f")}
		if p.Has("L") {
			walk.Links, walk.FollowRoot = shellplan.LinksFollow, true
		}
		r.read.Traversal = walk
	}
}

// namesOfLs: a plain listing of one directory prints the names in it.
func namesOfLs(c *Call, p *shellword.Parsed, r *reading) {
	for i := range p.Opts {
		switch p.Opts[i].Spec.Key {
		case "1", "t", "r", "S", "U", "X", "v", "N":
		default:
			return
		}
	}
	if len(p.Operands) > 1 || p.Failed {
		return
	}
	dir := "."
	if len(p.Operands) == 1 {
		s, ok := p.Operands[0].Plain()
		if !ok {
			return
		}
		dir = s
	}
	// The names are those that the operand's directory holds; used below
	// another directory they are whatever has such a name there.
	c.Printed = &shellword.Output{Kind: shellword.OutputNames, Sets: []*shellword.NameSet{{
		Word:   shellplan.Word{Raw: []byte("*"), Mask: []byte{shellplan.MaskActive}, Pattern: true},
		CwdKey: c.Directory(), Bare: true, Text: []byte(dir), Span: c.Word.Span,
	}}}
	if len(p.Operands) == 1 { // a file is printed as it was named
		c.Printed.Sets = append(c.Printed.Sets, &shellword.NameSet{
			Word: shellplan.Word{Raw: []byte(dir)}, CwdKey: c.Directory(), Prefixed: true, Text: []byte(dir), Span: c.Word.Span,
		})
	}
}
