package command

import (
	"strconv"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

var findRow = &row{
	names: "find",
	run:   runFind, note: "It opens the working directory too. Tests that look at other files (-newer) are stats.",
}

// findTests are the predicates of GNU find and how they take arguments: "" none,
// a role letter for each argument otherwise, F for a file that is opened.
var findTests = map[string]string{
	"-daystart": "", "-depth": "", "-d": "", "-follow": "", "-mount": "", "-xdev": "", "-noleaf": "", "-ignore_readdir_race": "",
	"-noignore_readdir_race": "", "-warn": "", "-nowarn": "", "-regextype": "V", "-maxdepth": "V", "-mindepth": "V",
	"-amin": "V", "-atime": "V", "-cmin": "V", "-ctime": "V", "-mmin": "V", "-mtime": "V", "-used": "V",
	"-anewer": "S", "-cnewer": "S", "-newer": "S", "-samefile": "F", "-empty": "", "-executable": "", "-readable": "", "-writable": "",
	"-false": "", "-true": "", "-fstype": "V", "-gid": "V", "-group": "V", "-nogroup": "", "-uid": "V", "-user": "V", "-nouser": "",
	"-ilname": "V", "-iname": "V", "-ipath": "V", "-iregex": "V", "-iwholename": "V", "-lname": "V", "-name": "V", "-path": "V",
	"-regex": "V", "-wholename": "V", "-inum": "V", "-links": "V", "-perm": "V", "-size": "V", "-type": "V", "-xtype": "V", "-context": "V",
	"-print": "", "-print0": "", "-printf": "V", "-ls": "", "-prune": "", "-quit": "", "-delete": "",
	"-fprint": "W", "-fprint0": "W", "-fls": "W", "-fprintf": "WV", "-files0-from": "N",
	"-a": "", "-and": "", "-o": "", "-or": "", "-not": "", "!": "", "(": "", ")": "", ",": "",
}

func runFind(c *Call, r *row) {
	w := findWalk{depth: -1}
	args := c.Args
	for len(args) > 0 { // -H -L -P -D debug -Olevel
		s, ok := args[0].Plain()
		switch {
		case ok && s == "-L":
			w.followed, w.atRoot = true, true
		case ok && s == "-H":
			w.followed, w.atRoot = false, true
		case ok && s == "-P":
			w.followed, w.atRoot = false, false
		case ok && s == "-D" && len(args) > 1:
			args = args[1:]
		case ok && strings.HasPrefix(s, "-O"):
		default:
			goto roots
		}
		args = args[1:]
	}
roots:
	for len(args) > 0 {
		f := args[0]
		if f.Dyn == nil && f.Set == nil && !f.Pattern {
			if s := string(f.Raw); s == "--" {
				args = args[1:]
				continue
			} else if s == "!" || s == "(" || s == ")" || s == "," || len(s) > 1 && s[0] == '-' {
				break
			}
		} else if f.MayBeOption() && !(f.Pattern && f.Dyn == nil) {
			c.AddReason(*c.Reason(firstReason(f.Dyn), f.Span))
		}
		w.roots = append(w.roots, f)
		args = args[1:]
	}
	w.skips = pruned(args)
	c.expression(args, &w)
	c.findCandidates(&w)
}

func firstReason(o *shellplan.Opaque) *shellplan.Opaque {
	if o == nil {
		return &shellplan.Opaque{Code: shellplan.OpaqueRole, Detail: "the names could read as tests or actions of find"}
	}
	return o
}

// expression reads the tests and actions; the actions that run commands are
// read when the whole expression is known.
//
// Findutils manual, "Finding Files" and "Run Commands". Long because it is one
// pass from left to right, and what a test means depends on the negation,
// branches and actions met before it.
func (c *Call) expression(args []shellword.Field, w *findWalk) {
	type exec struct {
		words []shellword.Field
		plus  bool
		dir   bool
		at    shellword.Field
		tests findTestsSoFar
	}
	var execs []exec
	negated, level := false, 0
	for i := 0; i < len(args); i++ {
		f := args[i]
		s, ok := f.Plain()
		if !ok {
			if f.Pattern && f.Dyn == nil && f.Raw[0] != '-' {
				// find refuses a path behind the expression.
				c.Listed(f, true)
				c.Opaque(shellplan.OpaqueRole, f.Span, "a pattern stands where find expects a test")
				continue
			}
			c.AddReason(*c.Reason(firstReason(f.Dyn), f.Span))
			return
		}
		if s == "-exec" || s == "-execdir" || s == "-ok" || s == "-okdir" {
			e := exec{dir: strings.HasSuffix(s, "dir"), at: f, tests: w.tests}
			for i++; i < len(args); i++ {
				t, _ := args[i].Plain()
				if t == ";" || t == "+" && i > 0 && string(args[i-1].Raw) == "{}" {
					e.plus = t == "+"
					break
				}
				e.words = append(e.words, args[i])
			}
			execs = append(execs, e)
			w.actions++
			negated = false
			continue
		}
		roles, known := findTests[s]
		if !known && strings.HasPrefix(s, "-newer") && len(s) == len("-newerXY") {
			roles, known = "S", true
			if s[len(s)-1] == 't' {
				roles = "V"
			}
		}
		if !known {
			c.Opaque(shellplan.OpaqueOption, f.Span, "the test or action "+shellword.Clip(s, 40)+" of find is not in the table")
			return
		}
		dated := strings.HasPrefix(s, "-newer") && roles == "V"
		var values []shellword.Field
		for _, r := range []byte(roles) {
			if i++; i >= len(args) {
				return // find reports it and stops
			}
			if args[i].Many || args[i].Pattern && r != 'V' {
				c.Opaque(shellplan.OpaqueRole, args[i].Span, "the argument of a test may be no word or several")
				return
			}
			if r == 'V' && args[i].Pattern {
				c.Listed(args[i], false) // a second match could be an action
			}
			if r == 'N' {
				c.Opaque(shellplan.OpaqueNames, f.Span, "the names come from the content of a file")
			}
			if r == 'F' { // it is opened, by name, like a root
				c.Add(args[i], shellplan.AccessRead, shellplan.Candidate{OptionSafe: true, NoFollow: !w.atRoot})
				values = append(values, args[i])
				continue
			}
			if dated {
				c.date(args[i])
			}
			stream := r == 'N'
			if stream {
				r = 'R'
			}
			c.role(r, args[i], true, &reading{dash: stream}, f)
			values = append(values, args[i])
		}
		switch s {
		case "!", "-not":
			negated = true
			continue
		case "(":
			level++
			w.branches = true
		case "-o", "-or", ",":
			w.branches = true
		case "-follow":
			w.followed, w.atRoot = true, true
		case "-maxdepth":
			if n, err := strconv.Atoi(string(values[0].Raw)); err == nil && values[0].Dyn == nil {
				w.depth = n
			}
		case "-name", "-iname":
			m := patternWord(values[0])
			if negated || w.tests.name != nil || m == nil {
				break // fewer names, if anything
			}
			if w.tests.name = m; s == "-iname" {
				m.Glob |= shellplan.GlobNoCase
			}
		case "-type":
			w.tests.files = w.tests.files || !negated && string(values[0].Raw) == "f" && values[0].Dyn == nil
		case "-print", "-print0":
			w.printed(s == "-print0")
		case "-delete":
			if !w.deletes {
				w.deleted = w.tests
			}
			w.deletes = true
			w.actions++
		case "-printf", "-ls", "-fprint", "-fprint0", "-fls", "-fprintf", "-quit":
			if s != "-quit" {
				w.actions++
			}
		}
		negated = false
	}
	for _, e := range execs {
		if e.dir {
			c.Opaque(shellplan.OpaqueConstruct, e.at.Span, "the command runs in every directory that find meets")
		}
		c.execute(e.words, e.plus, w, e.tests)
	}
}
