package subprocess

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Rule: a child gets no variable whose name is shaped like that of a credential,
// and everything else.
func TestScrub(t *testing.T) {
	for _, name := range []string{
		"GITHUB_TOKEN", "CI_JOB_TOKEN", "npm_config__authToken", "aws_secret_access_key", "AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN",
		"OPENAI_API_KEY", "ANTHROPIC_API_KEYS", "STRIPE_APIKEY", "DEPLOY_KEY", "KEY", "SSH_KEYS", "GPG_PRIVATE_KEY", "AZURE_STORAGE_CONNECTION_STRING",
		"DB_PASSWORD", "DB_PASS", "MYSQL_PWD", "PGPASSWORD", "PGPASSFILE", "SSHPASS", "GIT_ASKPASS", "GPG_PASSPHRASE", "RSYNC_PASSWD",
		"GOOGLE_APPLICATION_CREDENTIALS", "GIT_CREDENTIAL_HELPER", "MY_CREDS", "SSH_AUTH_SOCK", "HTTP_AUTHORIZATION", "XAUTHORITY",
		"SESSION_COOKIE", "SUPABASE_JWT", "BEARER", "SENTRY_DSN", "DATABASE_URL", "SLACK_WEBHOOK_URL", "GITHUB_PAT", "PAT", "CARD_PIN",
	} {
		assert.Empty(t, Scrub([]string{name + "=x"}), name)
	}
	for _, name := range []string{
		"HOME", "PATH", "PWD", "OLDPWD", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER", "SHELL", "TERM", "XDG_CONFIG_HOME", "LD_LIBRARY_PATH",
		"KEYBOARD", "KEYMAP", "MONKEY", "PATIENCE", "MANPATH", "SPIN", "GOFLAGS", "RUST_BACKTRACE", "EMPTY_BUT_NAMED",
	} {
		assert.Equal(t, []string{name + "=a=b"}, Scrub([]string{name + "=a=b"}), name)
	}
	assert.Equal(t, []string{"A=", "B=1"}, Scrub([]string{"A=", "RIPGREP_CONFIG_PATH=/rc", "no value", "=no name", "B=1"}, "RIPGREP_CONFIG_PATH"))
}
