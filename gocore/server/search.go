package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// maxPageBytes bounds the results in one answer. A frame of 8 MiB holds them
// with what is around them; the rest is fetched with a cursor.
const maxPageBytes = 7 << 20

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
	Cursor    string      `json:"cursor"`
}

// paged is one page of a complete value. NextCursor is empty on the last.
type paged[T any] struct {
	Value      T
	NextCursor string
}

// MarshalJSON puts the cursor into the value's own object.
func (p paged[T]) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(p.Value)
	if err != nil || p.NextCursor == "" {
		return text, err
	}
	return fmt.Appendf(text[:len(text)-1], `,"nextCursor":%q}`, p.NextCursor), nil
}

func (s *Server) searchGlob(ctx context.Context, c call, body json.RawMessage) (any, error) {
	var p globParams
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	from, err := offset(p.Cursor)
	if err != nil {
		return nil, err
	}
	r, err := s.runtime.Glob(ctx, c.Workdir, search.GlobRequest{Pattern: p.Pattern, Path: either(p.Path, p.PathBytes)})
	if err != nil {
		return nil, err
	}
	to, cursor := page(len(r.Paths), from, func(i int) int { return jsonSize(r.Paths[i]) })
	r.Paths, r.PathBytes = r.Paths[min(from, to):to], r.PathBytes.Slice(from, to)
	return paged[*search.GlobResult]{r, cursor}, nil
}

func (s *Server) searchGrep(ctx context.Context, c call, body json.RawMessage) (any, error) {
	var p grepParams
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	from, err := offset(p.Cursor)
	if err != nil {
		return nil, err
	}
	r, err := s.runtime.Grep(ctx, c.Workdir, search.GrepRequest{
		Pattern: p.Pattern, Path: either(p.Path, p.PathBytes), Include: p.Include,
		Case: p.Case, Literal: p.Literal, Multiline: p.Multiline,
	})
	if err != nil {
		return nil, err
	}
	to, cursor := page(len(r.Matches), from, func(i int) int {
		m := &r.Matches[i]
		return jsonSize(m.Path) + jsonSize(m.Line) + matchOverhead + 2*len(m.PathBytes)
	})
	r.Matches = r.Matches[min(from, to):to]
	return paged[*search.GrepResult]{r, cursor}, nil
}

// matchOverhead is what the keys and numbers of one match take in JSON.
const matchOverhead = 64

// jsonSize is at least the size of a string in JSON, where the worst byte takes
// six: it counts the bytes that are not plain.
func jsonSize(s string) int {
	n := len(s) + 3
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			n += 5
		}
	}
	return n
}

func either(text string, exact []byte) string {
	if len(exact) > 0 {
		return string(exact)
	}
	return text
}

// A cursor is the number of results before the page. Nothing is kept between
// pages: an unchanged tree gives the same order each time.
func offset(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(cursor)
	if err != nil || n < 0 {
		return 0, &tool.ArgumentError{Argument: "cursor", Message: "it is not a cursor; pass nextCursor of the page before"}
	}
	return n, nil
}

// page returns where the page that starts at from ends, and the next cursor.
func page(total, from int, size func(i int) int) (to int, cursor string) {
	bytes := 0
	for to = min(from, total); to < total; to++ {
		if bytes += size(to); bytes > maxPageBytes && to > from {
			return to, strconv.Itoa(to)
		}
	}
	return to, ""
}
