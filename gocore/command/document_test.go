package command

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the list of commands")

// The page that holds the list, and the lines that it stands between.
const (
	listPage  = "../../docs/security.md"
	listBegin = "<!-- written from the command table: go test ./gocore/command -run ListOfCommands -update -->\n"
	listEnd   = "<!-- end -->\n"
)

// The list of commands in the documentation is the table's own.
func TestTheListOfCommandsIsTheTable(t *testing.T) {
	page, err := os.ReadFile(listPage)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), listBegin)
	require.True(t, found, listBegin)
	have, after, found := strings.Cut(rest, listEnd)
	require.True(t, found, listEnd)
	want := document()
	if *update {
		require.NoError(t, os.WriteFile(listPage, []byte(before+listBegin+want+listEnd+after), 0o644))
		have = want
	}
	assert.Equal(t, want, have, "run: go test ./gocore/command -run ListOfCommands -update")
}

func document() string {
	var b strings.Builder
	b.WriteString("\n| commands | options | operands | notes |\n|---|---|---|---|\n")
	for _, d := range Describe() {
		if d.Modelled {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", strings.Join(d.Names, "` `"), count(d.Options), d.Operands, d.Note)
		}
	}
	b.WriteString("\n### git, by subcommand\n\n| subcommand | options | notes |\n|---|---|---|\n")
	for _, d := range DescribeGit() {
		if d.Modelled {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", d.Names[0], count(d.Options), d.Note)
		}
	}
	b.WriteString("\n### Known and always opaque\n\n| commands | why |\n|---|---|\n")
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
	b.WriteString("\n")
	return b.String()
}

// count is empty for a command whose options are read by code of its own.
func count(options int) string {
	if options == 0 {
		return ""
	}
	return strconv.Itoa(options)
}
