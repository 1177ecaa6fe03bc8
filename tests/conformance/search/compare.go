package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// check returns what is wrong with an answer, or "".
func (r *run) check(a answer) string {
	problem := r.against(r.vector.Expect, a)
	if problem == "" {
		return ""
	}
	for _, also := range r.vector.AlsoAccept {
		if r.against(also, a) == "" {
			return ""
		}
	}
	return problem
}

func (r *run) against(want expectation, a answer) string {
	if want.Error != nil {
		return r.againstError(want, a)
	}
	if a.Kind != "" {
		return fmt.Sprintf("failed: %s %s: %s", a.Kind, a.Code, a.Message)
	}
	for _, problem := range []string{
		r.againstCanonical(want.Canonical, a.Canonical),
		r.againstFacts(want.RenderFacts, a),
		r.againstArtifact(want.Artifact, a),
		r.againstEnv(want.ChildEnv),
	} {
		if problem != "" {
			return problem
		}
	}
	return ""
}

func (r *run) againstError(want expectation, a answer) string {
	kind := r.vector.ErrorKind
	switch {
	case a.Kind != kind:
		return fmt.Sprintf("want an error of kind %s, got %q %s %s %s", kind, a.Kind, a.Code, a.Message, a.Text)
	case kind == "search" && want.Error.Code == nil:
		return "the vector names no code"
	case kind == "search" && a.Code != *want.Error.Code:
		return fmt.Sprintf("want code %s, got %s: %s", *want.Error.Code, a.Code, a.Message)
	case a.Message == "":
		return "the error has no message"
	}
	for _, part := range want.Error.Says {
		if !strings.Contains(a.Message, r.expand(part)) {
			return fmt.Sprintf("the message lacks %q: %q", r.expand(part), a.Message)
		}
	}
	return ""
}

func (r *run) expand(s string) string { return strings.ReplaceAll(s, "${R}", r.root) }

func (r *run) againstCanonical(want, got *canonical) string {
	if want == nil {
		return ""
	}
	if got == nil {
		return "there is no value"
	}
	if want.Root != nil && (got.Root == nil || *got.Root != r.expand(*want.Root)) {
		return fmt.Sprintf("root: want %q, got %v", r.expand(*want.Root), show(got.Root))
	}
	var paths []string
	for _, p := range want.Paths {
		paths = append(paths, r.expand(p))
	}
	gotPaths := slices.Clone(got.Paths)
	if r.vector.Order == "ties-free" {
		slices.Sort(paths)
		slices.Sort(gotPaths)
	}
	if !slices.Equal(paths, gotPaths) {
		return fmt.Sprintf("paths: want %q, got %q", paths, gotPaths)
	}
	var matches []match
	for _, m := range want.Matches {
		m.Path = r.expand(m.Path)
		if m.PathBytes == "" {
			m.PathBytes = pathBytes(got, m)
		}
		matches = append(matches, m)
	}
	gotMatches := slices.Clone(got.Matches)
	if r.vector.Order != "exact" {
		slices.SortStableFunc(matches, byPath)
		slices.SortStableFunc(gotMatches, byPath)
	}
	if !slices.Equal(matches, gotMatches) {
		return fmt.Sprintf("matches: want %+v, got %+v", matches, gotMatches)
	}
	if len(want.PathBytes) > 0 && !reflect.DeepEqual(want.PathBytes, got.PathBytes) {
		return fmt.Sprintf("pathBytes: want %v, got %v", want.PathBytes, got.PathBytes)
	}
	return ""
}

// pathBytes lets a vector leave the exact bytes of an odd name out.
func pathBytes(got *canonical, want match) string {
	for _, m := range got.Matches {
		if m.Path == want.Path {
			return m.PathBytes
		}
	}
	return ""
}

func byPath(a, b match) int { return strings.Compare(a.Path, b.Path) }

func show(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func (r *run) againstFacts(want *renderFacts, a answer) string {
	if want == nil {
		return ""
	}
	if a.Page == nil {
		return "there is no page"
	}
	if problem := r.againstNotes(want, a); problem != "" {
		return problem
	}
	if want.Empty {
		line, _, _ := strings.Cut(a.Text, "\n")
		if a.Page.Total != 0 || line != "No files found" && line != "No matches found" {
			return fmt.Sprintf("want an empty answer, got %q", a.Text)
		}
		return ""
	}
	capped := a.Page.Shown < a.Page.Total
	switch {
	case want.Capped != nil && *want.Capped != capped:
		return fmt.Sprintf("capped: want %v, got %v", *want.Capped, capped)
	case want.Shown != nil && *want.Shown != a.Page.Shown:
		return fmt.Sprintf("shown: want %d, got %d", *want.Shown, a.Page.Shown)
	case want.Seen != nil && *want.Seen != a.Page.Total:
		return fmt.Sprintf("seen: want %d, got %d", *want.Seen, a.Page.Total)
	case want.Saved != nil && *want.Saved != (a.Page.Locator != ""):
		return fmt.Sprintf("saved: want %v, got locator %q", *want.Saved, a.Page.Locator)
	case want.Sampled != nil && show(want.Sampled) != show(a.Page.Sampled):
		return fmt.Sprintf("sampled: want %s, got %s", want.Sampled, show(a.Page.Sampled))
	case want.NarrowHint != nil && *want.NarrowHint != strings.Contains(a.Text, "Narrow path to see"):
		return fmt.Sprintf("narrow hint: want %v in %q", *want.NarrowHint, a.Text)
	case capped && !strings.Contains(a.Text, fmt.Sprintf("Showing %d of %d ", a.Page.Shown, a.Page.Total)):
		return fmt.Sprintf("no count in the page: %q", a.Text)
	}
	if problem := r.againstPage(want, a); problem != "" {
		return problem
	}
	return r.againstBody(want, a)
}

// againstNotes compares the codes, and makes sure that the text has what they say.
func (r *run) againstNotes(want *renderFacts, a answer) string {
	var codes []string
	for _, note := range a.Page.Notes {
		codes = append(codes, note.Code)
		if !strings.Contains(a.Text, note.Message) {
			return fmt.Sprintf("the text lacks the note %q: %q", note.Message, a.Text)
		}
	}
	if want.Notes != nil && !slices.Equal(*want.Notes, codes) {
		return fmt.Sprintf("notes: want %q, got %q in %q", *want.Notes, codes, a.Text)
	}
	for _, part := range want.Says {
		if !strings.Contains(a.Text, r.expand(part)) {
			return fmt.Sprintf("the text lacks %q: %q", r.expand(part), a.Text)
		}
	}
	return ""
}

func (r *run) againstPage(want *renderFacts, a answer) string {
	if want.Page == nil || r.vector.Order == "page-free" {
		return ""
	}
	var paths, lines []string
	for _, p := range want.Page {
		paths = append(paths, r.expand(p))
		lines = append(lines, strings.NewReplacer("\n", `\n`, "\x1b", `\x1b`).Replace(r.expand(p)))
	}
	got := slices.Clone(a.Page.Paths)
	list, _, _ := strings.Cut(a.Text, "\n\n(")
	gotLines := strings.Split(list, "\n")
	if r.vector.Order == "ties-free" {
		for _, l := range [][]string{paths, lines, got, gotLines} {
			slices.Sort(l)
		}
	}
	if !slices.Equal(paths, got) {
		return fmt.Sprintf("page: want %q, got %q", paths, got)
	}
	if !slices.Equal(lines, gotLines) {
		return fmt.Sprintf("text: want the lines %q, got %q", lines, gotLines)
	}
	return ""
}

func (r *run) againstBody(want *renderFacts, a answer) string {
	if want.Body == nil || r.vector.Order == "page-free" {
		return ""
	}
	_, got, _ := strings.Cut(a.Text, "\n\n") // behind "Found N matches"
	got, _, _ = strings.Cut(got, "\n\n(")
	wanted := r.expand(*want.Body)
	if r.vector.Order != "exact" {
		got, wanted = sortGroups(got), sortGroups(wanted)
	}
	if got != wanted {
		return fmt.Sprintf("body: want %q, got %q", wanted, got)
	}
	return ""
}

func sortGroups(body string) string {
	groups := strings.Split(body, "\n\n")
	slices.Sort(groups)
	return strings.Join(groups, "\n\n")
}

var hexes = regexp.MustCompile(`<(\d+) hex>`)

func (r *run) againstArtifact(want *artifact, a answer) string {
	if want == nil {
		return ""
	}
	text, err := os.ReadFile(a.Page.Locator)
	if err != nil {
		return err.Error()
	}
	if string(text) != r.expand(want.Content) || len(text) != want.Bytes {
		return fmt.Sprintf("artifact: want %q, got %q", want.Content, text)
	}
	rel, err := filepath.Rel(r.spillRoot(), a.Page.Locator)
	if err != nil {
		return err.Error()
	}
	shape := hexes.ReplaceAllString(regexp.QuoteMeta(want.Shape), "[0-9a-f]{$1}")
	if !regexp.MustCompile("^" + shape + "$").MatchString(rel) {
		return fmt.Sprintf("artifact name: want %s, got %s", want.Shape, rel)
	}
	for path, mode := range map[string]string{a.Page.Locator: want.FileMode, filepath.Dir(a.Page.Locator): want.DirMode} {
		info, err := os.Stat(path)
		if err != nil {
			return err.Error()
		}
		if got := fmt.Sprintf("0o%o", info.Mode().Perm()); got != mode {
			return fmt.Sprintf("mode of %s: want %s, got %s", path, mode, got)
		}
	}
	return ""
}

func (r *run) againstEnv(want []string) string {
	if want == nil {
		return ""
	}
	got, err := seenEnv(r.runtime() + "-rg")
	if err != nil {
		return err.Error()
	}
	slices.Sort(got)
	if !slices.Equal(want, got) {
		return fmt.Sprintf("environment of the sidecar: want %v, got %v", want, got)
	}
	return ""
}
