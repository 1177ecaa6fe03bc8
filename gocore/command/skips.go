package command

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// skipWord is the pattern of members that a program leaves out, when it is one
// that every matcher reads alike: letters, `*` and `?`. nil for any other.
func skipWord(f shellword.Field) *shellplan.Word {
	w := patternWord(f)
	if w == nil || bytes.ContainsAny(w.Raw, "[]{}!^") {
		return nil
	}
	return w
}

// skipsOf collects what the options of a search leave out.
func skipsOf(p *shellword.Parsed, key string, what ...shellplan.SkipWhat) (out []shellplan.Skip) {
	for i := range p.Opts {
		if u := &p.Opts[i]; u.Spec.Key == key && u.Has {
			if w := skipWord(u.Value); w != nil {
				for _, k := range what {
					out = append(out, shellplan.Skip{Word: *w, What: k})
				}
			}
		}
	}
	return out
}

// pruned are the directories that a find expression surely does not go into:
// those named by tests at its very start that end in -prune.
func pruned(args []shellword.Field) (out []shellplan.Skip) {
	words := make([]string, len(args))
	for i, f := range args {
		words[i], _ = f.Plain() // what is not known is the empty word
		switch words[i] {
		case "-depth", "-d", "-delete", "-mindepth", "-files0-from":
			return nil // -prune has no effect, or not everywhere
		}
	}
	at := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	i := 0
	for {
		for at(i) == "-maxdepth" || at(i) == "-xdev" || at(i) == "-mount" {
			if at(i) == "-maxdepth" {
				i++
			}
			i++
		}
		names, next := pruneTests(args, words, i)
		if next < 0 || at(next) != "-prune" {
			return out
		}
		out = append(out, names...)
		if i = next + 1; at(i) != "-o" && at(i) != "-or" {
			return out
		}
		i++
	}
}

// pruneTests reads `[-type d] -name X` or `[-type d] ( -name X -o -name Y )`, with the -type on either side,
// and gives the index behind it, -1 when it is something else.
func pruneTests(args []shellword.Field, words []string, i int) (out []shellplan.Skip, next int) {
	at := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	typed := func() {
		for at(i) == "-type" && at(i+1) == "d" {
			i += 2
		}
		if at(i) == "-a" || at(i) == "-and" {
			i++
		}
	}
	typed()
	group := at(i) == "("
	if group {
		i++
	}
	for {
		switch at(i) {
		case "-name":
			w := skipWord(fieldAt(args, i+1))
			if w == nil {
				return nil, -1
			}
			out = append(out, shellplan.Skip{Word: *w, What: shellplan.SkipBelow})
		case "-path", "-wholename":
			s := at(i + 1)
			name := bytes.TrimPrefix([]byte(s), []byte("*/"))
			if s == "" || bytes.ContainsAny(name, `*?[\\`) {
				return nil, -1
			}
			if (len(name) < len(s)) == (bytes.IndexByte(name, '/') >= 0) {
				return nil, -1 // neither */NAME nor a path
			}
			out = append(out, shellplan.Skip{Word: shellplan.Word{Raw: name}, What: shellplan.SkipBelow})
		default:
			return nil, -1
		}
		i += 2
		if !group {
			typed()
			return out, i
		}
		switch at(i) {
		case ")":
			i++
			typed()
			return out, i
		case "-o", "-or":
			i++
		default:
			return nil, -1
		}
	}
}

func fieldAt(args []shellword.Field, i int) shellword.Field {
	if i < len(args) {
		return args[i]
	}
	return shellword.Field{}
}

// patternWord is the pattern that a program matches by itself: every byte
// counts, quoted for the shell or not. nil when it is not known.
func patternWord(f shellword.Field) *shellplan.Word {
	if f.Dyn != nil || f.Set != nil || len(f.Raw) == 0 {
		return nil
	}
	w := &shellplan.Word{Raw: f.Raw, Mask: make([]byte, len(f.Raw)), Pattern: true}
	for i, b := range f.Raw {
		if b == '\\' || b == '/' || b >= 0x80 {
			return nil
		}
		w.Mask[i] = shellplan.MaskActive
	}
	return w
}
