package establish

import "github.com/hydraharness/harness-runtime/gocore/shellplan"

// descriptorsOf is what the redirections of a segment open, by descriptor: empty
// where two different words open one, or a pattern does.
func descriptorsOf(s *shellplan.Segment) map[int]string {
	words := map[int]string{}
	put := func(fd int, w *shellplan.Word) {
		word := string(w.Raw)
		if old, known := words[fd]; w.Pattern || known && old != word {
			word = ""
		}
		words[fd] = word
	}
	for i := range s.Candidates {
		c := &s.Candidates[i]
		switch {
		case c.Redirect == nil:
		case c.Redirect.Fd >= 0:
			put(c.Redirect.Fd, &c.Word)
		default:
			put(1, &c.Word)
			put(2, &c.Word)
		}
	}
	return words
}
