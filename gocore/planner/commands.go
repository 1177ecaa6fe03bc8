package planner

import "fmt"

// commands is the table: every program that the planner knows, by name. The
// files table_*.go fill it.
var commands = map[string]*row{}

// add enters rows under their names; a name entered twice is a mistake that a
// test would not see, so it panics.
func add(r *row, names ...string) {
	for _, n := range names {
		if commands[n] != nil {
			panic(fmt.Sprintf("command table: %s is entered twice", n))
		}
		commands[n] = r
	}
}

const gnu = " help! version!"
