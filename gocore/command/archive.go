package command

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Compression and archives.
// compress are the options of gzip and bzip2.
const compress = "c,stdout,to-stdout d,decompress,uncompress f,force h,help! k,keep l,list L,license! n,no-name N,name q,quiet r,recursive rsyncable S,suffix=V synchronous " +
	"t,test v,verbose V,version! 1,fast 2 3 4 5 6 7 8 9,best z,compress s,small a,ascii i,stdin"

var gzipRow = &row{
	names: "gzip gunzip",
	opts:  compress, args: "V*", env: "GZIP", run: runCompress, note: "Writes FILE.gz beside FILE and removes FILE unless -k or -c is given.",
}

var bzip2Row = &row{
	names: "bzip2 bunzip2",
	opts:  compress, args: "V*", env: "BZIP BZIP2", run: runCompress,
}

var xzRow = &row{
	names: "xz unxz",
	opts: "z,compress d,decompress,uncompress t,test l,list k,keep f,force c,stdout,to-stdout 0 1 2 3 4 5 6 7 8 9 e,extreme T,threads=V q,quiet v,verbose h,help! H,long-help! V,version! " +
		"S,suffix=V single-stream no-sparse ignore-check F,format=V C,check=V M,memlimit,memory=V fast best files?N files0?N block-size=V lzma1?V lzma2?V",
	args: "V*", env: "XZ_OPT XZ_DEFAULTS", run: runCompress,
}

var zcatRow = &row{
	names: "zcat gzcat bzcat xzcat",
	opts:  compress, args: "R*", dash: true, env: "GZIP BZIP BZIP2 XZ_OPT XZ_DEFAULTS",
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		if p.Has("r") {
			r.read.Traversal = &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksFollow, Hidden: true}
		}
	},
	after: func(c *Call, p *shellword.Parsed, r *reading) {
		for i, o := range p.Operands {
			c.besideOf(o)
			if r.ops[i] >= 0 {
				c.packed(o)
			}
		}
	},
}

// packed adds what is opened in place of a name that is not there: the name with
// the suffix of a compressor.
func (c *Call) packed(o shellword.Operand, more ...string) {
	with := shellplan.Candidate{OptionSafe: o.Safe}
	for _, end := range append(more, ".gz", ".z", "-gz", "-z", "_z", ".Z", ".bz2", ".bz", ".xz", ".lzma", ".zst") {
		with.Names = append(with.Names, []byte(end))
	}
	c.Add(o.Field, shellplan.AccessRead, with)
}

var zipRow = &row{
	names: "zip",
	opts:  "r,recurse-paths q,quiet y,symlinks j,junk-paths u,update f,freshen v,verbose 0 1 2 3 4 5 6 7 8 9 X,no-extra D,no-dir-entries d,delete h! help! o,latest-time l,to-crlf g,grow",
	args:  "W R*", dash: true, env: "ZIPOPT", adjust: adjustZip, after: afterZip,
	note: "Follows links unless -y is given.",
}

var unzipRow = &row{
	names: "unzip",
	opts:  "l v p c t z f u o n q j a b C L U V Z d=V x=X h! K X M T",
	args:  "R V*", env: "UNZIP UNZIPOPT", adjust: adjustUnzip, note: "Extracting writes below the directory and leaves names that the text does not give.",
}

// suffixes of the compressors, by command.
var suffixes = map[string]string{
	"gzip": ".gz", "gunzip": ".gz", "bzip2": ".bz2", "bunzip2": ".bz2", "xz": ".xz", "unxz": ".xz",
}

// runCompress reads gzip and its kin: each file is replaced by one with or
// without the suffix.
//
// Manuals of gzip, bzip2 and xz: FILE is replaced by FILE with the suffix, or
// without it, and the input is removed last; they differ in the suffixes alone.
// Long because these are the steps for each file, in the order that the program
// takes them.
func runCompress(c *Call, r *row) {
	defer c.PrintUnknown()
	p := c.Parse(r.options(), shellword.Style{})
	if p.Exits {
		return
	}
	suffix := suffixes[c.Name]
	if f, ok := p.Last("S"); ok {
		s, known := f.Plain()
		if !known || strings.Contains(s, "/") {
			c.Opaque(shellplan.OpaqueDynamic, f.Span, "the suffix is not known")
			return
		}
		suffix = s
	}
	unpack := p.Has("d") || strings.HasPrefix(c.Name, "un") || c.Name == "gunzip" || c.Name == "bunzip2"
	onlyRead := p.Has("c") || p.Has("t") || p.Has("l")
	if p.Has("N") && unpack {
		c.Opaque(shellplan.OpaqueNames, c.Word.Span, "the name of the result comes from the content of the file")
	}
	for _, k := range []string{"files", "files0"} {
		if p.Has(k) {
			c.Opaque(shellplan.OpaqueNames, c.Word.Span, "the names come from the content of a file")
		}
	}
	if len(p.Operands) == 0 {
		c.Consumes()
	}
	for _, o := range p.Operands {
		if s, ok := o.Plain(); ok && s == "-" {
			continue
		}
		with := shellplan.Candidate{OptionSafe: o.Safe}
		if p.Has("r") {
			with.Traversal = &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksOpen, Hidden: true}
		}
		c.Add(o.Field, shellplan.AccessRead, with)
		c.besideOf(o)
		if unpack { // a name without its suffix is tried with it
			c.packed(o, suffix)
		}
		if onlyRead {
			continue
		}
		if p.Has("r") {
			with.Traversal = treeWalk
			c.Add(o.Field, shellplan.AccessTree, with)
		}
		if !p.Has("k") {
			n := c.Add(o.Field, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: o.Safe})
			c.Effect(shellplan.Effect{Kind: shellplan.EffectRemove, Candidate: n})
		}
		if !unpack {
			c.Add(o.Field, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: o.Safe, Names: [][]byte{[]byte(suffix)}})
			continue
		}
		raw, ok := o.Plain()
		if !ok {
			c.Opaque(shellplan.OpaqueDynamic, o.Span, "the names without their suffix are not known")
			continue
		}
		out := o.Field
		for _, end := range []string{suffix, ".gz", ".z", ".Z", "-gz", "-z", "_z", ".bz2", ".bz", ".xz", ".lzma"} {
			if strings.HasSuffix(raw, end) {
				out.Raw = []byte(strings.TrimSuffix(raw, end))
				break
			}
		}
		switch {
		case strings.HasSuffix(raw, ".tgz"), strings.HasSuffix(raw, ".taz"):
			out.Raw = append([]byte(raw[:len(raw)-4]), ".tar"...)
		case strings.HasSuffix(raw, ".tbz2"), strings.HasSuffix(raw, ".tbz"), strings.HasSuffix(raw, ".txz"):
			out.Raw = append([]byte(raw[:strings.LastIndexByte(raw, '.')]), ".tar"...)
		case len(out.Raw) == len(raw) && strings.HasPrefix(c.Name, "b"):
			out.Raw = append([]byte(raw), ".out"...)
		}
		c.Add(out, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: o.Safe})
	}
}

func adjustZip(c *Call, p *shellword.Parsed, r *reading) {
	if p.Has("r") {
		r.read.Traversal = &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksFollow, Hidden: true}
		if p.Has("y") {
			r.read.Traversal.Links = shellplan.LinksSkip
		}
	}
	if p.Has("d") {
		r.args = "W V*"
	}
	if p.Has("u") || p.Has("f") {
		c.Opaque(shellplan.OpaqueNames, c.Word.Span, "the names of the files to bring up to date may come from the archive")
	}
	for _, o := range p.Operands {
		if o.Dyn == nil && o.Set == nil && !o.Pattern && bytes.ContainsAny(o.Raw, "*?[") {
			c.Opaque(shellplan.OpaquePattern, o.Span, "zip matches quoted patterns against files by itself")
		}
	}
}

// afterZip adds the archive under its full name and the temporary file that
// becomes it.
func afterZip(c *Call, p *shellword.Parsed, r *reading) {
	if len(p.Operands) == 0 {
		return
	}
	o := p.Operands[0]
	s, ok := o.Plain()
	if !ok {
		c.Opaque(shellplan.OpaqueRole, o.Span, "which word is the archive is not known")
		return
	}
	if s == "-" {
		return
	}
	f := o.Field
	if !strings.Contains(s[strings.LastIndexByte(s, '/')+1:], ".") {
		f.Raw = append([]byte(s), ".zip"...)
	}
	c.Add(f, shellplan.AccessRead, shellplan.Candidate{OptionSafe: o.Safe})
	n := c.Add(f, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: o.Safe})
	c.Add(f, shellplan.AccessEntry, shellplan.Candidate{OptionSafe: o.Safe, Kind: shellplan.KindBeside, Names: [][]byte{[]byte("zi*")}})
	c.Effect(shellplan.Effect{Kind: shellplan.EffectReplace, Candidate: n})
}

func adjustUnzip(c *Call, p *shellword.Parsed, r *reading) {
	for _, o := range p.Operands[:min(1, len(p.Operands))] {
		if s, ok := o.Plain(); ok {
			if strings.ContainsAny(s, "*?[") {
				c.Opaque(shellplan.OpaquePattern, o.Span, "unzip matches quoted patterns against files by itself")
			}
			f := o.Field
			f.Raw = append([]byte(s), ".zip"...)
			c.Add(f, shellplan.AccessRead, shellplan.Candidate{OptionSafe: o.Safe})
		}
	}
	if p.Has("l") || p.Has("v") || p.Has("p") || p.Has("c") || p.Has("t") || p.Has("z") || p.Has("Z") {
		return
	}
	dir := shellword.Field{Raw: []byte("."), Span: c.Word.Span}
	with := shellplan.Candidate{Traversal: treeWalk, OptionSafe: true, Parents: true}
	if f, ok := p.Last("d"); ok {
		dir = f
	} else {
		with.Implicit = shellplan.ImplicitJudged
	}
	n := c.Add(dir, shellplan.AccessTree, with)
	c.Effect(shellplan.Effect{Kind: shellplan.EffectTree, Candidate: n})
}
