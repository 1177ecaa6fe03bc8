package shellplan

import (
	"bytes"
	"strings"
)

// Compression and archives.
func init() {
	compress := "c,stdout,to-stdout d,decompress,uncompress f,force h,help! k,keep l,list L,license! n,no-name N,name q,quiet r,recursive rsyncable S,suffix=V synchronous " +
		"t,test v,verbose V,version! 1,fast 2 3 4 5 6 7 8 9,best z,compress s,small a,ascii i,stdin"
	add(&row{opts: compress, args: "V*", env: "GZIP", run: runCompress, note: "Writes FILE.gz beside FILE and removes FILE unless -k or -c is given."}, "gzip", "gunzip")
	add(&row{opts: compress, args: "V*", env: "BZIP BZIP2", run: runCompress}, "bzip2", "bunzip2")
	add(&row{
		opts: "z,compress d,decompress,uncompress t,test l,list k,keep f,force c,stdout,to-stdout 0 1 2 3 4 5 6 7 8 9 e,extreme T,threads=V q,quiet v,verbose h,help! H,long-help! V,version! " +
			"S,suffix=V single-stream no-sparse ignore-check F,format=V C,check=V M,memlimit,memory=V fast best files?N files0?N block-size=V lzma1?V lzma2?V",
		args: "V*", env: "XZ_OPT XZ_DEFAULTS", run: runCompress,
	}, "xz", "unxz")
	add(&row{
		opts: compress, args: "R*", dash: true, env: "GZIP BZIP BZIP2 XZ_OPT XZ_DEFAULTS",
		after: func(c *cmd, p *parsed, r *reading) {
			for i, o := range p.operands {
				c.besideOf(o)
				if r.ops[i] >= 0 { // a name without its suffix is tried with it
					c.add(o.field, SeatRead, Candidate{OptionSafe: o.safe, Names: [][]byte{[]byte(".gz"), []byte(".bz2"), []byte(".xz"), []byte(".Z")}})
				}
			}
		},
	}, "zcat", "gzcat", "bzcat", "xzcat")
	add(&row{opts: tarOptions, env: "TAR_OPTIONS TAPE TAR_RSH RSH", run: runTar,
		note: "Creating reads the tree below each operand; extracting writes below the directory and leaves names that the text does not give. Runs the compressors of the system."}, "tar", "gtar", "bsdtar")
	add(&row{
		opts: "r,recurse-paths q,quiet y,symlinks j,junk-paths u,update f,freshen v,verbose 0 1 2 3 4 5 6 7 8 9 X,no-extra D,no-dir-entries d,delete h! help! o,latest-time l,to-crlf g,grow",
		args: "W R*", dash: true, env: "ZIPOPT", adjust: adjustZip, after: afterZip,
		note: "Follows links unless -y is given.",
	}, "zip")
	add(&row{
		opts: "l v p c t z f u o n q j a b C L U V Z d=V x=X h! K X M T",
		args: "R V*", env: "UNZIP UNZIPOPT", adjust: adjustUnzip, note: "Extracting writes below the directory and leaves names that the text does not give.",
	}, "unzip")
}

// suffixes of the compressors, by command.
var suffixes = map[string]string{
	"gzip": ".gz", "gunzip": ".gz", "bzip2": ".bz2", "bunzip2": ".bz2", "xz": ".xz", "unxz": ".xz",
}

// runCompress reads gzip and its kin: each file is replaced by one with or
// without the suffix.
func runCompress(c *cmd) {
	defer c.p.printUnknown(c.st)
	p := c.parse(commands[c.name].options(), style{})
	if p.exits {
		return
	}
	suffix := suffixes[c.name]
	if f, ok := p.last("S"); ok {
		s, known := f.str()
		if !known || strings.Contains(s, "/") {
			c.opaque(OpaqueDynamic, f.span, "the suffix is not known")
			return
		}
		suffix = s
	}
	unpack := p.has("d") || strings.HasPrefix(c.name, "un") || c.name == "gunzip" || c.name == "bunzip2"
	onlyRead := p.has("c") || p.has("t") || p.has("l")
	if p.has("N") && unpack {
		c.opaque(OpaqueNames, c.word.span, "the name of the result comes from the content of the file")
	}
	for _, k := range []string{"files", "files0"} {
		if p.has(k) {
			c.opaque(OpaqueNames, c.word.span, "the names come from the content of a file")
		}
	}
	if len(p.operands) == 0 {
		c.consumes()
	}
	for _, o := range p.operands {
		if s, ok := o.str(); ok && s == "-" {
			continue
		}
		with := Candidate{OptionSafe: o.safe}
		if p.has("r") {
			with.Traversal = &Traversal{FollowRoot: true, Links: LinksOpen, Hidden: true}
		}
		c.add(o.field, SeatRead, with)
		c.besideOf(o)
		if unpack { // a name without its suffix is tried with it
			c.add(o.field, SeatRead, Candidate{OptionSafe: o.safe, Names: [][]byte{[]byte(suffix)}})
		}
		if onlyRead {
			continue
		}
		if p.has("r") {
			with.Traversal = treeWalk
			c.add(o.field, SeatTree, with)
		}
		if !p.has("k") {
			n := c.add(o.field, SeatEntry, Candidate{OptionSafe: o.safe})
			c.p.effect(c.seg, Effect{Kind: EffectRemove, Candidate: n})
		}
		if !unpack {
			c.add(o.field, SeatEntry, Candidate{OptionSafe: o.safe, Names: [][]byte{[]byte(suffix)}})
			continue
		}
		raw, ok := o.str()
		if !ok {
			c.opaque(OpaqueDynamic, o.span, "the names without their suffix are not known")
			continue
		}
		out := o.field
		for _, end := range []string{suffix, ".gz", ".z", ".Z", "-gz", "-z", "_z", ".bz2", ".bz", ".xz", ".lzma"} {
			if strings.HasSuffix(raw, end) {
				out.raw = []byte(strings.TrimSuffix(raw, end))
				break
			}
		}
		switch {
		case strings.HasSuffix(raw, ".tgz"), strings.HasSuffix(raw, ".taz"):
			out.raw = append([]byte(raw[:len(raw)-4]), ".tar"...)
		case strings.HasSuffix(raw, ".tbz2"), strings.HasSuffix(raw, ".tbz"), strings.HasSuffix(raw, ".txz"):
			out.raw = append([]byte(raw[:strings.LastIndexByte(raw, '.')]), ".tar"...)
		case len(out.raw) == len(raw) && strings.HasPrefix(c.name, "b"):
			out.raw = append([]byte(raw), ".out"...)
		}
		c.add(out, SeatEntry, Candidate{OptionSafe: o.safe})
	}
}

const tarOptions = "A,catenate,concatenate c,create delete d,diff,compare r,append test-label t,list u,update x,extract,get check-device g,listed-incremental=V G,incremental " +
	"hole-detection=V ignore-failed-read level=V no-check-device no-seek n,seek occurrence?V sparse-version=V S,sparse add-file=R C,directory=D exclude=V exclude-backups exclude-caches " +
	"exclude-caches-all exclude-caches-under exclude-ignore=V exclude-ignore-recursive=V exclude-tag=V exclude-tag-all=V exclude-tag-under=V exclude-vcs exclude-vcs-ignores no-null " +
	"no-recursion no-unquote no-verbatim-files-from null recursion T,files-from=N unquote verbatim-files-from X,exclude-from=R anchored ignore-case no-anchored no-ignore-case no-wildcards " +
	"no-wildcards-match-slash wildcards wildcards-match-slash keep-directory-symlink keep-newer-files k,keep-old-files no-overwrite-dir one-top-level?V overwrite overwrite-dir recursive-unlink " +
	"remove-files skip-old-files U,unlink-first W,verify ignore-command-error no-ignore-command-error O,to-stdout to-command=P atime-preserve?V clamp-mtime delay-directory-restore group=V " +
	"group-map=R mode=V mtime=V m,touch no-delay-directory-restore no-same-owner no-same-permissions numeric-owner owner=V owner-map=R p,preserve-permissions,same-permissions same-owner sort=V " +
	"s,preserve-order,same-order acls no-acls no-selinux no-xattrs selinux xattrs xattrs-exclude=V xattrs-include=V force-local f,file=V F,info-script,new-volume-script=P L,tape-length=X " +
	"M,multi-volume?X rmt-command=P rsh-command=P volno-file=W b,blocking-factor=V B,read-full-records i,ignore-zeros record-size=V H,format=V old-archive,portability pax-option=V posix V,label=V " +
	"a,auto-compress I,use-compress-program=P j,bzip2 J,xz lzip lzma lzop no-auto-compress zstd z,gzip,gunzip,ungzip Z,compress,uncompress backup?X hard-dereference h,dereference K,starting-file=V " +
	"newer-mtime=V N,newer,after-date=V one-file-system P,absolute-names suffix=X strip-components=V transform,xform=V checkpoint?V checkpoint-action=P full-time index-file=W l,check-links " +
	"no-quote-chars=V quote-chars=V quoting-style=V R,block-number show-defaults! show-omitted-dirs show-snapshot-field-ranges! show-transformed-names,show-stored-names totals?V utc v,verbose warning=V " +
	"w,interactive,confirmation o ?,help! restrict usage! version! 0 1 2 3 4 5 6 7 8 9"

// runTar reads tar. -C counts from where it stands, for the names behind it.
func runTar(c *cmd) {
	defer c.p.printUnknown(c.st)
	c.args = tarDashes(c.args)
	p := c.parse(optionsOf(tarOptions, false), style{})
	if p.exits {
		return
	}
	mode, modes := byte(0), 0
	for _, m := range []string{"A", "c", "delete", "d", "r", "t", "u", "x", "test-label"} {
		if p.has(m) {
			mode, modes = m[0], modes+1
		}
	}
	if p.has("delete") {
		mode = 'r'
	}
	if modes != 1 || p.failed {
		c.opaque(OpaqueOption, c.word.span, "whether tar reads or writes the archive is not known")
		c.effectAny()
		return
	}
	archive, given := p.last("f")
	c.tarArchive(archive, given, mode, p.has("force-local"))
	if p.has("g") {
		f, _ := p.last("g")
		c.add(f, SeatRead, Candidate{OptionSafe: true})
		c.add(f, SeatWrite, Candidate{OptionSafe: true})
	}
	extracts := mode == 'x' && !p.has("O")
	if mode == 'x' {
		for _, k := range []string{"P", "transform"} {
			if p.has(k) {
				c.opaque(OpaqueOption, c.word.span, "an option lets tar write outside the directory it extracts to")
			}
		}
	}
	walk := &Traversal{FollowRoot: p.has("h"), Links: LinksSkip, Hidden: true}
	if p.has("h") {
		walk.Links = LinksFollow
	}
	extracted := false
	for _, at := range p.seq {
		if at < 0 {
			u := &p.opts[^at]
			switch u.spec.key {
			case "f", "g":
			case "C":
				if extracts && extracted {
					c.tarExtract()
				}
				c.chdirTo(u.value, SeatRead)
				extracted = false
			case "N", "newer-mtime", "mtime":
				if len(u.value.raw) > 0 && (u.value.raw[0] == '/' || u.value.raw[0] == '.') {
					c.role('S', u.value, true, &reading{}, u.word)
				}
			case "one-top-level":
				if s, ok := u.value.str(); u.has && (!ok || strings.Contains(s, "/")) {
					c.opaque(OpaqueOption, u.word.span, "the directory that tar makes is not modelled")
				}
			default:
				if u.spec.role == 'X' || u.spec.role == 'P' || u.has {
					c.role(u.spec.role, u.value, true, &reading{dash: true}, u.word)
				}
			}
			continue
		}
		o := p.operands[at]
		switch mode {
		case 'c', 'r', 'u', 'd':
			with := Candidate{Traversal: walk, NoFollow: !p.has("h"), OptionSafe: o.safe}
			if p.has("no-recursion") {
				with.Traversal = nil
			}
			c.add(o.field, SeatRead, with)
			if p.has("remove-files") {
				n := c.add(o.field, SeatEntry, Candidate{Traversal: walk, OptionSafe: o.safe})
				c.p.effect(c.seg, Effect{Kind: EffectRemove, Candidate: n})
			}
		case 'A':
			c.add(o.field, SeatRead, Candidate{OptionSafe: o.safe})
		default:
			c.listed(o.field, o.safe)
			extracted = true
		}
	}
	if mode == 'd' {
		c.opaque(OpaqueNames, c.word.span, "the names to compare come from the archive")
	}
	if extracts {
		c.tarExtract()
	}
}

// tarExtract adds the directory that names of the archive are made in.
func (c *cmd) tarExtract() {
	n := c.add(field{raw: []byte("."), span: c.word.span}, SeatTree, Candidate{
		Traversal: treeWalk, Implicit: ImplicitJudged, OptionSafe: true,
	})
	c.p.effect(c.seg, Effect{Kind: EffectTree, Candidate: n})
}

// tarArchive adds the archive itself, which -C does not move.
func (c *cmd) tarArchive(f field, given bool, mode byte, local bool) {
	if !given {
		c.consumes()
		return // the standard stream
	}
	if s, ok := f.str(); ok {
		if s == "-" {
			c.consumes()
			return
		}
		if i := strings.IndexByte(s, ':'); i > 0 && !local && !strings.Contains(s[:i], "/") {
			c.opaque(OpaqueProgram, f.span, "a colon in the archive's name means another machine")
			return
		}
	}
	if f.pattern {
		c.opaque(OpaqueRole, f.span, "which file is the archive is not known")
		return
	}
	with := Candidate{OptionSafe: true}
	if mode != 'c' {
		c.add(f, SeatRead, with)
	}
	if mode == 'c' || mode == 'r' || mode == 'u' || mode == 'A' {
		c.add(f, SeatWrite, with)
	}
}

// tarDashes turns the old form (`tar czf a.tgz dir`) into options with dashes:
// the letters come first, their values follow in order.
func tarDashes(args []field) []field {
	s, ok := first(args)
	if !ok || s == "" || s[0] == '-' {
		return args
	}
	set := optionsOf(tarOptions, false)
	rest := args[1:]
	var out []field
	for _, l := range []byte(s) {
		f := args[0]
		f.raw = []byte{'-', l}
		out = append(out, f)
		if o := set.short[l]; o != nil && o.role != 0 && !o.maybe && len(rest) > 0 {
			out, rest = append(out, rest[0]), rest[1:]
		}
	}
	return append(out, rest...)
}

func adjustZip(c *cmd, p *parsed, r *reading) {
	if p.has("r") {
		r.read.Traversal = &Traversal{FollowRoot: true, Links: LinksFollow, Hidden: true}
		if p.has("y") {
			r.read.Traversal.Links = LinksSkip
		}
	}
	if p.has("d") {
		r.args = "W V*"
	}
	for _, o := range p.operands {
		if o.dyn == nil && o.set == nil && !o.pattern && bytes.ContainsAny(o.raw, "*?[") {
			c.opaque(OpaquePattern, o.span, "zip matches quoted patterns against files by itself")
		}
	}
}

// afterZip adds the archive under its full name and the temporary file that
// becomes it.
func afterZip(c *cmd, p *parsed, r *reading) {
	if len(p.operands) == 0 {
		return
	}
	o := p.operands[0]
	s, ok := o.str()
	if !ok {
		c.opaque(OpaqueRole, o.span, "which word is the archive is not known")
		return
	}
	if s == "-" {
		return
	}
	f := o.field
	if !strings.Contains(s[strings.LastIndexByte(s, '/')+1:], ".") {
		f.raw = append([]byte(s), ".zip"...)
	}
	c.add(f, SeatRead, Candidate{OptionSafe: o.safe})
	n := c.add(f, SeatEntry, Candidate{OptionSafe: o.safe})
	c.add(f, SeatEntry, Candidate{OptionSafe: o.safe, Kind: KindBeside, Names: [][]byte{[]byte("zi*")}})
	c.p.effect(c.seg, Effect{Kind: EffectReplace, Candidate: n})
}

func adjustUnzip(c *cmd, p *parsed, r *reading) {
	for _, o := range p.operands[:min(1, len(p.operands))] {
		if s, ok := o.str(); ok {
			if strings.ContainsAny(s, "*?[") {
				c.opaque(OpaquePattern, o.span, "unzip matches quoted patterns against files by itself")
			}
			f := o.field
			f.raw = append([]byte(s), ".zip"...)
			c.add(f, SeatRead, Candidate{OptionSafe: o.safe})
		}
	}
	if p.has("l") || p.has("v") || p.has("p") || p.has("c") || p.has("t") || p.has("z") || p.has("Z") {
		return
	}
	dir := field{raw: []byte("."), span: c.word.span}
	with := Candidate{Traversal: treeWalk, OptionSafe: true, Parents: true}
	if f, ok := p.last("d"); ok {
		dir = f
	} else {
		with.Implicit = ImplicitJudged
	}
	n := c.add(dir, SeatTree, with)
	c.p.effect(c.seg, Effect{Kind: EffectTree, Candidate: n})
}
