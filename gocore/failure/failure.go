// Package failure is the one table of what can go wrong with a call: the code
// that programs go by, its number on the wire, its class, and who can mend it.
//
// It decides how any error of the runtime looks to a program, and how much text
// one may carry. It does not decide what is an error: the packages that raise
// them do, and an error says its code by having a method FailureCode. What has
// none is a fault of our own.
//
// docs/protocol.md and tests/conformance/failures.json hold the same table, by
// a test; the Python package is checked against the latter.
package failure

import (
	"encoding/json"
	"errors"
)

// Failure is an error as programs see it.
type Failure struct {
	// Name is the class of the failure.
	Name Class `json:"name"`
	// Code is one of the table's.
	Code string `json:"code"`
	// Retryable tells that other arguments, or the same ones later, can help.
	Retryable bool `json:"retryable"`
	// Details are a JSON object.
	Details json.RawMessage `json:"details"`
	// Message is the text for people.
	Message string `json:"-"`
}

// coded is an error that is in the table. Its other methods are optional:
//
//	FailureDetails() any      facts for programs, with the form of a JSON object
//	FailureMender() Mender    who can mend this one, where that depends
//	FailureText() string      the message, where it is not that of Error
type coded interface {
	error
	FailureCode() string
}

// Of describes an error by the outermost of those it wraps that has a code.
func Of(err error) *Failure {
	var known coded
	if !errors.As(err, &known) {
		return describe(table[Internal], err.Error(), nil)
	}
	row, listed := table[known.FailureCode()]
	if !listed {
		row = table[Internal]
	}
	if of, ok := known.(interface{ FailureMender() Mender }); ok {
		row.Mender = of.FailureMender()
	}
	text := known.Error()
	if of, ok := known.(interface{ FailureText() string }); ok {
		text = of.FailureText()
	}
	var details any
	if of, ok := known.(interface{ FailureDetails() any }); ok {
		details = of.FailureDetails()
	}
	return describe(row, text, details)
}

func describe(row Row, text string, details any) *Failure {
	return &Failure{
		Name: row.Class, Code: row.Code, Retryable: row.Mender.retryable(),
		Details: object(details), Message: Shorten(text),
	}
}

// Detail is a detail with one member, none where the value is empty.
func Detail(name, value string) any {
	if value == "" {
		return nil
	}
	return map[string]string{name: value}
}

func object(v any) json.RawMessage {
	none := json.RawMessage(`{}`)
	if v == nil {
		return none
	}
	text, err := json.Marshal(v)
	if err != nil {
		return none
	}
	return text
}
