package main

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// minFold is the narrowest column that text is folded into; a narrower terminal
// breaks lines better by itself.
const minFold = 20

// folded breaks a sentence that starts at column indent between its words, so
// that no word, and no path in it, is cut by the edge of the terminal.
func (v view) folded(text string, indent int) string {
	if v.width-indent < minFold {
		return text
	}
	var b strings.Builder
	column := indent
	for i, word := range strings.Split(text, " ") {
		size := columns(word)
		switch {
		case i == 0:
		case column+1+size > v.width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += size
	}
	return b.String()
}

// columns is how wide a text is on a terminal.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += cells(r)
	}
	return n
}

// maxCell bounds a word in the table.
const maxCell = 40

func clipWord(word []byte) string {
	text, _ := shellplan.EscapeText(word)
	text = visible(strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "\t", " "))
	if runes := []rune(text); len(runes) > maxCell {
		return string(runes[:maxCell-1]) + "…"
	}
	return text
}

// table aligns rows of three columns.
func table(rows [][]string) string {
	var widths [2]int
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], columns(row[i]))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i := range widths {
			b.WriteString(row[i] + strings.Repeat(" ", widths[i]-columns(row[i])+2))
		}
		b.WriteString(row[2] + "\n")
	}
	return b.String()
}
