package command

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Commands that touch no file of their words, and those that run programs.

// terminalEnv are the variables that name descriptions of terminals.
const terminalEnv = "TERMINFO TERMINFO_DIRS TERMCAP"

// terminal adds the description below the home.
func terminal(c *Call, _ *shellword.Parsed, _ *reading) {
	v := c.Variable("TERM")
	if s := string(v.Text); v.Kind == shellword.ValueText && s != "" && !strings.Contains(s, "/") {
		c.home(".terminfo/"+s[:1]+"/"+s, shellplan.ImplicitDisclosed)
	}
}

// responseFiles ends the model where an argument @FILE, anywhere on the command
// line, is replaced by the words of that file before the options are read (GNU
// binutils).
func (c *Call) responseFiles() {
	for _, a := range c.Args {
		may := a.Dyn != nil || a.Set != nil && !a.Set.Prefixed
		switch {
		case len(a.Raw) == 0:
		case a.Mask == nil || !a.Pattern || !shellword.StartsMeta(a.Raw, a.Mask):
			may = a.Raw[0] == '@'
		default:
			may = true
		}
		if may {
			c.Opaque(shellplan.OpaqueNames, a.Span, "a word that starts with @ stands for the words of a file")
			if a.Dyn == nil && a.Set == nil && !a.Pattern {
				c.Add(a.From(1), shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
			}
		}
	}
}

var tputRow = &row{
	names: "tput clear reset",
	args:  "V*", style: shellword.Style{None: true}, env: terminalEnv, adjust: terminal,
	note: "Reads the description of the terminal, one below the home too.",
}

var echoRow = &row{
	names: "echo",
	args:  "V*", style: shellword.Style{None: true}, run: asBuiltin,
}

var psRow = &row{
	names: "ps pidof killall uptime free",
	run:   runProcesses, note: "Reads the process files of the system.",
}

var pgrepRow = &row{
	names: "pgrep pkill",
	opts: "d,delimiter=V l,list-name a,list-full v,inverse w,lightweight c,count f,full g,pgroup=V G,group=V i,ignore-case n,newest o,oldest O,older=V " +
		"P,parent=V s,session=V signal=V t,terminal=V u,euid=V U,uid=V x,exact F,pidfile=R L,logpidfile r,runstates=V A,ignore-ancestors Q,shell-quote cgroup=V ns=V nslist=V " +
		"q,queue=V e,echo H,require-handler m,mrelease env=V h,help! V,version!",
	args: "V*", style: shellword.Style{Digits: true},
	run: func(c *Call, r *row) {
		c.Args = withoutSignal(c.Args)
		if c.standard(r) {
			c.processes()
		}
		c.PrintUnknown()
	},
	note: "Reads the process files of the system.",
}

// withoutSignal leaves out the first word that names a signal (`pkill -HUP`).
func withoutSignal(args []shellword.Field) []shellword.Field {
	for i, a := range args {
		s, ok := a.Plain()
		name := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "SIG")
		if ok && strings.HasPrefix(s, "-") && slices.Contains(signals, name) {
			return slices.Concat(args[:i], args[i+1:])
		}
	}
	return args
}

// signals are the names that kill -l lists.
var signals = strings.Fields("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH POLL PWR SYS")

var usersRow = &row{
	names: "users",
	opts:  "help! version!", args: "R", note: "Reads the system's list of sessions unless a file is named.",
}

var printfRow = &row{
	names: "printf",
	run:   asBuiltin, style: shellword.Style{None: true},
}

var pwdRow = &row{
	names: "pwd",
	run:   asBuiltin,
}

var testRow = &row{
	names: "test [",
	run:   asBuiltin,
}

var trueRow = &row{
	names: "true",
	run:   asBuiltin,
}

var falseRow = &row{
	names: "false",
	run:   asBuiltin,
}

var seqRow = &row{
	names: "seq",
	run:   runSeq,
}

var basenameRow = &row{
	names: "basename dirname",
	run:   runBasename,
}

var dateRow = &row{
	names: "date",
	opts:  "d,date=V debug f,file=N I?V iso-8601?V R,rfc-email,rfc-2822 rfc-3339=V resolution r,reference=S s,set=X u,utc,universal,uct" + gnu,
	args:  "V*", style: shellword.Style{Plus: true},
	adjust: func(c *Call, p *shellword.Parsed, r *reading) { c.dated(p, "d") },
	after: func(c *Call, p *shellword.Parsed, r *reading) {
		if len(c.Args) == 1 && string(c.Args[0].Raw) == "+%s" {
			c.Printed = &shellword.Output{Kind: shellword.OutputInt}
		}
	},
}

var hostnameRow = &row{
	names: "hostname",
	opts:  "F,file=R b,boot a,alias d,domain f,fqdn,long A,all-fqdns i,ip-address I,all-ip-addresses s,short y,yp,nis h,help! V,version!", args: "X*",
}

var syncRow = &row{
	names: "sync",
	opts:  "d,data f,file-system" + gnu, args: "R*", quiet: true,
}

var patchRow = &row{
	names: "patch",
	opts: "p,strip=V i,input=R:i o,output=W R,reverse N,forward E,remove-empty-files d,directory=D f,force t,batch s,quiet,silent u,unified c,context n,normal l,ignore-whitespace " +
		"F,fuzz=V b,backup B,prefix=V z,suffix=V V,version-control=V r,reject-file=W v,version! help! dry-run binary e,ed=X verbose merge?V posix",
	args: "W R", dash: true,
	after: func(c *Call, p *shellword.Parsed, r *reading) {
		c.Opaque(shellplan.OpaqueNames, c.Word.Span, "the names of the files to change come from the content of the patch")
		c.EffectAny()
	},
}

var plainRow = &row{
	names: "sleep factor expr whoami uname hostid arch logname groups id nproc tty cal ncal getconf locale kill " +
		"which cd umask ulimit type read printenv yes",
	args: "V*", style: shellword.Style{None: true},
}

var (
	pythonRow  = interpreter("python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy3", "--version -V -VV --help -h", "it runs a Python program, which opens what it likes")
	nodeRow    = interpreter("node nodejs", "--version -v --help -h", "it runs a JavaScript program, which opens what it likes")
	perlRow    = interpreter("perl", "--version -v -V", "it runs a Perl program, which opens what it likes")
	rubyRow    = interpreter("ruby", "--version -v", "it runs a Ruby program, which opens what it likes")
	phpRow     = interpreter("php", "--version -v", "it runs a PHP program, which opens what it likes")
	luaRow     = interpreter("lua", "-v", "it runs a Lua program, which opens what it likes")
	makeRow    = interpreter("make gmake", "--version -v --help", "it runs the rules of a makefile")
	gccRow     = interpreter("gcc g++ cc c++ clang clang++", "--version --help -dumpversion -dumpmachine", "the compiler follows #include and runs helpers")
	goRow      = interpreter("go", "version", "the Go tool reads its caches and runs compilers and programs of the tree")
	javaRow    = interpreter("java javac", "--version -version", "it runs a Java program or compiler")
	edRow      = interpreter("ed ex vi vim nvim emacs nano", "--version", "it is an editor, whose commands write and run what they like")
	sqlite3Row = interpreter("sqlite3", "--version", "it runs SQL and its own settings, which can open files and run programs")
)

// interpreter is a row of a program that runs another one; versions are the
// words that only ask which version it is.
func interpreter(names, versions, what string) *row {
	return &row{
		names: names, opaque: true, note: what + "; only asking for the version is modelled",
		run: func(c *Call, _ *row) { c.interpreter(versions, what) },
	}
}

var (
	npmRow      = program("npm npx yarn pnpm bun deno pip pip3 pipx uv uvx poetry conda gem bundle composer cargo rustc rustup mvn gradle dotnet brew", "it runs packages' own code and settings", shellplan.NeedNothing)
	pytestRow   = program("pytest py.test tox nox jest vitest mocha rspec phpunit ctest", "it runs the tests and the configuration code of the tree", shellplan.NeedNothing)
	cmakeRow    = program("cmake ninja meson bazel tsc eslint prettier black ruff mypy flake8 pylint isort pre-commit", "it runs tools and plug-ins of the tree", shellplan.NeedNothing)
	sudoRow     = program("sudo doas su runuser pkexec chroot unshare nsenter setpriv", "it runs a command with other rights", shellplan.NeedRights)
	sshRow      = program("ssh scp sftp rsync docker podman kubectl helm terraform ansible", "it runs commands on another machine or in a container", shellplan.NeedService)
	curlRow     = program("curl wget nc ncat telnet ftp", "it talks to the network", shellplan.NeedNetwork)
	aptRow      = program("apt apt-get dpkg yum dnf apk pacman systemctl service mount umount", "it changes the system", shellplan.NeedService)
	parallelRow = program("parallel watch script expect screen tmux at batch crontab entr", "it runs commands that come from its words or its input", shellplan.NeedNothing)
	whereisRow  = program("whereis", "it lists the directories of PATH, MANPATH and the system, and those of its words", shellplan.NeedNothing)
	bsdtarRow   = program("bsdtar bsdcpio bsdcat bsdunzip", "it reads its words in a way that is not modelled (@ARCHIVE, -H, -s)", shellplan.NeedNothing)
	manRow      = program("man info xdg-open open gdb strace ltrace perf ldd busybox", "it runs a program of its choice", shellplan.NeedNothing)
	yqRow       = program("yq", "two programs have this name, and one is a script that runs others", shellplan.NeedNothing)
)

// program is a row of a command whose own accesses no command line shows.
func program(names, what string, needs shellplan.Need) *row {
	return &row{names: names, opaque: true, note: what, run: func(c *Call, _ *row) { c.program(what, needs) }}
}

// program is a command whose own accesses no command line shows.
func (c *Call) program(what string, needs shellplan.Need) {
	c.Words(c.Args)
	c.paths()
	c.needing(needs, c.Word.Span, what)
	c.EffectAny()
	c.Consumes()
	c.PrintUnknown()
}

// interpreter is a program that runs another one, unless it is only asked for
// its version.
func (c *Call) interpreter(versions, what string) {
	c.Words(c.Args)
	c.Consumes()
	c.PrintUnknown()
	if s, ok := shellword.First(c.Args); ok && len(c.Args) == 1 && strings.Contains(" "+versions+" ", " "+s+" ") {
		return
	}
	if strings.HasPrefix(c.Name, "python") && c.isOwn() {
		return
	}
	span := c.Word.Span
	if len(c.Args) > 0 {
		span = c.Args[0].Span
	}
	c.paths()
	c.Opaque(shellplan.OpaqueInterpreter, span, what)
	c.EffectAny()
}

// runSeq prints numbers: known when they are few and whole.
func runSeq(c *Call, r *row) {
	c.Words(c.Args)
	var n []int
	for _, a := range c.Args {
		s, ok := a.Plain()
		v, err := strconv.Atoi(s)
		if !ok || err != nil || s != strconv.Itoa(v) {
			c.PrintUnknown()
			return
		}
		n = append(n, v)
	}
	from, step, to := 1, 1, 0
	switch len(n) {
	case 1:
		to = n[0]
	case 2:
		from, to = n[0], n[1]
	case 3:
		from, step, to = n[0], n[1], n[2]
	default:
		c.PrintUnknown()
		return
	}
	if step <= 0 || to-from > shellword.MaxUnroll*step {
		c.PrintUnknown()
		return
	}
	var out []byte
	for v := from; v <= to; v += step {
		out = append(strconv.AppendInt(out, int64(v), 10), '\n')
	}
	c.Print(shellword.Output{Kind: shellword.OutputText, Text: out})
}

// runBasename is basename and dirname: text in, text out.
func runBasename(c *Call, r *row) {
	c.Words(c.Args)
	if out, ok := c.nameOfMatch(); ok {
		c.Print(out)
		return
	}
	var words []string
	for _, a := range c.Args {
		s, ok := a.Plain()
		if !ok || strings.HasPrefix(s, "-") {
			c.PrintUnknown()
			return
		}
		words = append(words, s)
	}
	if len(words) == 0 || len(words) > 2 || c.Name == "dirname" && len(words) > 1 {
		c.PrintUnknown()
		return
	}
	name := words[0]
	trimmed := strings.TrimRight(name, "/")
	var out string
	switch {
	case name == "":
		if c.Name == "dirname" {
			out = "."
		}
	case trimmed == "":
		out = "/"
	case c.Name == "basename":
		out = trimmed[strings.LastIndexByte(trimmed, '/')+1:]
		if len(words) == 2 && out != words[1] {
			out = strings.TrimSuffix(out, words[1])
		}
	default:
		i := strings.LastIndexByte(trimmed, '/')
		switch out = strings.TrimRight(trimmed[:max(i, 0)], "/"); {
		case i < 0:
			out = "."
		case out == "":
			out = "/"
		}
	}
	c.Print(shellword.Output{Kind: shellword.OutputText, Text: append(bytes.Clone([]byte(out)), '\n')})
}

// nameOfMatch is basename and dirname of one matched name.
func (c *Call) nameOfMatch() (shellword.Output, bool) {
	args := c.Args
	if s, ok := shellword.First(args); ok && s == "--" {
		args = args[1:]
	}
	if len(args) == 0 || len(args) > 2 || args[0].Set == nil || len(args[0].Raw) > 0 || args[0].Dyn != nil || args[0].Set.Resplit {
		return shellword.Output{}, false
	}
	set := args[0].Set
	if c.Name == "basename" {
		if len(args) == 2 {
			if s, ok := args[1].Plain(); !ok || s == "" || s[0] == '-' {
				return shellword.Output{}, false
			}
		}
		d := set.Derive(false)
		return shellword.Output{Kind: shellword.OutputDerived, Sets: []*shellword.NameSet{d}}, d != nil && (set.Prefixed || len(args) < len(c.Args))
	}
	d := set.Derive(true)
	if d == nil || len(args) > 1 || !set.Prefixed {
		return shellword.Output{}, false
	}
	dir := bytes.TrimRight(d.Dir, "/")
	switch {
	case len(d.Dir) == 0:
		dir = []byte(".")
	case len(dir) == 0:
		dir = []byte("/")
	}
	return shellword.Output{Kind: shellword.OutputText, Text: append(bytes.Clone(dir), '\n')}, true
}

// runProcesses is a command that looks at processes and at nothing its words
// name.
func runProcesses(c *Call, r *row) {
	c.Words(c.Args)
	c.processes()
}

func (c *Call) processes() {
	c.Add(shellword.Field{Raw: []byte("/proc"), Span: c.Word.Span}, shellplan.AccessRead, shellplan.Candidate{Implicit: shellplan.ImplicitDisclosed, DirOnly: true, OptionSafe: true})
}

// needing adds the reason of a program that needs what a sandbox takes away.
func (c *Call) needing(needs shellplan.Need, span shellplan.Span, what string) {
	why := c.Why(shellplan.OpaqueProgram, span, what)
	why.Needs = needs
	c.AddReason(*why)
}
