// Package shellplan is the Plan of a shell command as a value: which words the
// command may read or write, with which access, in which directory, and why the
// answer is not whole where it is not.
//
// It decides what a plan may say: the types, their JSON form, the bounds of a
// plan that is handed in, and Validate, which names the field that is wrong. It
// does not decide what a text means (package planner builds plans) nor where a
// word lands (package establish) nor what may run (package judge). It imports
// nothing of this module but the strict reader of JSON.
//
// The JSON form (wire.go, encode.go, decode.go) is arrays and indices, never
// pointers; a text that is not UTF-8 is escaped and travels whole in a sibling
// field named ...Bytes. Zero values of the enumerations are invalid or the
// widest reading, so a field that nobody filled in is never a permission.
//
// Known limits: a plan is as true as the one who built it. Validate finds what is
// malformed, not what is missing.
package shellplan
