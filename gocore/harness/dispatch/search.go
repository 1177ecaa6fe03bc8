package dispatch

import (
	"context"
	"strconv"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// searchMethods give complete values, page by page.
func (d *Dispatcher) searchMethods() map[string]method {
	all := map[string]method{
		"hydra/search/glob": takes(d.searchGlob),
		"hydra/search/grep": takes(d.searchGrep),
	}
	for name, m := range all {
		m.searches = true
		all[name] = m
	}
	return all
}

// globParams are the parameters of hydra/search/glob.
type globParams struct {
	Pattern   string `json:"pattern"`
	Path      string `json:"path"`
	PathBytes []byte `json:"pathBytes"`
	Cursor    string `json:"cursor"`
}

// grepParams are the parameters of hydra/search/grep.
type grepParams struct {
	Pattern   string      `json:"pattern"`
	Path      string      `json:"path"`
	PathBytes []byte      `json:"pathBytes"`
	Include   string      `json:"include"`
	Case      search.Case `json:"case"`
	Literal   bool        `json:"literal"`
	Multiline bool        `json:"multiline"`
	Before    uint64      `json:"before"`
	After     uint64      `json:"after"`
	FilesOnly bool        `json:"filesOnly"`
	Count     bool        `json:"count"`
	Cursor    string      `json:"cursor"`
}

func (p *grepParams) request() search.GrepRequest {
	return search.GrepRequest{
		Pattern: p.Pattern, Path: either(p.Path, p.PathBytes), Include: p.Include, Case: p.Case,
		Literal: p.Literal, Multiline: p.Multiline, Before: int(p.Before), After: int(p.After),
		FilesOnly: p.FilesOnly, Count: p.Count,
	}
}

// globPage and grepPage are one page of a complete value. NextCursor is empty
// on the last.
type globPage struct {
	*search.GlobResult
	NextCursor string `json:"nextCursor,omitempty"`
}

type grepPage struct {
	*search.GrepResult
	NextCursor string `json:"nextCursor,omitempty"`
}

func (d *Dispatcher) searchGlob(ctx context.Context, c call, p *globParams) (any, error) {
	from, err := parseCursor(p.Cursor)
	if err != nil {
		return nil, err
	}
	r, err := d.runtime.Glob(ctx, c.Workdir, search.GlobRequest{Pattern: p.Pattern, Path: either(p.Path, p.PathBytes)})
	if err != nil {
		return nil, err
	}
	of := func(i int) item { return item{text: []string{r.Paths[i]}, exact: r.PathBytes[i]} }
	page, err := cut(from, len(r.Paths), of)
	if err != nil {
		return nil, err
	}
	r.Paths, r.PathBytes = r.Paths[page.from:page.to], r.PathBytes.Slice(page.from, page.to)
	return globPage{r, page.next}, nil
}

func (d *Dispatcher) searchGrep(ctx context.Context, c call, p *grepParams) (any, error) {
	from, err := parseCursor(p.Cursor)
	if err != nil {
		return nil, err
	}
	r, err := d.runtime.Grep(ctx, c.Workdir, p.request())
	if err != nil {
		return nil, err
	}
	if r.Files != nil {
		page, err := cut(from, len(r.Files), func(i int) item {
			f := &r.Files[i]
			return item{text: []string{f.Path, strconv.FormatInt(f.Count, 10)}, exact: f.PathBytes}
		})
		if err != nil {
			return nil, err
		}
		r.Files = r.Files[page.from:page.to]
		return grepPage{r, page.next}, nil
	}
	for i := range r.Matches {
		shortenLine(&r.Matches[i])
	}
	page, err := cut(from, len(r.Matches), func(i int) item {
		m := &r.Matches[i]
		return item{text: []string{m.Path, strconv.FormatInt(m.LineNumber, 10), m.Line}, exact: m.PathBytes}
	})
	if err != nil {
		return nil, err
	}
	r.Matches = r.Matches[page.from:page.to]
	return grepPage{r, page.next}, nil
}

// maxLineBytes is the longest line that is sent whole: with its path it fills a
// page of its own.
const maxLineBytes = MaxPageBytes - search.MaxPathBytes*8 - itemOverhead

// shortenLine cuts a line that no page holds, and says how long it is.
func shortenLine(m *search.Match) {
	if len(m.Line) <= maxLineBytes/6 || jsonSize(m.Line) <= maxLineBytes {
		return
	}
	size, end := 0, 0
	for i, r := range m.Line {
		if size += jsonSize(string(r)); size > maxLineBytes {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	m.LineBytes, m.Line = int64(len(m.Line)), m.Line[:end]
}
