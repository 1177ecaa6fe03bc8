package subprocess

import "strings"

// credentialWords mark a variable whose value is likely a secret, or a way to
// one, wherever they stand in its name. A child that searches files needs none
// of them, nor any other variable that happens to have such a name.
var credentialWords = []string{
	"TOKEN", "SECRET", "PASS", "CRED", "AUTH", "COOKIE", "JWT", "BEARER",
	"APIKEY", "API_KEY", "ACCESS_KEY", "ACCESSKEY", "PRIVATE_KEY", "PRIVATEKEY", "SESSION_KEY",
	"CONNECTION_STRING", "DATABASE_URL", "WEBHOOK",
}

// credentialEnds mark one where they end its name, or are all of it.
var credentialEnds = []string{"KEY", "KEYS", "PAT", "PIN", "DSN"}

// Scrub returns the variables of env ("NAME=value") that a child may see: those
// whose names are not shaped like credentials and are not listed in drop.
func Scrub(env []string, drop ...string) []string {
	kept := make([]string, 0, len(env))
	for _, entry := range env {
		name, _, ok := strings.Cut(entry, "=")
		if ok && name != "" && !credentialShaped(name) && !listed(drop, name) {
			kept = append(kept, entry)
		}
	}
	return kept
}

func credentialShaped(name string) bool {
	upper := strings.ToUpper(name)
	for _, word := range credentialWords {
		if strings.Contains(upper, word) {
			return true
		}
	}
	for _, end := range credentialEnds {
		if upper == end || strings.HasSuffix(upper, "_"+end) {
			return true
		}
	}
	// PWD and OLDPWD are directories, MYSQL_PWD is not.
	return strings.HasSuffix(upper, "_PWD")
}

func listed(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}
