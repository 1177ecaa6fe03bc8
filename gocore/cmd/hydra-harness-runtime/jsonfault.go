package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// jsonFault says what is wrong with JSON that was handed in, without the names of
// Go and its packages.
func jsonFault(err error) error {
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped):
		place := "it"
		if mistyped.Field != "" {
			place = mistyped.Field
		}
		return fmt.Errorf("%s has a JSON %s where %s belongs", place, mistyped.Value, belongs(mistyped.Type))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends before its JSON does")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// belongs names the JSON that is read into a type of Go.
func belongs(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list of texts"
	}
	return "an object"
}
