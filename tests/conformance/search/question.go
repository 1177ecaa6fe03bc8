package main

import "encoding/json"

// question is what a driver is asked, one JSON object on its standard input. It
// answers with one answer on its standard output. Any program can be a driver.
type question struct {
	Tool string                     `json:"tool"`
	Args map[string]json.RawMessage `json:"args"`
	// Workdir is the session's working directory; null when it has none.
	Workdir *string        `json:"workdir"`
	Config  map[string]any `json:"config"`
	// Runtime is a path beside which the sidecar lies as <runtime>-rg.
	Runtime string `json:"runtime"`
	Owner   string `json:"owner"`
	Nested  bool   `json:"nested"`
	// AbortAfterMs cancels the call; 0 does not. PreAborted does before it starts.
	AbortAfterMs int  `json:"abortAfterMs"`
	PreAborted   bool `json:"preAborted"`
	// Indexed has the runtime search its workdir until it has an index of it, first.
	Indexed bool `json:"indexed,omitempty"`
}

// answer is what came of a question.
type answer struct {
	Canonical *canonical `json:"canonical"`
	Text      string     `json:"text"`
	Page      *page      `json:"page"`
	// Kind is "argument", "config" or "search" for a failure.
	Kind    string `json:"kind,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// page is the structured page of either tool.
type page struct {
	Paths   []string `json:"paths"`
	Matches []match  `json:"matches"`
	Shown   int      `json:"shown"`
	Total   int      `json:"total"`
	Sampled *struct {
		Reached int `json:"reached"`
		Total   int `json:"total"`
	} `json:"sampled"`
	Locator string `json:"locator"`
	Notes   []struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"notes"`
}
