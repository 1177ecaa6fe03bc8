package judge

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

const (
	// MaxRules is how many rules a policy may have: a person keeps some dozens,
	// and each is held against every command of a text.
	MaxRules = 1000
	// anyWords is the pattern that matches whatever words are left.
	anyWords = "**"
)

// Rule says what becomes of a program whose reads and writes no reading of its
// command line shows. It is about the program alone: redirections, words that are
// known to be paths, the environment and every other command of the text are
// judged as ever.
type Rule struct {
	// Program is a name, as it is found along PATH, or the absolute path of the
	// file that runs, links followed. A name never stands for a file that lies in
	// a write root.
	Program string `json:"program"`
	// Args are patterns, one for each word behind the program: `*` stands for any
	// characters, and a last `**` for any words. Nil is any words, too.
	Args []string `json:"args,omitzero"`
	// Directory is where the command has to run, or below; empty is anywhere. A
	// command behind a cd runs nowhere that a rule can name.
	Directory string `json:"directory,omitempty"`
	// Decision is what becomes of it. `confine` is an ask where nothing is confined.
	Decision RuleDecision `json:"decision"`
}

// RuleDecision is a decision of a rule. Deny is the zero value.
type RuleDecision uint8

// The decisions, the strongest first.
const (
	RuleDeny RuleDecision = iota
	RuleAsk
	RuleConfine
	RuleAllow
)

var ruleDecisions = [...]string{"deny", "ask", "confine", "allow"}

func (d RuleDecision) String() string {
	if int(d) < len(ruleDecisions) {
		return ruleDecisions[d]
	}
	return ruleDecisions[RuleDeny]
}

// MarshalText writes allow, confine, ask or deny.
func (d RuleDecision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads allow, confine, ask or deny.
func (d *RuleDecision) UnmarshalText(text []byte) error {
	i := slices.Index(ruleDecisions[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is none of deny, ask, confine, allow", text)
	}
	*d = RuleDecision(i)
	return nil
}

// String is the rule as a line of a list of rules.
func (r Rule) String() string {
	text, err := json.Marshal(r)
	if err != nil {
		return r.Program
	}
	return string(text)
}

// Check says what is wrong with a list of rules: the path of the first bad field
// and what it takes.
func Check(rules []Rule) (field string, err error) {
	if len(rules) > MaxRules {
		return "", fmt.Errorf("there are %d rules; at most %d are read", len(rules), MaxRules)
	}
	for i, r := range rules {
		at := func(name string) string { return fmt.Sprintf("[%d].%s", i, name) }
		switch {
		case r.Program == "" || strings.Contains(r.Program, "/") && !clean(r.Program):
			return at("program"), fmt.Errorf("%q is neither a name nor an absolute path without dots", r.Program)
		case r.Directory != "" && !clean(r.Directory):
			return at("directory"), fmt.Errorf("%q is not an absolute path without dots", r.Directory)
		case len(r.Args) > shellplan.MaxArgv:
			return at("args"), fmt.Errorf("there are %d patterns; at most %d are read", len(r.Args), shellplan.MaxArgv)
		}
		if n := slices.Index(r.Args, anyWords); n >= 0 && n < len(r.Args)-1 {
			return at(fmt.Sprintf("args[%d]", n)), fmt.Errorf("%s stands for all that is left; nothing may follow it", anyWords)
		}
	}
	return "", nil
}

func clean(p string) bool { return path.IsAbs(p) && path.Clean(p) == p }

// exact reports whether the rule says which words there are.
func (r *Rule) exact() bool {
	return r.Args != nil && (len(r.Args) == 0 || r.Args[len(r.Args)-1] != anyWords)
}

// takes reports whether the words behind a program are those of a rule.
func (r *Rule) takes(words []shellplan.Argument) bool {
	if r.Args == nil {
		return true
	}
	for i, pattern := range r.Args {
		if pattern == anyWords {
			return true
		}
		if i >= len(words) || !words[i].Known || !matches(pattern, words[i].Text) {
			return false
		}
	}
	return len(words) == len(r.Args)
}

// matches holds a word against a pattern whose stars stand for any characters.
func matches(pattern, word string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == word
	}
	word, ok := strings.CutPrefix(word, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		at := strings.Index(word, part)
		if at < 0 {
			return false
		}
		word = word[at+len(part):]
	}
	return strings.HasSuffix(word, parts[last])
}

// narrower orders rules that both match: the one that says more comes first, and
// of two that say the same the stricter.
func narrower(a, b *Rule) int {
	for _, by := range []func(*Rule) int{
		func(r *Rule) int { return count(strings.Contains(r.Program, "/")) },
		func(r *Rule) int { return len(r.Directory) },
		func(r *Rule) int { return count(r.Args != nil) },
		func(r *Rule) int { return count(!slices.Contains(r.Args, anyWords)) },
		func(r *Rule) int { return len(strings.ReplaceAll(strings.Join(r.Args, " "), "*", "")) },
		func(r *Rule) int { return -int(r.Decision) },
	} {
		if x, y := by(a), by(b); x != y {
			return y - x
		}
	}
	return 0
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
