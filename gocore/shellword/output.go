package shellword

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Output is what is known of the text that commands print: it becomes the value
// of a substitution or the input of the next command of a pipe. The zero value
// is nothing printed.
type Output struct {
	Kind outputKind
	Text []byte     // outText
	Sets []*NameSet // outNames, one name per set and line
	Nul  bool       // names end in NUL
}

type outputKind uint8

const (
	outNothing outputKind = iota
	OutputText
	OutputNames
	OutputInt     // one line with an integer
	OutputDerived // one line with a derived name: sets holds it
	OutputUnknown
)

// MaxOutput bounds a printed text that is followed.
const MaxOutput = 64 << 10

// maxSets bounds how many sets of names are followed together.
const maxSets = 64

// Then is the output of one command after another.
func (o Output) Then(next Output) Output {
	switch {
	case next.Kind == outNothing:
		return o
	case o.Kind == outNothing:
		return next
	case o.Kind == OutputText && next.Kind == OutputText && len(o.Text)+len(next.Text) <= MaxOutput:
		return Output{Kind: OutputText, Text: append(bytes.Clone(o.Text), next.Text...)}
	case o.Kind == OutputNames && next.Kind == OutputNames && o.Nul == next.Nul && len(o.Sets)+len(next.Sets) <= maxSets:
		return Output{Kind: OutputNames, Sets: append(append([]*NameSet{}, o.Sets...), next.Sets...), Nul: o.Nul}
	}
	return Output{Kind: OutputUnknown}
}

func (o Output) AsInput() Input {
	switch o.Kind {
	case outNothing:
		return Input{Kind: InputText}
	case OutputText:
		return Input{Kind: InputText, Text: o.Text}
	case OutputNames:
		return Input{Kind: InputNames, Sets: o.Sets, Nul: o.Nul}
	}
	return Input{}
}

// Substituted is the value of $(...) for what was printed: trailing newlines
// go, NUL bytes vanish.
func (o Output) Substituted(why *shellplan.Opaque) Value {
	switch o.Kind {
	case outNothing:
		return TextValue(nil)
	case OutputText:
		t := bytes.ReplaceAll(o.Text, []byte{0}, nil)
		return TextValue(bytes.TrimRight(t, "\n"))
	case OutputInt:
		return Value{Kind: ValueInt}
	case OutputDerived:
		return Value{Kind: ValueSet, Set: o.Sets[0]}
	}
	return Unknown(why)
}

// Input is what is known of a command's standard input.
type Input struct {
	Kind inputKind
	Text []byte     // inputText
	Sets []*NameSet // inputNames: one name a line, or NUL-separated
	Nul  bool
}

type inputKind uint8

const (
	inputUnknown inputKind = iota
	InputText
	InputNames
)

// MaxUnroll is how many words of a for loop are walked one by one, which keeps
// them apart: with more the loop variable is any of them.
const MaxUnroll = 256
