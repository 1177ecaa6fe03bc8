package subprocess

import "strings"

// Keep returns the variables of env ("NAME=value") whose names are listed; a
// name that ends in "*" stands for all that begin so. A child gets what it
// needs and nothing that happens to lie around: credentials have any name.
func Keep(env []string, names ...string) []string {
	kept := make([]string, 0, len(names))
	for _, entry := range env {
		name, _, ok := strings.Cut(entry, "=")
		if ok && name != "" && listed(names, name) {
			kept = append(kept, entry)
		}
	}
	return kept
}

func listed(names []string, name string) bool {
	for _, n := range names {
		prefix, open := strings.CutSuffix(n, "*")
		if n == name || open && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
