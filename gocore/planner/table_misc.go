package planner

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Commands that touch no file of their words, and those that run programs.

// terminalEnv are the variables that name descriptions of terminals.
const terminalEnv = "TERMINFO TERMINFO_DIRS TERMCAP"

// terminal adds the description below the home.
func terminal(c *cmd, _ *shellword.Parsed, _ *reading) {
	v := c.variable("TERM")
	if s := string(v.Text); v.Kind == shellword.ValueText && s != "" && !strings.Contains(s, "/") {
		c.home(".terminfo/"+s[:1]+"/"+s, shellplan.ImplicitDisclosed)
	}
}

// responseFiles ends the model where an argument @FILE, anywhere on the command
// line, is replaced by the words of that file before the options are read (GNU
// binutils).
func (c *cmd) responseFiles() {
	for _, a := range c.args {
		may := a.Dyn != nil || a.Set != nil && !a.Set.Prefixed
		switch {
		case len(a.Raw) == 0:
		case a.Mask == nil || !a.Pattern || !shellword.StartsMeta(a.Raw, a.Mask):
			may = a.Raw[0] == '@'
		default:
			may = true
		}
		if may {
			c.opaque(shellplan.OpaqueNames, a.Span, "a word that starts with @ stands for the words of a file")
			if a.Dyn == nil && a.Set == nil && !a.Pattern {
				c.add(a.From(1), shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
			}
		}
	}
}

func init() {
	plain := func(names ...string) {
		add(&row{args: "V*", style: shellword.Style{None: true}}, names...)
	}
	plain("sleep", "factor", "expr", "whoami", "uname", "hostid", "arch", "logname", "groups", "id", "nproc", "tty", "users",
		"cal", "ncal", "getconf", "locale", "kill",
		"which", "whereis", "cd", "umask", "ulimit", "wait", "type", "read", "printenv", "yes")
	add(&row{
		args: "V*", style: shellword.Style{None: true}, env: terminalEnv, adjust: terminal,
		note: "Reads the description of the terminal, one below the home too.",
	}, "tput", "clear", "reset")
	add(&row{args: "V*", style: shellword.Style{None: true}, run: func(c *cmd) { runEcho(c) }}, "echo")
	add(&row{run: runProcesses, note: "Reads the process files of the system."}, "ps", "pgrep", "pidof", "pkill", "killall", "uptime", "free")
	add(&row{run: runPrintf, style: shellword.Style{None: true}}, "printf")
	add(&row{run: runPwd}, "pwd")
	add(&row{run: runTest}, "test", "[")
	add(&row{run: runTrue}, "true")
	add(&row{run: runFalse}, "false")
	add(&row{run: runSeq}, "seq")
	add(&row{run: runBasename}, "basename", "dirname")
	add(&row{
		opts: "d,date=V debug f,file=R I?V iso-8601?V R,rfc-email,rfc-2822 rfc-3339=V resolution r,reference=S s,set=X u,utc,universal,uct" + gnu,
		args: "V*", style: shellword.Style{Plus: true},
		after: func(c *cmd, p *shellword.Parsed, r *reading) {
			if len(c.args) == 1 && string(c.args[0].Raw) == "+%s" {
				c.printed = &shellword.Output{Kind: shellword.OutputInt}
			}
		},
	}, "date")
	add(&row{opts: "F,file=R b,boot a,alias d,domain f,fqdn,long A,all-fqdns i,ip-address I,all-ip-addresses s,short y,yp,nis h,help! V,version!", args: "X*"}, "hostname")
	add(&row{opts: "d,data f,file-system" + gnu, args: "R*", quiet: true}, "sync")

	interpreters := func(versions, what string, names ...string) {
		r := &row{opaque: true, note: what + "; only asking for the version is modelled"}
		r.run = func(c *cmd) { c.interpreter(versions, what) }
		add(r, names...)
	}
	interpreters("--version -V -VV --help -h", "it runs a Python program, which opens what it likes",
		"python", "python2", "python3", "python3.8", "python3.9", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14", "pypy3")
	interpreters("--version -v --help -h", "it runs a JavaScript program, which opens what it likes", "node", "nodejs")
	interpreters("--version -v -V", "it runs a Perl program, which opens what it likes", "perl")
	interpreters("--version -v", "it runs a Ruby program, which opens what it likes", "ruby")
	interpreters("--version -v", "it runs a PHP program, which opens what it likes", "php")
	interpreters("-v", "it runs a Lua program, which opens what it likes", "lua")
	interpreters("--version -v --help", "it runs the rules of a makefile", "make", "gmake")
	interpreters("--version --help -dumpversion -dumpmachine", "the compiler follows #include and runs helpers", "gcc", "g++", "cc", "c++", "clang", "clang++")
	interpreters("version", "the Go tool reads its caches and runs compilers and programs of the tree", "go")
	interpreters("--version -version", "it runs a Java program or compiler", "java", "javac")
	interpreters("--version", "it is an editor, whose commands write and run what they like", "ed", "ex", "vi", "vim", "nvim", "emacs", "nano")
	interpreters("--version", "it runs SQL and its own settings, which can open files and run programs", "sqlite3")
	for what, names := range map[string]string{
		"it runs packages' own code and settings":                           "npm npx yarn pnpm bun deno pip pip3 pipx uv uvx poetry conda gem bundle composer cargo rustc rustup mvn gradle dotnet brew",
		"it runs the tests and the configuration code of the tree":          "pytest py.test tox nox jest vitest mocha rspec phpunit ctest",
		"it runs tools and plug-ins of the tree":                            "cmake ninja meson bazel tsc eslint prettier black ruff mypy flake8 pylint isort pre-commit",
		"it runs a command with other rights":                               "sudo doas su runuser pkexec chroot unshare nsenter setpriv",
		"it runs commands on another machine or in a container":             "ssh scp sftp rsync docker podman kubectl helm terraform ansible",
		"it talks to the network":                                           "curl wget nc ncat telnet ftp",
		"it changes the system":                                             "apt apt-get dpkg yum dnf apk pacman systemctl service mount umount",
		"it runs commands that come from its words or its input":            "parallel watch script expect screen tmux at batch crontab entr",
		"it runs a program of its choice":                                   "man info xdg-open open gdb strace ltrace perf ldd busybox",
		"two programs have this name, and one is a script that runs others": "yq",
	} {
		r := &row{opaque: true, note: what}
		r.run = func(c *cmd) { c.program(what) }
		add(r, strings.Fields(names)...)
	}
	add(&row{
		opts: "p,strip=V i,input=R:i o,output=W R,reverse N,forward E,remove-empty-files d,directory=D f,force t,batch s,quiet,silent u,unified c,context n,normal l,ignore-whitespace " +
			"F,fuzz=V b,backup B,prefix=V z,suffix=V V,version-control=V r,reject-file=W v,version! help! dry-run binary e,ed=X verbose merge?V posix",
		args: "W R", dash: true,
		after: func(c *cmd, p *shellword.Parsed, r *reading) {
			c.opaque(shellplan.OpaqueNames, c.word.Span, "the names of the files to change come from the content of the patch")
			c.effectAny()
		},
	}, "patch")
}

// program is a command whose own accesses no command line shows.
func (c *cmd) program(what string) {
	c.words(c.args)
	c.paths()
	c.opaque(shellplan.OpaqueProgram, c.word.Span, what)
	c.effectAny()
	c.consumes()
	c.p.printUnknown(c.st)
}

// interpreter is a program that runs another one, unless it is only asked for
// its version.
func (c *cmd) interpreter(versions, what string) {
	c.words(c.args)
	c.consumes()
	c.p.printUnknown(c.st)
	if s, ok := shellword.First(c.args); ok && len(c.args) == 1 && strings.Contains(" "+versions+" ", " "+s+" ") {
		return
	}
	span := c.word.Span
	if len(c.args) > 0 {
		span = c.args[0].Span
	}
	c.paths()
	c.opaque(shellplan.OpaqueInterpreter, span, what)
	c.effectAny()
}

// runSeq prints numbers: known when they are few and whole.
func runSeq(c *cmd) {
	c.words(c.args)
	var n []int
	for _, a := range c.args {
		s, ok := a.Plain()
		v, err := strconv.Atoi(s)
		if !ok || err != nil || s != strconv.Itoa(v) {
			c.p.printUnknown(c.st)
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
		c.p.printUnknown(c.st)
		return
	}
	if step <= 0 || to-from > shellword.MaxUnroll*step {
		c.p.printUnknown(c.st)
		return
	}
	var out []byte
	for v := from; v <= to; v += step {
		out = append(strconv.AppendInt(out, int64(v), 10), '\n')
	}
	c.p.print(c.st, shellword.Output{Kind: shellword.OutputText, Text: out})
}

// runBasename is basename and dirname: text in, text out.
func runBasename(c *cmd) {
	c.words(c.args)
	if out, ok := c.nameOfMatch(); ok {
		c.p.print(c.st, out)
		return
	}
	var words []string
	for _, a := range c.args {
		s, ok := a.Plain()
		if !ok || strings.HasPrefix(s, "-") {
			c.p.printUnknown(c.st)
			return
		}
		words = append(words, s)
	}
	if len(words) == 0 || len(words) > 2 || c.name == "dirname" && len(words) > 1 {
		c.p.printUnknown(c.st)
		return
	}
	name := words[0]
	trimmed := strings.TrimRight(name, "/")
	var out string
	switch {
	case name == "":
		if c.name == "dirname" {
			out = "."
		}
	case trimmed == "":
		out = "/"
	case c.name == "basename":
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
	c.p.print(c.st, shellword.Output{Kind: shellword.OutputText, Text: append(bytes.Clone([]byte(out)), '\n')})
}

// nameOfMatch is basename and dirname of one matched name.
func (c *cmd) nameOfMatch() (shellword.Output, bool) {
	args := c.args
	if s, ok := shellword.First(args); ok && s == "--" {
		args = args[1:]
	}
	if len(args) == 0 || len(args) > 2 || args[0].Set == nil || len(args[0].Raw) > 0 || args[0].Dyn != nil || args[0].Set.Resplit {
		return shellword.Output{}, false
	}
	set := args[0].Set
	if c.name == "basename" {
		if len(args) == 2 {
			if s, ok := args[1].Plain(); !ok || s == "" || s[0] == '-' {
				return shellword.Output{}, false
			}
		}
		d := set.Derive(false)
		return shellword.Output{Kind: shellword.OutputDerived, Sets: []*shellword.NameSet{d}}, d != nil && (set.Prefixed || len(args) < len(c.args))
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
func runProcesses(c *cmd) {
	c.words(c.args)
	c.add(shellword.Field{Raw: []byte("/proc"), Span: c.word.Span}, shellplan.AccessRead, shellplan.Candidate{Implicit: shellplan.ImplicitDisclosed, DirOnly: true, OptionSafe: true})
}

// paths adds the words of a command that is not modelled which read like paths:
// whatever the command does with them, a person wants to know where they lead.
func (c *cmd) paths() {
	for _, a := range c.args {
		if a.Dyn != nil || a.Set != nil {
			continue
		}
		f := a
		if len(f.Raw) > 1 && f.Raw[0] == '-' {
			i := bytes.IndexByte(f.Raw, '=')
			if i < 0 {
				continue
			}
			f = f.From(i + 1)
		}
		if len(f.Raw) > 1 && f.Raw[0] == '@' { // curl -d @file
			f = f.From(1)
		}
		if bytes.IndexByte(f.Raw, '/') < 0 || bytes.Contains(f.Raw, []byte("://")) || bytes.ContainsAny(f.Raw, "\n") {
			continue
		}
		c.add(f, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
	}
}
