package subprocess

import "strings"

// credentialWords mark a variable whose value is likely a secret. A child that
// searches files needs none of them.
var credentialWords = []string{
	"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL",
	"APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "AUTH", "COOKIE", "SESSION_KEY",
}

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
	if strings.HasSuffix(upper, "_KEY") || upper == "KEY" {
		return true
	}
	for _, word := range credentialWords {
		if strings.Contains(upper, word) {
			return true
		}
	}
	return false
}

func listed(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}
