package command

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

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

// runTar reads tar.
//
// GNU tar manual, "Changing the Working Directory": -C counts for the names
// behind it, and does not move the archive. Long because options and operands
// are read once, in their order.
func runTar(c *Call, r *row) {
	defer c.PrintUnknown()
	c.Args = tarDashes(c.Args)
	p := c.Parse(shellword.OptionsOf(tarOptions, false), shellword.Style{})
	if p.Exits {
		return
	}
	mode, modes := byte(0), 0
	for _, m := range []string{"A", "c", "delete", "d", "r", "t", "u", "x", "test-label"} {
		if p.Has(m) {
			mode, modes = m[0], modes+1
		}
	}
	if p.Has("delete") {
		mode = 'r'
	}
	if modes != 1 || p.Failed {
		c.Opaque(shellplan.OpaqueOption, c.Word.Span, "whether tar reads or writes the archive is not known")
		c.EffectAny()
		return
	}
	archive, given := p.Last("f")
	c.tarArchive(archive, given, mode, p.Has("force-local"))
	if p.Has("g") {
		f, _ := p.Last("g")
		c.Add(f, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
		c.Add(f, shellplan.AccessWrite, shellplan.Candidate{OptionSafe: true})
	}
	for _, k := range []string{"exclude-ignore", "exclude-ignore-recursive", "exclude-vcs-ignores"} {
		if p.Has(k) {
			c.Opaque(shellplan.OpaqueNames, c.Word.Span, "tar opens the file that --"+k+" names in every directory that it meets")
		}
	}
	c.dated(&p, "N", "newer-mtime", "mtime")
	extracts := mode == 'x' && !p.Has("O")
	if mode == 'x' {
		for _, k := range []string{"P", "transform"} {
			if p.Has(k) {
				c.Opaque(shellplan.OpaqueOption, c.Word.Span, "an option lets tar write outside the directory it extracts to")
			}
		}
	}
	walk := &shellplan.Traversal{FollowRoot: p.Has("h"), Links: shellplan.LinksSkip, Hidden: true}
	if p.Has("h") {
		walk.Links = shellplan.LinksFollow
	}
	for _, k := range []string{"anchored", "no-wildcards", "no-wildcards-match-slash", "ignore-case", "exclude-ignore-recursive"} {
		plain := !p.Has(k)
		if k == "anchored" && plain {
			walk.Skips = skipsOf(&p, "exclude", shellplan.SkipDir, shellplan.SkipFile)
		} else if !plain {
			walk.Skips = nil // other rules hold for the patterns
		}
	}
	operands := false
	for _, at := range p.Seq { // an --exclude counts for the names behind it
		operands = operands || at >= 0
		if at < 0 && operands && p.Opts[^at].Spec.Key == "exclude" {
			walk.Skips = nil
		}
	}
	extracted, start := false, c.Chdir
	for _, at := range p.Seq {
		if at < 0 {
			u := &p.Opts[^at]
			switch u.Spec.Key {
			case "f", "g":
			case "C":
				if extracts && extracted {
					c.tarExtract()
				}
				c.chdirTo(u.Value, shellplan.AccessRead)
				extracted = false
			case "N", "newer-mtime", "mtime":
				if len(u.Value.Raw) > 0 && (u.Value.Raw[0] == '/' || u.Value.Raw[0] == '.') {
					c.role('S', u.Value, true, &reading{}, u.Word)
				}
			case "one-top-level":
				if s, ok := u.Value.Plain(); u.Has && (!ok || strings.Contains(s, "/")) {
					c.Opaque(shellplan.OpaqueOption, u.Word.Span, "the directory that tar makes is not modelled")
				}
			default:
				if u.Spec.Role == 'X' || u.Spec.Role == 'P' || u.Has {
					c.tarFile(u, start)
				}
			}
			continue
		}
		o := p.Operands[at]
		switch mode {
		case 'c', 'r', 'u', 'd':
			with := shellplan.Candidate{Traversal: walk, NoFollow: !p.Has("h"), OptionSafe: o.Safe}
			if p.Has("no-recursion") {
				with.Traversal = nil
			}
			c.Add(o.Field, shellplan.AccessRead, with)
			if p.Has("remove-files") {
				n := c.Add(o.Field, shellplan.AccessEntry, shellplan.Candidate{Traversal: walk, OptionSafe: o.Safe})
				c.Effect(shellplan.Effect{Kind: shellplan.EffectRemove, Candidate: n})
			}
		case 'A':
			c.Add(o.Field, shellplan.AccessRead, shellplan.Candidate{OptionSafe: o.Safe})
		default:
			c.Listed(o.Field, o.Safe)
			extracted = true
		}
	}
	if mode == 'd' || p.Has("W") { // what was written is compared, the members that were there before too
		c.Opaque(shellplan.OpaqueNames, c.Word.Span, "the names to compare come from the archive")
	}
	if extracts {
		c.tarExtract()
	}
}

// tarExtract adds the directory that names of the archive are made in.
func (c *Call) tarExtract() {
	n := c.Add(shellword.Field{Raw: []byte("."), Span: c.Word.Span}, shellplan.AccessTree, shellplan.Candidate{
		Traversal: treeWalk, Implicit: shellplan.ImplicitJudged, OptionSafe: true,
	})
	c.Effect(shellplan.Effect{Kind: shellplan.EffectTree, Candidate: n})
}

// tarArchive adds the archive itself, which -C does not move.
func (c *Call) tarArchive(f shellword.Field, given bool, mode byte, local bool) {
	if !given {
		c.Consumes()
		return // the standard stream
	}
	if s, ok := f.Plain(); ok {
		if s == "-" {
			c.Consumes()
			return
		}
		if i := strings.IndexByte(s, ':'); i > 0 && !local && !strings.Contains(s[:i], "/") {
			c.Opaque(shellplan.OpaqueProgram, f.Span, "a colon in the archive's name means another machine")
			return
		}
	}
	if f.Pattern {
		c.Opaque(shellplan.OpaqueRole, f.Span, "which file is the archive is not known")
		return
	}
	with := shellplan.Candidate{OptionSafe: true}
	if mode != 'c' {
		c.Add(f, shellplan.AccessRead, with)
	}
	if mode == 'c' || mode == 'r' || mode == 'u' || mode == 'A' {
		c.Add(f, shellplan.AccessWrite, with)
	}
}

// tarDashes turns the old form (`tar czf a.tgz dir`) into options with dashes:
// the letters come first, their values follow in order.
func tarDashes(args []shellword.Field) []shellword.Field {
	s, ok := shellword.First(args)
	if !ok || s == "" || s[0] == '-' {
		return args
	}
	set := shellword.OptionsOf(tarOptions, false)
	rest := args[1:]
	var out []shellword.Field
	for _, l := range []byte(s) {
		f := args[0]
		f.Raw = []byte{'-', l}
		out = append(out, f)
		if o := set.Short[l]; o != nil && o.Role != 0 && !o.Maybe && len(rest) > 0 {
			out, rest = append(out, rest[0]), rest[1:]
		}
	}
	return append(out, rest...)
}

var tarRow = &row{
	names: "tar gtar",
	opts:  tarOptions, env: "TAR_OPTIONS TAPE TAR_RSH RSH", run: runTar,
	note: "Creating reads the tree below each operand; extracting writes below the directory and leaves names that the text does not give. Runs the compressors of the system.",
}

// tarFile adds the value of an option. A file that it names is opened when the
// option is read, in the directory that tar starts in, or when it is used.
func (c *Call) tarFile(u *shellword.Used, start []shellplan.CwdStep) {
	c.role(u.Spec.Role, u.Value, true, &reading{dash: true}, u.Word)
	if here := c.Chdir; len(here) > len(start) && (u.Spec.Role == 'R' || u.Spec.Role == 'W' || u.Spec.Role == 'N') {
		c.Chdir = start
		c.role(u.Spec.Role, u.Value, true, &reading{dash: true}, u.Word)
		c.Chdir = here
	}
}
