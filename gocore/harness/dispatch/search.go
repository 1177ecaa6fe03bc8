package dispatch

import (
	"context"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// searchMethods give complete values, page by page.
func (d *Dispatcher) searchMethods() map[string]method {
	return map[string]method{
		"hydra/search/glob": {searches: true, do: d.searchGlob},
		"hydra/search/grep": {searches: true, do: d.searchGrep},
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

func (d *Dispatcher) searchGlob(ctx context.Context, c call, body json.RawMessage) (any, error) {
	var req search.GlobRequest
	var exact []byte
	var text string
	if err := decode(body,
		field{"pattern", &req.Pattern}, field{"path", &req.Path}, field{"pathBytes", &exact}, field{"cursor", &text},
	); err != nil {
		return nil, err
	}
	req.Path = either(req.Path, exact)
	from, err := parseCursor(text)
	if err != nil {
		return nil, err
	}
	r, err := d.runtime.Glob(ctx, c.Workdir, req)
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

func (d *Dispatcher) searchGrep(ctx context.Context, c call, body json.RawMessage) (any, error) {
	var req search.GrepRequest
	var exact []byte
	var text string
	if err := decode(body,
		field{"pattern", &req.Pattern}, field{"path", &req.Path}, field{"pathBytes", &exact},
		field{"include", &req.Include}, field{"case", (*string)(&req.Case)},
		field{"literal", &req.Literal}, field{"multiline", &req.Multiline},
		field{"before", &req.Before}, field{"after", &req.After},
		field{"filesOnly", &req.FilesOnly}, field{"count", &req.Count}, field{"cursor", &text},
	); err != nil {
		return nil, err
	}
	req.Path = either(req.Path, exact)
	from, err := parseCursor(text)
	if err != nil {
		return nil, err
	}
	r, err := d.runtime.Grep(ctx, c.Workdir, req)
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
