package confine

import (
	"slices"
	"strings"
)

// secretParts stand in names of variables that hold credentials.
var secretParts = []string{
	"TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL",
}

// secretNames lead to agents and daemons that act for this user.
var secretNames = []string{
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DOCKER_HOST", "KUBECONFIG", "XAUTHORITY",
}

func secret(name string) bool {
	upper := strings.ToUpper(name)
	return slices.Contains(secretNames, upper) || strings.HasPrefix(upper, "DBUS_") ||
		slices.ContainsFunc(secretParts, func(part string) bool { return strings.Contains(upper, part) })
}

// tmpVariables are other names for a folder for temporary files, and
// cacheVariables for caches: those that lead out of the write roots are taken
// out, so that the tool goes by TMPDIR and XDG_CACHE_HOME.
var (
	tmpVariables   = []string{"TMP", "TEMP", "GOTMPDIR"}
	cacheVariables = []string{
		"GOCACHE", "PIP_CACHE_DIR", "UV_CACHE_DIR", "YARN_CACHE_FOLDER", "MYPY_CACHE_DIR", "RUFF_CACHE_DIR",
		"CCACHE_DIR", "SCCACHE_DIR", "PYTHONPYCACHEPREFIX", "PRE_COMMIT_HOME", "GOLANGCI_LINT_CACHE", "npm_config_cache",
	}
)

// environ is an environment as the program gets it.
type environ []string

func (e environ) get(name string) string {
	value := ""
	for _, entry := range e {
		if n, v, ok := strings.Cut(entry, "="); ok && n == name {
			value = v // the last one counts, as for most programs
		}
	}
	return value
}

func (e *environ) drop(name string) {
	*e = slices.DeleteFunc(*e, func(entry string) bool {
		n, _, _ := strings.Cut(entry, "=")
		return n == name
	})
}

func (e *environ) set(name, value string) {
	e.drop(name)
	*e = append(*e, name+"="+value)
}

// scrub takes secrets out of an environment and says which.
func scrub(env, keep []string) (environ, []string) {
	var out environ
	var gone []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if secret(name) && !slices.Contains(keep, name) {
			gone = append(gone, name)
			continue
		}
		out = append(out, entry)
	}
	slices.Sort(gone)
	return out, slices.Compact(gone)
}
