package planner

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// What is printed without anybody saying so is not nothing: by a program behind
// command and exec, by what lists variables, by cd when CDPATH has a part in it, by
// the shell itself where its messages are listened to, and by whatever has a
// second descriptor.
func TestWhatIsPrintedIsNotNothing(t *testing.T) {
	for _, text := range []string{
		"command cat l", "exec cat l", "(exec cat l)", "command -p cat l", "f() { command cat l; }; f", "builtin command cat l",
		"export", "readonly", "declare", "typeset -x", "declare -i", "command export", "f() { local x=a; local; }; f",
		"CDPATH=..; cd d", "read CDPATH; cd d", "export CDPATH=/o; command cd d",
		": 2>&1", "{ set -x; : a; } 2>&1", "exec 2>&1; : a", "exec 3>&1; : a 2>&3", "x=1 2>&1", "x=$y 2>&1", "{ time :; } 2>&1", "cat l 2>&1 >/dev/null", "[[ a ]] 2>&1", "cd d &>/dev/stdout",
		"echo a >/dev/stdout", "echo a >/dev/fd/1", "echo a >/proc/self/fd/1", ": 2>/dev/stdout", "echo a > >(cat)", ": > >(echo a)", ": |& :", "{ : |& :; } 2>&1",
		"rm -v x", "mkdir -pv x", "chmod -c +x x", "rmdir --verbose x",
	} {
		p := newPlanner(newBudget(len(text)), []byte(text), options(shellplan.DialectBash))
		p.listen = 1
		p.run(p.initialState())
		require.Empty(t, p.plan.Opaque, text)
		assert.Equal(t, shellword.OutputUnknown, p.out.Kind, text)
	}
	for _, text := range []string{
		"command cd d", "command :", "exec 2>/dev/null", "export x=1", "declare -x x", "readonly x", "f() { local x; }; f", "CDPATH=..; cd ./d", "CDPATH=..; cd /d", "CDPATH=; cd d",
		": 2>/dev/null", ": >/dev/null 2>&1", ": 2>f", ": >&2", "rm x", "mkdir -p x",
	} {
		p := newPlanner(newBudget(len(text)), []byte(text), options(shellplan.DialectBash))
		p.listen = 1
		p.run(p.initialState())
		assert.Equal(t, shellword.Output{}.Kind, p.out.Kind, text)
	}
}
