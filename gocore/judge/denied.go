package judge

import "strings"

// DefaultDenied are the places below a home directory that hold credentials or
// private data, each with everything below it. A policy may replace or extend
// the list.
var DefaultDenied = []string{
	// keys and tokens of tools
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker/config.json", ".config/gcloud", ".config/gh", ".config/hub",
	".config/git/credentials", ".git-credentials", ".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc",
	".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml",
	".gradle/gradle.properties", ".terraform.d/credentials.tfrc.json", ".vault-token", ".config/op", ".config/rclone",
	".config/doctl", ".config/heroku", ".oci", ".boto", ".s3cfg", ".pgpass", ".my.cnf", ".config/containers/auth.json",
	// password stores and keyrings
	".password-store", ".local/share/keyrings", ".gnome2/keyrings", ".local/share/kwalletd", ".config/keepassxc",
	"Library/Keychains",
	// browser profiles
	".mozilla", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge",
	".config/vivaldi", ".config/opera", "snap/firefox", "snap/chromium",
	"Library/Application Support/Google/Chrome", "Library/Application Support/Firefox",
	"Library/Application Support/BraveSoftware", "Library/Application Support/Microsoft Edge", "Library/Safari",
	"Library/Cookies",
}

// DenyPaths compiles places relative to a home for every spelling of that home: the
// DenyPaths of a boundary.
func DenyPaths(relative []string, homes ...string) []string {
	var paths []string
	for _, home := range homes {
		if !strings.HasPrefix(home, "/") {
			continue
		}
		for _, rel := range relative {
			paths = append(paths, strings.TrimRight(home, "/")+"/"+strings.Trim(rel, "/"))
		}
	}
	return paths
}
