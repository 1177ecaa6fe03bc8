package command

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Own is the name of this runtime's own command: what a page tells a model to run
// must not be a command that nobody knows.
const Own = "hydra-harness-runtime"

var ownRow = &row{
	names: Own,
	run:   runOwn, env: "HYDRA_HARNESS_RUNTIME",
	note: "`grep`, `glob`, `spill read` and `spill stat` of a whole path, `version`; what the others do is not modelled. " +
		"A result that does not fit is saved in the runtime's own folder.",
}

// isOwn reads `python -I -m hydra_harness_runtime`. Without -I or -P Python takes its
// modules from the working directory first, where anybody may have put one.
func (c *Call) isOwn() bool {
	args := c.Args
	for alone := false; len(args) > 0; args = args[1:] {
		switch s, _ := args[0].Plain(); {
		case s == "-I", s == "-P":
			alone = true
		case s == "-m" && alone && len(args) > 1:
			if module, _ := args[1].Plain(); module != "hydra_harness_runtime" {
				return false
			}
			c.Name, c.Args = Own, args[2:]
			c.steered(ownRow)
			runOwn(c, ownRow)
			return true
		default:
			return false
		}
	}
	return false
}

func runOwn(c *Call, _ *row) {
	c.ownSettings()
	sub, _ := shellword.First(c.Args)
	below := ""
	if len(c.Args) > 1 {
		below, _ = c.Args[1].Plain()
	}
	switch {
	case len(c.Args) == 1 && (sub == "version" || sub == "--version" || sub == "help" || sub == "--help" || sub == "-h"):
		c.PrintUnknown()
	case sub == "grep" || sub == "glob":
		c.Args = c.Args[1:]
		c.ownSearch(sub)
		c.Entitle(Own + " " + sub)
	case sub == "spill" && (below == "read" || below == "stat"):
		c.Args = c.Args[2:]
		c.ownRead()
		c.Entitle(Own + " " + sub + " " + below)
	default:
		c.program("of "+Own+" only the searches and the reading of saved results are modelled", shellplan.NeedNothing)
	}
}

// ownSettings ends the model where the text itself says where the settings and the
// saved results lie, or steers the Python that starts the runtime.
func (c *Call) ownSettings() {
	for _, v := range c.Exported() {
		if !v.Inherited && (v.Name == "HOME" || v.Name == "XDG_STATE_HOME" || strings.HasPrefix(v.Name, "PYTHON")) {
			c.environment(v.Name)
		}
	}
}

// ownRead reads `spill read` and `spill stat`. A whole path names its own folder;
// a short name is looked up in one that the text does not name.
func (c *Call) ownRead() {
	p := c.Parse(shellword.OptionsOf("root=S owner=V config=X json?V offset=V limit=V line=V lines=V ripgrep=P h,help!", false), shellword.Style{})
	c.PrintUnknown()
	if !c.ownOptions(&p) {
		return
	}
	for _, o := range p.Operands {
		if o.Dyn == nil && o.Set == nil && !bytes.HasPrefix(o.Raw, []byte("/")) {
			c.Opaque(shellplan.OpaqueNames, o.Span, "the folder of a saved result's short name is not known; the path that the page names is")
			continue
		}
		c.Add(o.Field, shellplan.AccessRead, shellplan.Candidate{OptionSafe: o.Safe})
	}
}

// ownOptions reads the values of options by their roles. It reports whether the
// operands are to be read.
func (c *Call) ownOptions(p *shellword.Parsed) bool {
	if p.Failed {
		c.EffectAny()
	}
	if p.Exits {
		return false
	}
	for i := range p.Opts {
		if u := &p.Opts[i]; u.Has {
			c.role(u.Spec.Role, u.Value, true, &reading{}, u.Word)
		}
	}
	return true
}

// ownSearch reads `grep` and `glob`: they run ripgrep in the directory of path, below
// that of --workdir. docs/protocol.md, "Searches".
func (c *Call) ownSearch(sub string) {
	p := c.Parse(shellword.OptionsOf("workdir=V path=V config=X no-sample?V json?V include=V ripgrep=P h,help!", false), shellword.Style{})
	if !c.ownOptions(&p) || len(p.Operands) == 0 {
		c.PrintUnknown()
		return
	}
	for _, o := range p.Operands[:1] {
		if c.several(o.Field) {
			c.Opaque(shellplan.OpaqueRole, o.Span, "the number of words it becomes decides which is the path")
		}
	}
	if dir, given := p.Last("workdir"); given { // the last one counts, from where the shell is
		if s, ok := dir.Plain(); !ok || s != "" {
			c.chdirTo(dir, shellplan.AccessStat)
		}
	}
	path, given := p.Last("path")
	if len(p.Operands) > 1 {
		path, given = p.Operands[1].Field, true
	}
	if s, ok := path.Plain(); !given || ok && s == "" {
		path = shellword.Literal([]byte("."), c.Word.Span)
	} else if ok && !strings.HasPrefix(s, "/") {
		path = shellword.Literal([]byte("./"+s), path.Span) // "-" is a name, too
	}
	pattern := p.Operands[0].Field
	args := []shellword.Field{shellword.Literal([]byte("--"), c.Word.Span), shellword.Literal([]byte("x"), pattern.Span), path}
	if sub == "glob" {
		c.globbed(pattern, path)
		// Ignored files are listed: no ignore file is read.
		args = []shellword.Field{shellword.Literal([]byte("--files"), c.Word.Span), shellword.Literal([]byte("--no-ignore"), c.Word.Span), args[0], path}
	} else {
		c.Listed(pattern, true)
	}
	c.Args = args
	c.standard(rgRow)
	c.PrintUnknown()
}

// globbed adds where the pattern of a glob may lead by itself: leading directories
// that are spelled out are entered, links too, and the pattern may also be the very
// name of what is looked for.
func (c *Call) globbed(pattern, path shellword.Field) {
	text, known := pattern.Plain()
	dir, placed := path.Plain()
	switch {
	case known && !strings.Contains(text, "/"):
		return // it matches base names, below the directory that is searched
	case !known || !placed:
		c.Opaque(shellplan.OpaqueDynamic, pattern.Span, "which directories the pattern names is not known")
	case leadsAway(text):
		c.Opaque(shellplan.OpaquePattern, pattern.Span, "the pattern can be read in several ways, or starts elsewhere; pass the directory as path")
	default:
		walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
		for i := range len(text) {
			if text[i] == '/' {
				c.Add(shellword.Literal([]byte(dir+"/"+text[:i]), pattern.Span), shellplan.AccessRead, shellplan.Candidate{OptionSafe: true, Traversal: walk})
			}
		}
	}
}

// leadsAway reports whether a glob with a slash may enter another directory than its
// own letters name: it has a part that search reads in a dialect of its own (lists,
// quotes, variables), that starts at the root or above, or a list of alternatives
// before the first wildcard.
func leadsAway(glob string) bool {
	if strings.HasPrefix(glob, "/") || strings.Contains(glob, "..") || strings.ContainsAny(glob, "\\\"'`()|;~$%!@+ \t\r\n") {
		return true
	}
	wild := strings.IndexAny(glob, "*?[")
	depth := 0
	for i := range len(glob) {
		switch glob[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth != 1 {
				return true
			}
		case '/':
			if depth > 0 {
				return true
			}
		}
		if depth < 0 || depth > 1 || depth > 0 && (wild < 0 || wild > i) {
			return true
		}
	}
	return depth != 0
}
