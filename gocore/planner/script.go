package planner

import "github.com/hydraharness/harness-runtime/gocore/shellplan"

// ReadsOnly reports whether a program in one of the languages of
// Candidate.Script does nothing but transform its input: it opens no file, runs
// no command and loads no module. What is not understood does not.
func ReadsOnly(language string, program []byte) bool {
	switch language {
	case shellplan.ScriptSed:
		files, why := sedScript(program)
		return why == "" && len(files) == 0
	case shellplan.ScriptJq:
		return !jqModules(program)
	case shellplan.ScriptAwk:
		files, why := awkProgram(program)
		return why == "" && len(files) == 0
	}
	return false
}
