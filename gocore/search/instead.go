package search

import (
	"os"
	"strings"
)

// unexpanded finds what a shell would put a value for.
var unexpanded = lazily(`\$(?:\w+|\{\w+\})|%\w+%`)

// insteadOf says what to write for a path that is not there, or "".
func insteadOf(workdir, path string) string {
	if variable := unexpanded().FindString(path); variable != "" {
		return "; " + oneLine(variable) + " is not expanded here, write the path out"
	}
	if there := likeNamed(workdir, path); there != "" {
		return "; there is " + quote(there)
	}
	return ""
}

// likeNamed returns the path that is there and differs in letter case, or in
// blanks around its names, or "".
func likeNamed(workdir, path string) string {
	absolute := strings.HasPrefix(path, "/")
	at, found, changed := workdir, "", false
	if absolute {
		at, found = "/", "/"
	}
	for i, name := range strings.Split(strings.Trim(path, "/"), "/") {
		if _, err := os.Lstat(joinPath(at, name)); err != nil {
			if name = likeEntry(at, name); name == "" {
				return ""
			}
			changed = true
		}
		if i > 0 {
			found += "/"
		}
		at, found = joinPath(at, name), found+name
	}
	if !changed {
		return ""
	}
	return found
}

// likeEntry returns the one entry of a directory that a name stands for but for
// letter case and blanks around it, or "".
func likeEntry(dir, name string) string {
	entries, ok := listDir(dir, maxLookEntries)
	if !ok {
		return ""
	}
	bare, best := strings.TrimSpace(name), ""
	for _, e := range entries {
		switch {
		case e.Name() == bare:
			return bare
		case best == "" && strings.EqualFold(strings.TrimSpace(e.Name()), bare):
			best = e.Name()
		}
	}
	return best
}
