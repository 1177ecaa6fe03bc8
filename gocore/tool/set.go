package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/supervise"
)

// Names of the tools.
const (
	Glob = "glob"
	Grep = "grep"
)

// Definition is one tool as a model sees it.
type Definition struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// InputSchema and OutputSchema are JSON schemas of the arguments and of the
	// structured page.
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
}

// Session says on whose behalf a call is made.
type Session struct {
	// Owner owns what the call saves. Without an owner nothing is saved.
	Owner string
	// CallID names the call in what it saves.
	CallID string
	// Workdir is the directory that relative paths start from.
	Workdir string
	// Nested calls are made by code, which gets the complete value: nothing is
	// saved for them.
	Nested bool
	// Searched, when it is set, is called as soon as the search has ended: what
	// comes then needs no place among the searches.
	Searched func()
}

func (s *Session) searched() {
	if s.Searched != nil {
		s.Searched()
	}
}

// Result is the answer to a call.
type Result struct {
	// Text is what the model reads: Body, Cut, Remarks and Foot.
	Text string
	// Body is the items, Cut is set when the search was cut short and says so,
	// Remarks are the warnings and notes, and Foot is what a capped page leaves out
	// and where the rest lies.
	Body, Cut, Remarks, Foot string
	// Page is the structured form of Text, a GlobPage or a GrepPage; nil for a
	// failure.
	Page any
	// Value is the complete canonical value, a *search.GlobResult or a
	// *search.GrepResult; nil for a failure.
	Value any
	// Failure is set when the call failed.
	Failure *failure.Failure
	// SpillErr is why the complete result of a capped page was not saved though
	// it should have been.
	SpillErr error
}

// Set is the tools of one runtime.
type Set struct {
	searcher *search.Searcher
	policy   render.Policy
	store    spill.Store
	pool     *supervise.Pool
	names    []string
}

// NewSet returns the tools of the given names, in the order of Names. A nil
// store saves nothing.
func NewSet(searcher *search.Searcher, policy render.Policy, store spill.Store, names []string) (*Set, error) {
	for _, name := range names {
		if !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("there is no tool %q; the tools are %s", name, strings.Join(Names(), ", "))
		}
	}
	s := &Set{searcher: searcher, policy: policy, store: store}
	for _, name := range Names() {
		if slices.Contains(names, name) {
			s.names = append(s.names, name)
		}
	}
	return s, nil
}

// Under makes a pool count the saves that this set leaves behind. Call it before
// the first call.
func (s *Set) Under(pool *supervise.Pool) { s.pool = pool }

// Names are all tools.
func Names() []string { return []string{Glob, Grep, ReadResult} }

// Standard are the tools of the contract, which are offered unless the configuration
// says otherwise.
func Standard() []string { return []string{Glob, Grep} }

// Definitions describes the tools of the set.
func (s *Set) Definitions() []Definition {
	var defs []Definition
	for _, name := range s.names {
		defs = append(defs, s.define(name))
	}
	return defs
}

// Guidance is what a system prompt says of the tools. It covers both searches, also
// when the set hides one.
func (s *Set) Guidance() string {
	text := GlobGuidance(s.policy) + "\n\n" + GrepGuidance()
	if slices.Contains(s.names, ReadResult) {
		text += "\n\n" + readGuidance
	}
	return text
}

// Call runs a tool with the model's arguments, a JSON object. Whatever happens
// is a Result.
func (s *Set) Call(ctx context.Context, session Session, name string, arguments json.RawMessage) Result {
	if !slices.Contains(s.names, name) {
		return failed(&ArgumentError{Argument: "name", Message: fmt.Sprintf("there is no tool %q; %s", failure.Clip(name), s.offered())})
	}
	switch name {
	case ReadResult:
		req, err := decodeRead(arguments)
		if err != nil {
			return failed(err)
		}
		return s.read(ctx, session, req)
	case Glob:
		req, err := decodeGlob(arguments)
		if err != nil {
			return failed(err)
		}
		return s.glob(ctx, session, req)
	}
	req, err := decodeGrep(arguments)
	if err != nil {
		return failed(err)
	}
	return s.grep(ctx, session, req)
}

// offered says which tools there are.
func (s *Set) offered() string {
	if len(s.names) == 0 {
		return "this runtime offers none"
	}
	return "the tools are " + strings.Join(s.names, ", ")
}

func (s *Set) glob(ctx context.Context, session Session, req search.GlobRequest) Result {
	value, err := s.searcher.Glob(ctx, session.Workdir, req)
	session.searched()
	if err != nil {
		return failed(err)
	}
	draft := render.Glob(value, s.policy)
	saved, spillErr := s.save(ctx, session, draft, spill.Meta{Tool: Glob, Label: "glob " + req.Pattern, Name: "glob-results.txt"},
		func(w io.Writer) error { return render.WriteGlob(w, value) })
	page := draft.Page(saved)
	structured := GlobPage{Root: value.Root, Paths: []string{}, Facts: facts(page, saved)}
	for _, i := range page.Indices {
		structured.Paths = append(structured.Paths, value.Paths[i])
	}
	return answer(page, structured, value, spillErr)
}

func (s *Set) grep(ctx context.Context, session Session, req search.GrepRequest) Result {
	value, err := s.searcher.Grep(ctx, session.Workdir, req)
	session.searched()
	if err != nil {
		return failed(err)
	}
	draft := render.Grep(value, s.policy)
	saved, spillErr := s.save(ctx, session, draft, spill.Meta{Tool: Grep, Label: "grep " + req.Pattern, Name: "grep-results.txt"},
		func(w io.Writer) error { return render.WriteGrep(w, value) })
	page := draft.Page(saved)
	structured := GrepPage{Matches: []GrepLine{}, Facts: facts(page, saved)}
	for n, i := range page.Indices {
		m := &value.Matches[i]
		structured.Matches = append(structured.Matches, GrepLine{m.Path, m.LineNumber, page.Lines[n]})
	}
	return answer(page, structured, value, spillErr)
}

func answer(page *render.Page, structured, value any, spillErr error) Result {
	return Result{
		Text: page.Text(), Body: page.Body, Cut: page.Cut, Remarks: page.Remarks, Foot: page.Foot,
		Page: structured, Value: value, SpillErr: spillErr,
	}
}
