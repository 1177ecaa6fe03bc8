//go:build linux

package installed_test

import (
	_ "embed"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/planner"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/tests/oracle/family"
	"github.com/hydraharness/harness-runtime/tests/oracle/installed"
)

// unmodelled are options that the programs of the pinned Debian have and the
// table lacks, which is an ask: each line is a reason, commands, and options.
//
//go:embed unmodelled.txt
var unmodelled string

// pinned is the system whose programs the table was written from.
const pinned = "debian 12"

func system(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return ""
	}
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[name] = strings.Trim(v, `"`)
	}
	return values["ID"] + " " + values["VERSION_ID"]
}

// known reports whether the table has an option, with or without a value.
func known(name, option string) bool {
	for _, text := range []string{name + " " + option, name + " " + option + " 1", name + " " + option + "=1"} {
		plan := planner.Build(text, planner.Options{Dialect: shellplan.DialectBash, Cwd: "/nonexistent", Env: map[string]string{}, EnvComplete: true})
		lacks := false
		for _, s := range plan.Segments {
			for _, o := range s.Opaque {
				lacks = lacks || strings.Contains(o.Detail, "not in the table") || strings.Contains(o.Detail, "is not modelled")
			}
		}
		if !lacks {
			return true
		}
	}
	return false
}

// An option that an installed program has and the table lacks is a fault on the
// pinned system and listed elsewhere: programs change from one to another.
func TestTheTableKnowsWhatIsInstalled(t *testing.T) {
	excused := map[string]bool{}
	for line := range strings.Lines(unmodelled) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, " | ")
		require.Len(t, parts, 3, "%q is not: commands | options | reason", line)
		for name := range strings.FieldsSeq(parts[0]) {
			for o := range strings.FieldsSeq(parts[1]) {
				excused[name+" "+o] = true
			}
		}
	}
	judge := system(t) == pinned
	var lacking, missing []string
	for _, name := range family.Commands() {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
			continue
		}
		have := installed.Of(name)
		if slices.Contains(have.Sources, "manual") != (installed.Manual(name) != "") {
			t.Errorf("%s: its sources are %v", name, have.Sources)
		}
		have.Long = append(have.Long, installed.Hidden(name)...)
		for _, o := range options(have) {
			if excused[name+" "+o] || known(name, o) {
				continue
			}
			lacking = append(lacking, name+" "+o)
		}
	}
	for entry := range excused {
		name, o, _ := strings.Cut(entry, " ")
		if !slices.Contains(missing, name) && installed.Manual(name) != "" && slices.Contains(options(installed.Of(name)), o) {
			assert.False(t, known(name, o), "the table knows %s: take it out of unmodelled.txt", entry)
		}
	}
	t.Logf("not installed or builtins of a shell: %v", missing)
	if judge {
		assert.Empty(t, lacking, "the table lacks options that are installed; add them, or a reason to unmodelled.txt")
		return
	}
	t.Logf("%s, not %s: the table lacks %v", system(t), pinned, lacking)
}

func options(o *installed.Options) []string {
	var out []string
	for _, s := range o.Short {
		out = append(out, "-"+s)
	}
	for _, l := range o.Long {
		out = append(out, "--"+l)
	}
	for _, w := range o.Words {
		out = append(out, "-"+w)
	}
	return out
}
