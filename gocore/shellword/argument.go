package shellword

import (
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Arguments are the words of a command line as far as they are known, the name of
// the command first.
func Arguments(name string, args []Field) []shellplan.Argument {
	out := make([]shellplan.Argument, 0, 1+min(len(args), shellplan.MaxArgv))
	keep := func(text string, known bool) {
		if !known || len(text) > shellplan.MaxShown || !utf8.ValidString(text) {
			out = append(out, shellplan.Argument{})
			return
		}
		out = append(out, shellplan.Argument{Text: text, Known: true})
	}
	keep(name, true)
	for i := range args {
		if len(out) == shellplan.MaxArgv {
			out[len(out)-1] = shellplan.Argument{}
			break
		}
		keep(args[i].Plain())
	}
	return out
}
