//go:build linux

package main

import "github.com/hydraharness/harness-runtime/tests/oracle/family"

// fixed are what every change is held against: small parts of the families,
// bounded by counts and not by time, with one seed.
var fixed = []part{
	{proof, family.Options{}},
	{"options", family.Options{Seed: 1, Only: "ls|cp|find|less|xxd|file|chgrp"}},
}
