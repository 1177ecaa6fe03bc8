// Package tool is what a model is given: two tools, glob and grep, with their
// names, schemas, descriptions and guidance, and the calls that it makes.
//
// It decides how arguments are read, when a result that does not fit is saved,
// and what a failure looks like to a model and to a program. It does not search
// or render; packages search and render do. Every text here is part of the
// product: docs/model-experience.md shows it, and tests compare it by the byte.
package tool
