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

// input is what is known of a command's standard input.
type input struct {
	kind inputKind
	text []byte     // inputText
	sets []*nameSet // inputNames: one name a line, or NUL-separated
	nul  bool
}

type inputKind uint8

const (
	inputUnknown inputKind = iota
	inputText
	inputNames
)

// maxUnroll is how many words of a for loop are walked one by one, which keeps
// them apart: with more the loop variable is any of them.
const maxUnroll = 256
