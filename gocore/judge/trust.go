package judge

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// explained are the codes of what a rule may speak for: a program that does what
// it likes. What is unknown about the text stays unknown.
var explained = []shellplan.OpaqueCode{shellplan.OpaqueCommandUnknown, shellplan.OpaqueInterpreter, shellplan.OpaqueProgram}

// runs is what a segment runs, as rules see it.
type runs struct {
	argv []shellplan.Argument
	// file is the file that runs, when it is known; planted says that it lies
	// where the command may write.
	file    string
	planted bool
	// searched are the checks that look for the name along PATH.
	searched []int
	// directory is where it runs; empty when that is not where the text starts.
	directory string
	// steered says that the text has a hand in its environment, where programs
	// look for options and for code to load.
	steered bool
}

// runs finds out what a segment runs. ok is false when that is no program.
func (t *trial) runs(plan *shellplan.Segment, found *establish.Segment) (r runs, ok bool) {
	if len(plan.Argv) == 0 || !plan.Argv[0].Known {
		return r, false
	}
	r.argv, r.steered = plan.Argv, plan.OwnEnv
	if !plan.CwdUnknown && !plan.Moved && !slices.ContainsFunc(plan.Cwds, func(c shellplan.Cwd) bool { return len(c.Steps) > 0 }) {
		if start := t.of.Boundary.Cwd; clean(start) {
			r.directory = start
		}
	}
	for i := range found.Resolutions {
		if plan.Candidates[found.Resolutions[i].Candidate].Access == shellplan.AccessExec {
			r.file = found.Resolutions[i].Target()
		}
	}
	name := plan.Argv[0].Text
	for i := range found.Checks {
		c := &found.Checks[i]
		if asked := &plan.Checks[c.Check]; c.State != establish.Fails || !alongPath(asked, name) {
			continue
		}
		r.searched = append(r.searched, i)
		for _, file := range c.Found {
			if r.file == "" {
				r.file = file
			}
			r.planted = r.planted || t.places.writable(file)
		}
	}
	r.planted = r.planted || r.file != "" && t.places.writable(r.file)
	return r, true
}

// alongPath reports whether a check looks for a command in the directories of
// PATH, and for nothing else.
func alongPath(c *shellplan.Check, name string) bool {
	return c.Kind == shellplan.CheckAbsent && !slices.ContainsFunc(c.Files, func(f []byte) bool { return path.Base(string(f)) != name })
}

// matches reports whether a rule is about what runs.
func (r *runs) matches(rule *Rule) bool {
	name := r.argv[0].Text
	switch {
	case !strings.Contains(rule.Program, "/"):
		if rule.Program != name || r.planted && rule.Decision > RuleAsk {
			return false
		}
	case r.file != "":
		if rule.Program != r.file {
			return false
		}
	case path.Base(rule.Program) != name || !slices.Contains(systemBins, path.Dir(rule.Program)):
		return false // found in a directory of the system, nobody looked in which
	}
	if rule.Directory != "" && (r.directory == "" || !under(r.directory, rule.Directory)) {
		return false
	}
	// Whoever may choose every word may choose every variable, too; exact words mean
	// what they say only in the environment that the caller gave.
	if r.steered && rule.Decision > RuleAsk && rule.exact() {
		return false
	}
	return rule.takes(r.argv[1:])
}

// rule is the rule that decides about what runs: any that denies, else the one
// that says most.
func (t *trial) rule(r *runs) *Rule {
	var best *Rule
	for i := range t.judge.policy.Trust {
		rule := &t.judge.policy.Trust[i]
		if !r.matches(rule) {
			continue
		}
		if rule.Decision == RuleDeny {
			return rule
		}
		if best == nil || narrower(rule, best) < 0 {
			best = rule
		}
	}
	return best
}

// narrowest is the rule that would allow just this command, here.
func (r *runs) narrowest() *Rule {
	rule := &Rule{Program: r.argv[0].Text, Args: []string{}, Directory: r.directory, Decision: RuleAllow}
	if r.file != "" {
		rule.Program = r.file
	}
	for _, word := range r.argv[1:] {
		if !word.Known || strings.Contains(word.Text, "*") {
			rule.Args = append(rule.Args, anyWords)
			break
		}
		rule.Args = append(rule.Args, word.Text)
	}
	if field, err := Check([]Rule{*rule}); err != nil || field != "" || !r.matches(rule) {
		return nil
	}
	return rule
}

// byRule adds the reason of a rule that asks or denies.
func (t *trial) byRule(rule *Rule, plan *shellplan.Segment, way []int, index int) {
	decision, verb := Ask, "asked about"
	switch rule.Decision {
	case RuleDeny:
		decision, verb = Deny, "denied"
	case RuleConfine:
		verb = "confined"
	}
	t.add(Reason{
		Code: ByRule, Decision: decision, held: rule.Decision == RuleConfine, Nested: way, Segment: index, Span: plan.Span, Detail: rule.String(),
		Message: fmt.Sprintf("%s is %s by the rule %s", name(plan), verb, rule), Remedy: Remedy{Kind: RemedyApprove},
	})
}
