package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// output is what is known of the text that commands print: it becomes the value
// of a substitution or the input of the next command of a pipe. The zero value
// is nothing printed.
type output struct {
	kind outputKind
	text []byte     // outText
	sets []*nameSet // outNames, one name per set and line
	nul  bool       // names end in NUL
}

type outputKind uint8

const (
	outNothing outputKind = iota
	outText
	outNames
	outInt     // one line with an integer
	outDerived // one line with a derived name: sets holds it
	outUnknown
)

// maxOutput bounds a printed text that is followed.
const maxOutput = 64 << 10

// maxSets bounds how many sets of names are followed together.
const maxSets = 64

// then is the output of one command after another.
func (o output) then(next output) output {
	switch {
	case next.kind == outNothing:
		return o
	case o.kind == outNothing:
		return next
	case o.kind == outText && next.kind == outText && len(o.text)+len(next.text) <= maxOutput:
		return output{kind: outText, text: append(bytes.Clone(o.text), next.text...)}
	case o.kind == outNames && next.kind == outNames && o.nul == next.nul && len(o.sets)+len(next.sets) <= maxSets:
		return output{kind: outNames, sets: append(append([]*nameSet{}, o.sets...), next.sets...), nul: o.nul}
	}
	return output{kind: outUnknown}
}

func (o output) asInput() input {
	switch o.kind {
	case outNothing:
		return input{kind: inputText}
	case outText:
		return input{kind: inputText, text: o.text}
	case outNames:
		return input{kind: inputNames, sets: o.sets, nul: o.nul}
	}
	return input{}
}

// print adds what a command prints on its standard output.
func (p *planner) print(st *state, o output) {
	if p.prints++; p.listen == 0 {
		return
	}
	fd, ok := st.fds[1]
	if ok && fd.kind != fdPipe && fd.kind != fdInherited || ok && fd.from != 1 {
		return // it goes elsewhere
	}
	if e, ok := st.fds[2]; ok && e.from == 1 && o.kind == outNames {
		o = output{kind: outUnknown} // error messages among the names
	}
	if p.budget.bytes -= len(o.text); p.budget.bytes < 0 {
		panic(tooLarge{"commands that print too much text"})
	}
	p.out = p.out.then(o)
}

func (p *planner) printUnknown(st *state) { p.print(st, output{kind: outUnknown}) }

// substituted is the value of $(...) for what was printed: trailing newlines
// go, NUL bytes vanish.
func (o output) substituted(why *shellplan.Opaque) value {
	switch o.kind {
	case outNothing:
		return textValue(nil)
	case outText:
		t := bytes.ReplaceAll(o.text, []byte{0}, nil)
		return textValue(bytes.TrimRight(t, "\n"))
	case outInt:
		return value{kind: valInt}
	case outDerived:
		return value{kind: valSet, set: o.sets[0]}
	}
	return unknown(why)
}
