//go:build linux

package main

import "github.com/hydraharness/harness-runtime/tests/oracle/family"

// fixed are what every change is held against: small parts of the families,
// bounded by counts and not by time, with one seed.
var fixed = []part{
	{name: proof},
	{name: "options", Options: family.Options{Seed: 1, Only: "ls|cp|find|less|xxd|file|chgrp|jq|vdir|zgrep|tree"}, stride: 3},
	{name: "pairs", Options: family.Options{Seed: 1, Count: 20_000}, stride: 8},
	{name: "effects", Options: family.Options{Seed: 1, Count: 4_000}},
	{name: "state", Options: family.Options{Seed: 1, Count: 3_000}},
	{name: "names", Options: family.Options{Seed: 1, Count: 3_000}},
	{name: "programs", Options: family.Options{Seed: 1, Count: 4_000}},
	{name: "git", Options: family.Options{Seed: 1, Only: "hook|global"}, stride: 20},
}
