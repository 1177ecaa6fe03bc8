package planner

import (
	"strings"
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/stretchr/testify/assert"
)

func TestOptions(t *testing.T) {
	table{
		"head -n 1 -c2 -5 --lines=3 --by 4 a":          "head read(a)",
		"head --nosuch a":                              "head read(a) !option",
		"grep -f../p a":                                "grep read(../p) read(a)",
		"grep -nf../p a":                               "grep read(../p) read(a)",
		"grep --fil=p a; sort --o=b a":                 "grep\nsort write(b) read(a)",
		"du --ex=x a; grep -f p --fil=q a":             "du read/(a) !option\ngrep read(p) read(a) !option",
		"grep -f p --version; sed -e 'w p' --help":     "grep read(p)\nsed write(p)",
		"grep --exclude-f=p -r x d":                    "grep read(p) read/(d)",
		"grep x -- -f a":                               "grep read(-f) read(a)",
		"grep -e x -e y a":                             "grep read(a)",
		"grep \"$(x)\" a":                              "x ^any !commandUnknown\ngrep read(a) !dynamic",
		"grep -e \"$(x)\" a":                           "x ^any !commandUnknown\ngrep read(a)",
		"grep -- \"$(x)\" a":                           "x ^any !commandUnknown\ngrep read(a)",
		"grep -r x; grep -R x d; grep -d recurse x d":  "grep\ngrep read/(d)\ngrep read/(d)",
		"sort a -o../b":                                "sort write(../b) read(a)",
		"sort '\\-o' b":                                "sort read(\\-o) read(b)",
		"sort \\-o b a":                                "sort write(b) read(a)",
		"sort --compress-program=x a":                  "sort read(a) ^any !program",
		"uniq a b":                                     "uniq read(a) write(b)",
		"uniq *":                                       "uniq read*(*) write*(*) stat-*(*)",
		"wc --files0-from=l":                           "wc read(l) !names",
		"tail -f -n +2 a":                              "tail read(a)",
		"cat --help; cat a --help":                     "cat\ncat read(a)",
		"cat - a":                                      "cat read(a)",
		"comm a -":                                     "comm read(a)",
		"ls; ls -d */; ls -l a; ls -R b":               "ls\nls stat-*(*/)\nls read-(a)\nls read/(b)",
		"cp a b c; cp -t d a; cp -r a b; cp -P a b":    "cp read(a) read(b) write>(c)\ncp read(a) write>(d)\ncp read-/(a) tree/>(b) ^copy\ncp read-(a) write>(b) entry>(b) ^copy",
		"cp *.c d; cp a *":                             "cp read*(*.c) write>(d)\ncp read(a) read*(*) !role",
		"mv a b; mv a b d; mv -T a b":                  "mv entry(a) entry>(b) ^remove ^move\nmv entry(a) entry(b) entry>(d) ^remove ^remove ^move\nmv entry(a) entry(b) ^remove ^move",
		"ln -s a b; ln a b; ln -s a":                   "ln entry>(b) ^link\nln read-(a) entry>(b) ^copy\nln entry>(.) ^link",
		"install -d a; install a b; install -s a b":    "install write(a) entry(a)\ninstall read(a) entry>(b) ^replace\ninstall read(a) entry>(b) ^replace !program",
		"rm -rf a b; rm c; rmdir -p a/b/c":             "rm entry/(a) entry/(b) ^remove ^remove\nrm entry(c) ^remove\nrmdir entry(a/b/c) entry(a/b) entry(a) ^remove",
		"mkdir -p a/b; touch -h a b; touch -r a b":     "mkdir entry(a/b)\ntouch entry(a) entry(b)\ntouch stat(a) write(b)",
		"chmod -x a; chmod 644 a; chmod -R u+w d":      "chmod write(a)\nchmod write(a)\nchmod write/(d)",
		"chown u a; chown -h u a; chown -R u d":        "chown write(a)\nchown entry(a)\nchown write/(d)",
		"dd if=a of=b bs=1; dd *":                      "dd read(a) write(b)\ndd !role",
		"tee a -a b":                                   "tee write(a) write(b)",
		"split a b; split":                             "split read(a) write(beside:baa+b*)\nsplit write(beside:xaa+x*)",
		"tar czf a -C b c d":                           "tar write(a) read(b) read-/(b:c) read-/(b:d)",
		"tar xf a -C b; tar tf a; tar xPf a":           "tar read(a) read(b) ^tree\ntar read(a)\ntar read(a) ^tree !option",
		"tar xf h:a; tar x --to-command=c -f a":        "tar ^tree !program\ntar read(a) ^any ^tree !program",
		"gzip a; gzip -c a; gunzip a.gz":               "gzip read(a) entry(a) entry(a+.gz) ^remove\ngzip read(a)\ngunzip read(a.gz) read(a.gz+.gz+.gz+.z+-gz+-z+_z+.Z+.bz2+.bz+.xz+.lzma+.zst) entry(a.gz) entry(a) ^remove",
		"diff a b; diff -r a b":                        "diff read/(a) read/(b)\ndiff read/(a) read/(b)",
		"rg -f p x y; rg --pre c x":                    "rg read(p) read/(x) read/(y)\nrg ^any !program",
		"jq . a; jq -f p a; jq 'import \"m\" as m; .'": "jq read(a)\njq read(p) read(a)\njq !script",
		"date -r a; date -f a; date -s x":              "date stat(a)\ndate read(a) !names\ndate !option",
		"file -f l; file a; file -C":                   "file read(l) !names\nfile read(a)\nfile",
		"nosuch a/b -x=/c":                             "nosuch read(a/b) read(/c) ^any !commandUnknown",
		"python3 --version; python3 a/b.py":            "python3\npython3 read(a/b.py) ^any !interpreter",
		"sudo cat /x; make; npm test":                  "sudo read(/x) ^any !program\nmake ^any !interpreter\nnpm ^any !program",
	}.run(t)
}

func TestWrappers(t *testing.T) {
	table{
		"env X=1 nice -n 3 timeout -s KILL 5 cat a": "cat read(a)",
		"env -i PATH=/usr/bin cat a":                "cat read(a)",
		"env PATH=. cat a":                          "cat read(a) ^any !shadowed",
		"env -S 'cat a b'":                          "cat read(a) read(b)",
		"env -S 'cat \"a\"'":                        "env !construct",
		"env":                                       "env",
		"nohup cat a > b; stdbuf -oL cat a":         "cat write(b) read(a)\ncat read(a)",
		"command -v x; command cat a":               "command\ncat read(a)",
		"timeout $(x) cat a":                        "x ^any !commandUnknown\ncat read(a) ^any !dynamic !role",
		"xargs cat":                                 "cat !names",
		"xargs -a l cat":                            "cat read(l) !names",
		"echo a b | xargs -n1 cat":                  "echo\ncat read(a) read(b)",
		"echo a | xargs -I{} cp {} d/{}":            "echo\ncp read(a) write>(d/a)",
		"printf 'a\\0b' | xargs -0 rm":              "printf\nrm entry(a) entry(b) ^remove ^remove",
		"find . -name '*.c' | xargs wc":             "find read-/(.)\nwc read?(.) read/?(.)",
		"find . -type f -print0 | xargs -0 rm":      "find read-/(.)\nrm entry/(.) ^remove",
		"ls d | xargs -I{} cat d/{}":                "ls read(d)\ncat read*?(d/*) read?(d/d)",
		"ls | xargs rm":                             "ls\nrm !dynamic",
		"grep -rl x s | sort | xargs cat":           "grep read/(s)\nsort\ncat read/?(s)",
		"grep -rl x | xargs cat":                    "grep\ncat !names",
		"find s -exec cat {} \\;":                   "find read(s) read/(s) read-/(s)",
		"find s -type f -exec rm {} +":              "find entry/(s) read-/(s) ^remove",
		"find s -delete":                            "find read-/(s) entry/(s) ^remove",
		"find s -exec sh -c 'cat \"$1\"' _ {} \\;":  "find read-/(s)\n0 sh -c{cat !dynamic}",
		"find s -nosuch":                            "find read-/(s) !option",
		"find -files0-from l":                       "find read(l) !names",
		"find -L s -fprint o -newer n":              "find write(o) stat(n) read/(s)",
		"bash -c 'cat $1 $0' a b":                   "bash\n0 bash -c{cat read(b) read(a)}",
		"x=1; export y=2; bash -c 'cat $x$y'":       "bash\n0 bash -c{cat read(2)}",
		"bash -O dotglob -c 'cat *'":                "bash\n0 bash -c{cat read*(*)}",
		"bash f; bash -n f; bash -i":                "bash read(f) ^any !program\nbash read(f)\nbash ^any !option",
		"sh -c 'cat [!a]'":                          "sh\n0 sh -c{cat read*([!a])}",
		"bash -c 'bash -c \"cat a\"'":               "bash\n0 bash -c{bash\n0 bash -c{cat read(a)}}",
		"f() { cat x; }; bash -c f":                 "bash\n0 bash -c{f ^any !commandUnknown}",
		"f() { cat x; }; export -f f; bash -c f":    "bash !shadowed\n0 bash -c{f ^any !commandUnknown}",
	}.run(t)
}

func TestGit(t *testing.T) {
	for text, want := range map[string]string{
		"git status":                 "gitDir:tree workTree:read",
		"git log":                    "gitDir:read upward:read",
		"git log -p":                 "gitDir:read workTree:read",
		"git checkout x":             "gitDir:tree workTree:tree",
		"git clean -n":               "gitDir:read workTree:read",
		"git stash list":             "gitDir:read",
		"git branch -a":              "gitDir:read",
		"git branch new":             "gitDir:tree",
		"git tag -l":                 "gitDir:read",
		"git commit -m x":            "gitDir:tree workTree:read",
		"git commit":                 "gitDir:tree workTree:read !program",
		"git commit --no-edit":       "gitDir:tree workTree:read",
		"git push":                   "!program",
		"git co":                     "!commandUnknown",
		"git -c core.pager=x log":    "gitDir:read upward:read !option",
		"git -c color.ui=never log":  "gitDir:read upward:read",
		"git --git-dir=x log":        "!option",
		"git diff --ext-diff":        "gitDir:tree workTree:read !program",
		"git diff --output=x":        "write gitDir:tree workTree:read",
		"git grep -O x":              "gitDir:read workTree:read !program",
		"git config --global -l":     "read read gitDir:read",
		"git config core.editor x":   "gitDir:tree !option",
		"git config user.name x":     "gitDir:tree",
		"git config user.name":       "gitDir:read",
		"git apply -":                "gitDir:tree workTree:tree",
		"git worktree add ../x":      "tree gitDir:tree",
		"git --version; git version": "",
	} {
		t.Run(text, func(t *testing.T) {
			s := Build(text, options(shellplan.DialectBash)).Segments[0]
			var got []string
			for _, c := range s.Candidates {
				switch {
				case c.Kind != shellplan.KindWord:
					got = append(got, c.Kind.String()+":"+c.Access.String())
				case c.Implicit == shellplan.Explicit:
					got = append(got, c.Access.String())
				}
			}
			for _, o := range s.Opaque {
				got = append(got, "!"+o.Code.String())
			}
			assert.Equal(t, want, strings.Join(got, " "))
			if strings.Contains(want, "gitDir") {
				assert.Len(t, s.Checks, 1, "hooks and settings are looked at")
			}
		})
	}
}
