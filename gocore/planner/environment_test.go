package planner

import (
	"strings"
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/stretchr/testify/assert"
)

// desktop is the environment of a developer's terminal.
const desktop = `SHELL=/bin/bash
TZ=Europe/Paris
LANG=en_US.UTF-8
LC_TIME=fr_FR.UTF-8
LANGUAGE=en_US:en
LESS=-R
PAGER=less
EDITOR=vim
VISUAL=code --wait
GIT_PAGER=delta
GIT_EDITOR=vim
GIT_ASKPASS=/opt/code/askpass.sh
VSCODE_GIT_ASKPASS_NODE=/opt/code/node
GREP_COLORS=mt=01;31
LS_COLORS=di=01;34:ln=01;36
VIRTUAL_ENV=/home/u/w/.venv
PYTHONPATH=/home/u/lib
NODE_PATH=/usr/lib/node_modules
JAVA_HOME=/usr/lib/jvm
LD_LIBRARY_PATH=/usr/local/cuda/lib64
XDG_RUNTIME_DIR=/run/user/1000
XDG_DATA_DIRS=/usr/share
SSH_AUTH_SOCK=/run/user/1000/ssh
DISPLAY=:0
TERM=xterm-256color
COLORTERM=truecolor
TMPDIR=/tmp
USER=u
LOGNAME=u
SHLVL=1
OLDPWD=/home/u
CI=true
PS1=$(git branch) \w $
PROMPT_COMMAND=history -a
HISTCONTROL=ignoreboth
NVM_DIR=/home/u/.nvm
CARGO_HOME=/home/u/.cargo
GOPATH=/home/u/go
XZ_DEFAULTS=-T0
MANPATH=:/usr/share/man
PATH=/home/u/.local/bin:/usr/local/bin:/usr/bin:/bin`

var everyday = []string{
	"cat a.txt", "ls -la", "grep -rn foo src | head", "sed -n 1,5p a.txt", "sed -i s/a/b/ a.txt", "find . -name '*.go' | sort", "head -n 3 *.txt", "wc -l < a",
	"tail -5 log", "nl -ba a | sed -n 1,3p", "rm -f x", "mkdir -p a/b && touch a/b/c", "cp a b && mv b c", "git status --short", "git diff | head", "git log --oneline -3",
	"stat a.txt", "date +%Y", "du -sh .", "diff a b", "sort -u a > b", "cut -d: -f1 a", "tar czf o.tgz src", "xz -k a", "awk '{print $1}' a", "jq . a.json", "echo hi > x",
	"cd src && cat a.txt", "for f in *.md; do wc -l \"$f\"; done", "echo \"$(wc -l < a)\"", "cat <<'E' > x\nhi\nE", "less -FX a", "env | sort", "which git; type ls",
	"timeout 5 cat a", "bash -c 'cat a'", "set -euo pipefail; cat a", "test -f a && echo yes", "xargs -0 cat < /dev/null", "python3 --version",
}

// A usual environment is no reason to ask: only a variable that leads a command
// outside its words is.
func TestAUsualEnvironmentIsNoReason(t *testing.T) {
	env := map[string]string{"HOME": "/home/u"}
	for line := range strings.SplitSeq(desktop, "\n") {
		name, v, _ := strings.Cut(line, "=")
		env[name] = v
	}
	for _, complete := range []bool{true, false} {
		for _, text := range everyday {
			o := options(shellplan.DialectBash)
			o.Env, o.EnvComplete = env, complete
			p := Build(text, o)
			for _, reason := range reasons(p) {
				if reason.Code == shellplan.OpaqueEnvironment || reason.Code == shellplan.OpaqueShadowed {
					assert.Fail(t, "a reason", "%q: %s %s", text, reason.Word, reason.Detail)
				}
			}
		}
	}
}

func reasons(p *shellplan.Plan) []shellplan.Opaque {
	out := append([]shellplan.Opaque{}, p.Opaque...)
	for i := range p.Segments {
		out = append(out, p.Segments[i].Opaque...)
	}
	for i := range p.Nested {
		out = append(out, reasons(&p.Nested[i].Plan)...)
	}
	return out
}

// A variable that does lead outside is one, whoever sets it.
func TestVariablesThatLeadOutside(t *testing.T) {
	for name, tc := range map[string]struct {
		env  map[string]string
		text string
		word string // empty for no reason
	}{
		"a zone file":               {nil, "TZ=/etc/passwd date", "TZ"},
		"a zone file for cat":       {nil, "TZ=/etc/passwd cat a", ""},
		"a zone":                    {nil, "TZ=UTC date", ""},
		"preload in the text":       {nil, "LD_PRELOAD=./x.so cat a", "LD_PRELOAD"},
		"preload exported":          {nil, "export LD_PRELOAD=/x.so; cat a", "LD_PRELOAD"},
		"preload not exported":      {nil, "LD_PRELOAD=/x.so; cat a", ""},
		"relative preload":          {map[string]string{"LD_PRELOAD": "x.so"}, "cat a", "LD_PRELOAD"},
		"cleared too late":          {map[string]string{"LD_PRELOAD": "x.so"}, "env -i cat a", "LD_PRELOAD"},
		"tar options":               {map[string]string{"TAR_OPTIONS": "--to-command=x"}, "tar xf a", "TAR_OPTIONS"},
		"tar options for cat":       {map[string]string{"TAR_OPTIONS": "--to-command=x"}, "cat a", ""},
		"lesspipe":                  {map[string]string{"LESSOPEN": "|lesspipe %s"}, "less a", "LESSOPEN"},
		"a pager of the text":       {nil, "GIT_PAGER='touch x' git log", "GIT_PAGER"},
		"cat as a pager":            {nil, "GIT_PAGER=cat git log", ""},
		"another repository":        {map[string]string{"GIT_DIR": "/x"}, "git log", "GIT_DIR"},
		"a relative PATH entry":     {map[string]string{"PATH": "bin:/usr/bin"}, "cat a", "cat"},
		"an empty PATH entry":       {map[string]string{"PATH": "/usr/bin:"}, "cat a", "cat"},
		"PATH of the text":          {nil, "PATH=$PWD/bin:$PATH cat a", "cat"},
		"PATH of the system":        {nil, "PATH=/usr/bin:/bin cat a", ""},
		"an imported function":      {map[string]string{"BASH_FUNC_cat%%": "() { x; }"}, "cat a", "cat"},
		"an imported function, dir": {map[string]string{"BASH_FUNC_cat%%": "() { x; }"}, "/bin/cat a", ""},
		"BASH_ENV":                  {map[string]string{"BASH_ENV": "/x"}, "cat a", "BASH_ENV"},
		"BASH_ENV below":            {nil, "BASH_ENV=/x bash -c 'cat a'", "BASH_ENV"},
		"BASH_ENV above dash":       {nil, "BASH_ENV=/x dash -c 'cat a'", ""},
		"posix rules":               {nil, "POSIXLY_CORRECT=1 cat a", "POSIXLY_CORRECT"},
		"a traced substitution":     {map[string]string{"PS4": "$(x)"}, "set -x; cat a", "-x"},
		"no trace":                  {map[string]string{"PS4": "$(x)"}, "cat a", ""},
		"a backup suffix":           {map[string]string{"SIMPLE_BACKUP_SUFFIX": "/../x"}, "cp -b a b", "SIMPLE_BACKUP_SUFFIX"},
		"a backup suffix, unused":   {map[string]string{"SIMPLE_BACKUP_SUFFIX": "/../x"}, "cp a b", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(shellplan.DialectBash)
			for k, v := range tc.env {
				o.Env[k] = v
			}
			var words []string
			for _, r := range reasons(Build(tc.text, o)) {
				words = append(words, string(r.Word))
			}
			if tc.word == "" {
				assert.Empty(t, words)
			} else {
				assert.Contains(t, words, tc.word)
			}
		})
	}
}
