package shellsyntax

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

func (s *Source) variant() syntax.LangVariant {
	if s.dialect == shellplan.DialectBash {
		return syntax.LangBash
	}
	return syntax.LangPOSIX
}

// Parse turns a text into a tree, or says why there is none: what it does not
// read is never read in part.
func Parse(src []byte, d shellplan.Dialect) (*syntax.File, Source, *shellplan.Opaque) {
	why := func(code shellplan.OpaqueCode, format string, args ...any) *shellplan.Opaque {
		return &shellplan.Opaque{Code: code, Detail: shellplan.Shown(fmt.Sprintf(format, args...)), Span: shellplan.Span{Start: 0, End: len(src)}}
	}
	if len(src) > shellplan.MaxSource {
		return nil, Source{}, why(shellplan.OpaqueTooLarge, "the text is longer than %d bytes", shellplan.MaxSource)
	}
	if len(bytes.TrimSpace(src)) == 0 {
		return nil, Source{}, why(shellplan.OpaqueSyntax, "the command is empty")
	}
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return nil, Source{}, why(shellplan.OpaqueSyntax, "the text holds a NUL byte at offset %d, which no command line can carry", i)
	}
	if i := bytes.Index(src, []byte("\r\n")); i >= 0 {
		// The parser drops the carriage return, the shell keeps it as a part
		// of the last word.
		return nil, Source{}, why(shellplan.OpaqueSyntax, "a line ends in a carriage return at offset %d, which the shell takes as a part of the word before it", i)
	}
	if i := bytes.Index(src, []byte("$\\\n")); i >= 0 {
		// The shell joins the lines first, the parser takes the dollar sign
		// for text when a quote or a brace begins the next one.
		return nil, Source{}, why(shellplan.OpaqueConstruct, "a line goes on behind a dollar sign at offset %d; write what belongs to it on one line", i)
	}
	if what := nestsTooDeep(src); what != "" {
		return nil, Source{}, why(shellplan.OpaqueTooLarge, "%s", what)
	}
	s, ok := encode(src)
	if !ok {
		return nil, Source{}, why(shellplan.OpaqueSyntax, "the text is not UTF-8 and holds private characters")
	}
	s.dialect = d
	file, err := s.tree()
	if s.refusedWhole(err) {
		return &syntax.File{}, s, nil
	}
	if err != nil {
		return nil, s, why(shellplan.OpaqueSyntax, "the text does not parse as %s: %s", d, shellword.Clip(err.Error(), 200))
	}
	if d == shellplan.DialectPosix && quotedDollar(file) {
		return nil, s, why(shellplan.OpaqueConstruct, "a quote behind a dollar sign means one thing to bash and another to dash, and which shell runs it is not known; write the word plainly")
	}
	return file, s, nil
}

// quotedDollar looks for $'...' and $"...", which the parser takes for a dollar sign
// and a quote when it reads the language that all shells have.
func quotedDollar(file *syntax.File) (found bool) {
	syntax.Walk(file, func(n syntax.Node) bool {
		w, ok := n.(*syntax.Word)
		if !ok {
			return !found
		}
		dollar := false
		for _, part := range w.Parts {
			switch part := part.(type) {
			case *syntax.Lit:
				dollar = strings.HasSuffix(part.Value, "$")
			case *syntax.SglQuoted, *syntax.DblQuoted:
				found = found || dollar
				dollar = false
			default:
				dollar = false
			}
		}
		return !found
	})
	return found
}

// refusedWhole reports whether the shell itself surely refuses the text before
// anything in it runs: dash reads a whole line first, and knows no `<<<`.
func (s *Source) refusedWhole(err error) bool {
	var lang syntax.LangError
	if s.dialect != shellplan.DialectDash || !errors.As(err, &lang) || lang.Feature != "herestrings" || lang.Pos.Line() != 1 {
		return false
	}
	at := int(lang.Pos.Offset())
	return at+3 <= len(s.text) && s.text[at:at+3] == "<<<"
}

// maxAmpersands bounds how often a text is parsed anew for `&>`.
const maxAmpersands = 16

// tree parses the text. To dash `a &> b` is `a &` and then `> b`, which the
// parser refuses: a blank makes it plain.
func (s *Source) tree() (*syntax.File, error) {
	for n := 0; ; n++ {
		file, err := syntax.NewParser(syntax.Variant(s.variant())).Parse(strings.NewReader(s.text), "")
		var lang syntax.LangError
		if err == nil || n >= maxAmpersands || s.dialect != shellplan.DialectDash || !errors.As(err, &lang) {
			return file, err
		}
		at := int(lang.Pos.Offset())
		if at+1 >= len(s.text) || s.text[at:at+2] != "&>" {
			return file, err
		}
		s.insert(at + 1)
	}
}

const (
	// maxOpeners and maxArithOpeners bound how many openings of a nested
	// construct a text may hold. The parser recurses on them and a Go stack
	// that outgrows its limit ends the process: 10 kB a level were measured
	// for arithmetic and 5 kB for the rest.
	maxOpeners      = 20_000
	maxArithOpeners = 4_000
	// maxOpenAtOnce bounds them when closings are counted too, quoted or
	// not: no text that people write comes near.
	maxOpenAtOnce = 500
)

// nestsTooDeep looks at the raw text, before the parser does.
func nestsTooDeep(src []byte) string {
	open, total, arith, words := 0, 0, 0, 0
	for i, c := range src {
		switch c {
		case '(', '{':
			open++
			total++
			if c == '(' && i > 0 && src[i-1] == '(' {
				arith++
			}
		case ')', '}':
			open = max(open-1, 0)
		case '`', '[', '!', '?':
			// A subscript is arithmetic, in which there may be a subscript; a test
			// may be negated again, and a choice lie in a choice.
			total++
		case 'f', 'o', 'e', 'l': // if, do (while, until, for), case, else, elif
			if endsKeyword(src, i) {
				words++
			}
		}
		if open > maxOpenAtOnce {
			return fmt.Sprintf("more than %d brackets open at once", maxOpenAtOnce)
		}
	}
	if total > maxOpeners || words > maxOpeners || arith > maxArithOpeners {
		return fmt.Sprintf("more than %d openings of nested constructs", min(total, maxOpeners))
	}
	return ""
}

// endsKeyword reports whether a word that opens a compound command ends at i.
func endsKeyword(src []byte, i int) bool {
	if i+1 < len(src) && (src[i+1] >= 'a' && src[i+1] <= 'z') {
		return false
	}
	for _, w := range []string{"if", "do", "while", "until", "case", "elif", "else"} {
		if i+1 >= len(w) && string(src[i+1-len(w):i+1]) == w {
			return true
		}
	}
	return false
}
