// Package execenvtest is a file system in memory that answers the questions of
// execenv, counts them and fails the one a test names. Tests only.
package execenvtest
