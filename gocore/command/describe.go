package command

import (
	"slices"
	"strings"
)

// Description is one row of the command table for people: what is modelled of a
// command, in the words of the table.
type Description struct {
	// Names are the commands of the row.
	Names []string
	// Modelled is false for a command that is known and always opaque.
	Modelled bool
	// Options is how many options are known; Operands their roles.
	Options  int
	Operands string
	// Note names implicit reads and limits.
	Note string
}

// Describe lists the command table, sorted by the first name of each row.
func Describe() []Description {
	var out []Description
	for _, r := range rows {
		list := strings.Fields(r.names)
		slices.Sort(list)
		d := Description{Names: list, Modelled: !r.opaque, Operands: operandText(r.args), Note: r.note}
		if r.opts != "" {
			d.Options = len(strings.Fields(r.opts))
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b Description) int { return strings.Compare(a.Names[0], b.Names[0]) })
	return out
}

// DescribeGit lists the subcommands of git in the same form.
func DescribeGit() []Description {
	var out []Description
	for name, g := range gitTable() {
		d := Description{Names: []string{name}, Modelled: g.why == "", Operands: operandText(g.args), Note: g.note, Options: len(strings.Fields(g.opts))}
		if g.why != "" {
			d.Note = g.why
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b Description) int { return strings.Compare(a.Names[0], b.Names[0]) })
	return out
}

// operandText spells out an operand specification.
func operandText(args string) string {
	words := map[byte]string{
		'V': "no path", 'R': "read", 'W': "written", 'E': "entry", 'S': "stat", 'L': "lstat", 'T': "tree",
		'D': "directory", 'P': "program", 'N': "names", 'C': "script", 'I': "destination", 'X': "not modelled",
	}
	var out []string
	for w := range strings.FieldsSeq(args) {
		s := words[w[0]]
		if strings.HasSuffix(w, "*") {
			s += "..."
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}
