package command

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Commands that read files and print text.

var catRow = &row{
	names: "cat",
	opts:  "A,show-all b,number-nonblank:num e E,show-ends:num n,number:num s,squeeze-blank:num t T,show-tabs:num u v,show-nonprinting:num" + gnu,
	args:  "R*", dash: true, filter: "all",
}

var headRow = &row{
	names: "head",
	opts:  "c,bytes=V:c n,lines=V q,quiet,silent v,verbose:c z,zero-terminated presume-input-pipe" + gnu,
	args:  "R*", dash: true, style: shellword.Style{Count: true}, filter: "some",
}

var tailRow = &row{
	names: "tail",
	opts:  "c,bytes=V:c f,follow?V F n,lines=V max-unchanged-stats=V pid=V q,quiet,silent retry s,sleep-interval=V v,verbose:c z,zero-terminated presume-input-pipe" + gnu,
	args:  "R*", dash: true, style: shellword.Style{Count: true}, filter: "some",
}

var wcRow = &row{
	names: "wc",
	opts:  "c,bytes m,chars l,lines w,words L,max-line-length files0-from=N total=V debug" + gnu,
	args:  "R*", dash: true, after: countsInput,
}

var sortRow = &row{
	names: "sort",
	opts: "b,ignore-leading-blanks d,dictionary-order f,ignore-case g,general-numeric-sort i,ignore-nonprinting M,month-sort " +
		"h,human-numeric-sort n,numeric-sort R,random-sort random-source=R r,reverse sort=V V,version-sort batch-size=V " +
		"c,check?V:c C:c compress-program=P debug:c files0-from=N k,key=V m,merge o,output=W s,stable S,buffer-size=V " +
		"t,field-separator=V T,temporary-directory=T parallel=V u,unique z,zero-terminated" + gnu,
	args: "R*", dash: true, filter: "some", after: ownTemporaries,
	note: "A large input is sorted in temporary files below TMPDIR.",
}

var uniqRow = &row{
	names: "uniq",
	opts:  "c,count:c d,repeated D all-repeated?V:c f,skip-fields=V group?V:c i,ignore-case s,skip-chars=V u,unique z,zero-terminated w,check-chars=V" + gnu,
	args:  "R W", dash: true, style: shellword.Style{Count: true}, filter: "some",
}

var cutRow = &row{
	names: "cut",
	opts:  "b,bytes=V c,characters=V d,delimiter=V f,fields=V n complement s,only-delimited output-delimiter=V z,zero-terminated" + gnu,
	args:  "R*", dash: true,
}

var pasteRow = &row{
	names: "paste",
	opts:  "d,delimiters=V s,serial z,zero-terminated" + gnu, args: "R*", dash: true,
}

var nlRow = &row{
	names: "nl",
	opts: "b,body-numbering=V d,section-delimiter=V f,footer-numbering=V h,header-numbering=V i,line-increment=V " +
		"l,join-blank-lines=V n,number-format=V p,no-renumber s,number-separator=V v,starting-line-number=V w,number-width=V" + gnu,
	args: "R*", dash: true,
}

var tacRow = &row{
	names: "tac",
	opts:  "b,before:c r,regex s,separator=V:c" + gnu, args: "R*", dash: true, filter: "some", after: ownTemporaries,
	note: "What cannot be read backwards is copied to a temporary file below TMPDIR.",
}

var odRow = &row{
	names: "od",
	opts: "A,address-radix=V endian=V j,skip-bytes=V N,read-bytes=V S=V strings?V t,format=V v,output-duplicates w,width?V traditional " +
		"a b c d e f h i l o s x B D F H I L O X" + gnu,
	args: "R*", dash: true,
}

var xxdRow = &row{
	names: "xxd",
	opts: "a,autoskip b,bits c,cols=V C,capitalize E,EBCDIC e g,groupsize=V h,help! i,include l,len,length=V n,name=V o,offset=V " +
		"p,ps,postscript,plain r,revert s,seek,skip=V u v,version! d R=V",
	args: "R W", dash: true, style: shellword.Style{Single: true, Alone: true, Stop: true},
}

var hexdumpRow = &row{
	names: "hexdump hd",
	opts: "b,one-byte-octal c,one-byte-char C,canonical d,two-bytes-decimal o,two-bytes-octal x,two-bytes-hex L,color?V " +
		"e,format=V f,format-file=R n,length=V s,skip=V v,no-squeezing h,help! V,version!",
	args: "R*",
}

var stringsRow = &row{
	names: "strings",
	opts: "a,all d,data f,print-file-name n,bytes=V t,radix=V w,include-all-whitespace o T,target=V e,encoding=V U,unicode=V " +
		"s,output-separator=V h! v,V,version! help!",
	args: "R*", dash: true, style: shellword.Style{Digits: true}, adjust: func(c *Call, p *shellword.Parsed, r *reading) { c.responseFiles() },
	note: "@FILE names a file of further arguments, which is not read.",
}

var diffRow = &row{
	names: "diff",
	opts:  diffOptions, args: "R R", dash: true, style: shellword.Style{Digits: true}, adjust: adjustDiff,
}

var cmpRow = &row{
	names: "cmp",
	opts:  "b,print-bytes i,ignore-initial=V l,verbose n,bytes=V s,quiet,silent v,version! help!",
	args:  "R R V V", dash: true,
}

var commRow = &row{
	names: "comm",
	opts:  "1 2 3 check-order nocheck-order output-delimiter=V total z,zero-terminated" + gnu, args: "R R", dash: true,
}

var joinRow = &row{
	names: "join",
	opts:  "a=V e=V i,ignore-case j=V o=V t=V v=V 1=V 2=V check-order nocheck-order header z,zero-terminated" + gnu,
	args:  "R R", dash: true,
}

var trRow = &row{
	names: "tr",
	opts:  "c,C,complement d,delete s,squeeze-repeats t,truncate-set1" + gnu, args: "V*", stdin: true,
}

var revRow = &row{
	names: "rev",
	opts:  "h,help! V,version!", args: "R*",
}

var shufRow = &row{
	names: "shuf",
	opts:  "e,echo i,input-range=V n,head-count=V o,output=W random-source=R r,repeat z,zero-terminated" + gnu,
	args:  "R", dash: true, filter: "some",
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		if p.Has("e") || p.Has("i") {
			r.args = "V*"
		}
	},
}

var columnRow = &row{
	names: "column",
	opts: "t,table n,table-name=V O,table-order=V N,table-columns=V l,table-columns-limit=V E,table-noextreme=V d,table-noheadings " +
		"e,table-header-repeat H,table-hide=V R,table-right=V T,table-truncate=V W,table-wrap=V L,keep-empty-lines J,json r,tree=V " +
		"i,tree-id=V p,tree-parent=V c,output-width=V o,output-separator=V s,separator=V x,fillrows h,help! V,version!",
	args: "R*",
}

var foldRow = &row{
	names: "fold",
	opts:  "b,bytes s,spaces w,width=V" + gnu, args: "R*", dash: true, style: shellword.Style{Count: true},
}

var expandRow = &row{
	names: "expand",
	opts:  "i,initial t,tabs=V" + gnu, args: "R*", dash: true, style: shellword.Style{Count: true},
}

var unexpandRow = &row{
	names: "unexpand",
	opts:  "a,all first-only t,tabs=V" + gnu, args: "R*", dash: true, style: shellword.Style{Count: true},
}

var fmtRow = &row{
	names: "fmt",
	opts:  "c,crown-margin p,prefix=V s,split-only t,tagged-paragraph u,uniform-spacing w,width=V g,goal=V" + gnu,
	args:  "R*", dash: true, style: shellword.Style{Count: true},
}

var prRow = &row{
	names: "pr",
	opts: "columns=V pages=V a,across c,show-control-chars d,double-space D,date-format=V e,expand-tabs?V F,f,form-feed h,header=V i,output-tabs?V " +
		"J,join-lines l,length=V m,merge n,number-lines?V N,first-line-number=V o,indent=V r,no-file-warnings s,separator?V " +
		"S,sep-string?V t,omit-header T,omit-pagination v,show-nonprinting w,width=V W,page-width=V" + gnu,
	args: "R*", dash: true, style: shellword.Style{Count: true, Plus: true},
}

var md5sumRow = &row{
	names: "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum",
	opts:  "b,binary c,check t,text tag z,zero ignore-missing quiet status strict w,warn l,length=V a,algorithm=V untagged debug" + gnu,
	args:  "R*", dash: true,
	adjust: func(c *Call, p *shellword.Parsed, r *reading) {
		if p.Has("c") {
			r.args = "N*"
		}
	},
}

var sumRow = &row{
	names: "sum",
	opts:  "r s,sysv" + gnu, args: "R*", dash: true,
}

var base64Row = &row{
	names: "base64 base32 basenc",
	opts:  "d,decode i,ignore-garbage w,wrap=V base64 base64url base32 base16 base2msbf base2lsbf z85 base32hex" + gnu, args: "R", dash: true,
}

var numfmtRow = &row{
	names: "numfmt",
	opts:  "debug d,delimiter=V field=V format=V from=V from-unit=V grouping header?V invalid=V padding=V round=V suffix=V to=V to-unit=V z,zero-terminated" + gnu,
	args:  "V*", stdin: true,
}

var tsortRow = &row{
	names: "tsort",
	opts:  "help! version!", args: "R", dash: true,
}

var lookRow = &row{
	names: "look",
	opts:  "a,alternative d,alphanum f,ignore-case t,terminate=V h,help! V,version!", args: "V R",
}

var bcRow = &row{
	names: "bc",
	opts:  "e,expression=V f,file=R h,help! i,interactive l,mathlib q,quiet s,standard w,warn v,V,version!",
	args:  "R*", env: "BC_ENV_ARGS",
}

var lessRow = &row{
	names: "less",
	opts:  lessOptions, args: "R*", dash: true, style: shellword.Style{Digits: true, GoesOn: true}, env: lessEnv + terminalEnv,
	adjust: adjustLess, note: "Reads its key file below the home on its own. On a terminal a person can run commands from it.",
}

var moreRow = &row{
	names: "more",
	opts:  "d,silent f,logical l,no-pause c,print-over p,clean-print e,exit-on-eof s,squeeze u,plain n,lines=V h,help! V,version!",
	args:  "R*", style: shellword.Style{Count: true}, env: "MORE LESSOPEN", adjust: adjustLess,
}

var teeRow = &row{
	names: "tee",
	opts:  "a,append i,ignore-interrupts p output-error?V" + gnu, args: "W*", stdin: true, filter: "some",
	adjust: func(c *Call, p *shellword.Parsed, r *reading) { r.write.OptionSafe = false },
}

const diffOptions = "normal q,brief s,report-identical-files c C=V context?V u U=V unified?V e,ed n,rcs y,side-by-side W,width=V left-column " +
	"suppress-common-lines p,show-c-function F,show-function-line=V label=V L=V t,expand-tabs T,initial-tab tabsize=V suppress-blank-empty " +
	"l,paginate r,recursive no-dereference N,new-file P,unidirectional-new-file ignore-file-name-case no-ignore-file-name-case " +
	"x,exclude=V X,exclude-from=R S,starting-file=V from-file=R:from to-file=R:from i,ignore-case E,ignore-tab-expansion Z,ignore-trailing-space " +
	"b,ignore-space-change w,ignore-all-space B,ignore-blank-lines I,ignore-matching-lines=V a,text strip-trailing-cr D,ifdef=V " +
	"old-group-format=V new-group-format=V unchanged-group-format=V changed-group-format=V line-format=V old-line-format=V " +
	"new-line-format=V unchanged-line-format=V d,minimal horizon-lines=V H,speed-large-files color?V palette=V help! v,version!"

// adjustDiff: two directories are compared file by file, one level deep without
// -r; links are followed unless an option says no. A directory compared with a
// file means the file of that name in it, which the walk holds too.
func adjustDiff(c *Call, p *shellword.Parsed, r *reading) {
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksFollow, MaxDepth: 1, Hidden: true}
	if p.Has("r") {
		walk.MaxDepth = 0
	}
	if p.Has("no-dereference") {
		walk.Links = shellplan.LinksSkip
	}
	r.read.Traversal = walk
	if !p.Has("from") {
		return
	}
	r.args = "R*"
	for i := range p.Opts { // a directory stands for the file in it that has the operand's name
		if u := &p.Opts[i]; u.Spec.Key == "from" && u.Has {
			c.Add(u.Value, shellplan.AccessRead, shellplan.Candidate{Traversal: walk, OptionSafe: true})
		}
	}
}

// lessEnv are the variables of less(1) that name files or programs, or that
// decide whether it takes its output for a terminal and writes a history.
const lessEnv = "LESS LESSCLOSE LESSECHO LESSEDIT LESSGLOBALTAGS LESSHISTFILE LESSHISTSIZE LESSKEY LESSKEYIN LESSKEYIN_SYSTEM LESSKEY_CONTENT LESSKEY_SYSTEM " +
	"LESSMETACHARS LESSMETAESCAPE LESSOPEN LESS_COLUMNS LESS_IS_MORE LESS_LINES LINES COLUMNS "

const lessOptions = "a,search-skip-screen A B b=V c,clear-screen C D=V d,dumb e,quit-at-eof E,QUIT-AT-EOF f,force F,quit-if-one-screen g,hilite-search " +
	"G,HILITE-SEARCH h=V i,ignore-case I,IGNORE-CASE j=V J,status-column k=R K,quit-on-intr L,no-lessopen m,long-prompt M,LONG-PROMPT n,line-numbers " +
	"N,LINE-NUMBERS o,log-file=W O,LOG-FILE=W p,pattern=V P=V q,quiet,silent Q,QUIET,SILENT r,raw-control-chars R,RAW-CONTROL-CHARS s,squeeze-blank-lines " +
	"S,chop-long-lines t=X T=X u U V,version! w,hilite-unread W x,tabs=V X,no-init y=V z,window=V tilde mouse use-color help ? no-keypad"

// lessNumbers are the options of less that take a number. Where none follows,
// less says so and reads the word as a file; --pattern has its own rules.
const lessNumbers = "bhjxyz"

// adjustLess: an operand +x is a command that less runs when it starts.
func adjustLess(c *Call, p *shellword.Parsed, r *reading) {
	for _, o := range p.Operands {
		if len(o.Raw) > 0 && o.Raw[0] == '+' && !o.Safe {
			c.Opaque(shellplan.OpaqueScript, o.Span, "the operand is a command that "+c.Name+" runs when it starts")
		}
	}
	if c.Name == "less" {
		for _, o := range p.Opts {
			if text, known := o.Value.Plain(); o.Has && strings.Contains(lessNumbers, o.Spec.Key) && (!known || !shellword.IsInteger([]byte(text))) {
				c.Opaque(shellplan.OpaqueOption, o.Word.Span, "less reads what follows this option as a file unless it is a number")
			}
		}
		c.home(".lesskey", shellplan.ImplicitDisclosed)
		c.home(".less", shellplan.ImplicitDisclosed)
	}
}

// countsInput: wc of one stream with one count prints a number.
func countsInput(c *Call, p *shellword.Parsed, r *reading) {
	counts := 0
	for i := range p.Opts {
		if k := p.Opts[i].Spec.Key; k != "debug" && k != "total" {
			counts++
		}
	}
	if counts == 1 && len(p.Operands) == 0 {
		c.Printed = &shellword.Output{Kind: shellword.OutputInt}
	}
}
