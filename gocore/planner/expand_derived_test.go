package planner

import (
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/stretchr/testify/assert"
)

// Names made of matched names stay in the directory that the text spells.
func TestNamesMadeOfMatchedNames(t *testing.T) {
	for body, want := range map[string]string{
		`cp "$f" "d/$(basename "$f")"`:           "cp read*(s/*.c) tree/(d/)",
		`cp "$f" "d/${f##*/}"`:                   "cp read*(s/*.c) tree/(d/)",
		`n=${f##*/}; cat "d/$n"`:                 "cat read*(d/*)",
		`n=$(basename "$f" .c); echo > "d/$n.o"`: "echo tree/(d/)",
		`cat "${f%.c}.h"`:                        "cat read*(s/*.h)",
		`cat "${f%.*}.h"`:                        "cat read*(s/*.h)",
		`touch "${f%.c}.h"`:                      "touch tree/(s/)",
		`cat "$(dirname "$f")/x"`:                "cat read(s/x)",
		`o=d/${f##*/}.o; cat "$o"`:               "cat read*(d/*.o)",
		`cat "${f%%.*}.h"`:                       "cat !dynamic",
		`cat "${f%/x}"`:                          "cat !dynamic",
		`cat "$(basename "$f")"`:                 "cat !dynamic",
		`ls "${f%a.c}.."`:                        "ls !dynamic",
		`ls "s/.${f##*/}"`:                       "ls !dynamic",
		`cat "d/$(basename "$f")/../x"`:          "cat !dynamic",
		`cat d/$(basename "$f")`:                 "cat !dynamic",
		`cat "$(dirname "$f")$(basename "$f")"`:  "cat read*(s*)",
		`"./$(basename "$f")"`:                   " ^any !dynamic",
	} {
		p := Build("for f in s/*.c; do "+body+"; done", options(shellplan.DialectBash))
		var got string
		for i := range p.Segments {
			if s := &p.Segments[i]; s.Command != "for" && s.Command != "basename" && s.Command != "dirname" {
				got = line(s)
			}
		}
		assert.Equal(t, want, got, body)
	}
	for _, pattern := range []string{"*", ".*", "s/*/", "*.c*", "s/.*c"} {
		p := Build("for f in "+pattern+"; do cat \"d/${f##*/}\"; done", options(shellplan.DialectBash))
		assert.True(t, p.IsOpaque(), "%s could be a name like .. or end in a newline", pattern)
	}
}
