package shellplan

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the list of commands")

const commandList = "../../docs/shell-commands.md"

// The list of commands in the documentation is the table's own.
func TestTheListOfCommandsIsTheTable(t *testing.T) {
	want := document()
	if *update {
		require.NoError(t, os.WriteFile(commandList, []byte(want), 0o644))
	}
	have, err := os.ReadFile(commandList)
	require.NoError(t, err)
	assert.Equal(t, want, string(have), "run: go test ./gocore/shellplan -run ListOfCommands -update")
}

func document() string {
	var b strings.Builder
	b.WriteString("# What the planner knows of commands\n\nWritten from the command table by `go test ./gocore/shellplan -run ListOfCommands -update`.\n\n" +
		"An option or a command that is not in the table makes the segment opaque: the answer is then an ask that names the word. " +
		"Roles of operands: *read* is opened or listed, *written* follows links, *entry* is the name itself, *stat* and *lstat* look, *tree* is anything below, " +
		"*destination* is a file or a name inside a directory, *names* is a file that names others, *script* a program that is read or opaque.\n\n## Modelled\n\n| commands | options | operands | notes |\n|---|---|---|---|\n")
	for _, d := range Describe() {
		if d.Modelled {
			fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", strings.Join(d.Names, "` `"), d.Options, d.Operands, d.Note)
		}
	}
	b.WriteString("\n## git, by subcommand\n\n| subcommand | options | notes |\n|---|---|---|\n")
	for _, d := range DescribeGit() {
		if d.Modelled {
			fmt.Fprintf(&b, "| `%s` | %d | %s |\n", d.Names[0], d.Options, d.Note)
		}
	}
	b.WriteString("\n## Known and always opaque\n\n| commands | why |\n|---|---|\n")
	for _, d := range Describe() {
		if !d.Modelled {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.Join(d.Names, "` `"), d.Note)
		}
	}
	why := map[string][]string{}
	var order []string
	for _, d := range DescribeGit() {
		if !d.Modelled {
			if why[d.Note] == nil {
				order = append(order, d.Note)
			}
			why[d.Note] = append(why[d.Note], d.Names[0])
		}
	}
	for _, w := range order {
		fmt.Fprintf(&b, "| `git %s` | %s |\n", strings.Join(why[w], "` `git "), w)
	}
	return b.String()
}
