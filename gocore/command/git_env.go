package command

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// gitHarmless are the variables of git that change nothing it opens or runs.
var gitHarmless = map[string]bool{
	"GIT_AUTHOR_NAME": true, "GIT_AUTHOR_EMAIL": true, "GIT_AUTHOR_DATE": true, "GIT_COMMITTER_NAME": true,
	"GIT_COMMITTER_EMAIL": true, "GIT_COMMITTER_DATE": true, "GIT_OPTIONAL_LOCKS": true, "GIT_TERMINAL_PROMPT": true,
	"GIT_MERGE_AUTOEDIT": true, "GIT_LITERAL_PATHSPECS": true, "GIT_PS1_SHOWDIRTYSTATE": true, "GIT_ADVICE": true,
	"GIT_REFLOG_ACTION": true, "GIT_DEFAULT_HASH": true, "GIT_FLUSH": true,
}

// gitOwn are variables that name programs and files git uses only on a terminal,
// for a message or for the network. The user's own setting is trusted like the same
// setting in ~/.gitconfig; one that the text makes is not.
var gitOwn = map[string]bool{
	"GIT_PAGER": true, "GIT_EDITOR": true, "GIT_SEQUENCE_EDITOR": true, "GIT_ASKPASS": true, "GIT_SSH": true,
	"GIT_SSH_COMMAND": true, "GIT_SSH_VARIANT": true, "GIT_SSL_CAINFO": true, "GIT_SSL_CAPATH": true, "GIT_SSL_CERT": true,
	"GIT_SSL_KEY": true, "GIT_SSL_NO_VERIFY": true, "GIT_SSL_VERSION": true, "GIT_SSL_CIPHER_LIST": true,
	"GIT_HTTP_USER_AGENT": true, "GIT_HTTP_LOW_SPEED_LIMIT": true, "GIT_HTTP_LOW_SPEED_TIME": true, "GIT_PROXY_SSL_CAINFO": true,
	"GIT_PROXY_SSL_CERT": true, "GIT_PROXY_SSL_KEY": true, "GIT_ALLOW_PROTOCOL": true, "GIT_PROTOCOL": true,
	"PAGER": true, "EDITOR": true, "VISUAL": true, "SSH_ASKPASS": true,
}

// gitVariables adds a reason for each variable that takes git out of the model.
func (c *Call) gitVariables() {
	look := func(name string, v shellword.Value, inherited bool) {
		if v.Kind == shellword.ValueUnset || gitHarmless[name] || !strings.HasPrefix(name, "GIT_") && !gitOwn[name] {
			return
		}
		s := string(v.Text)
		switch {
		case gitOwn[name] && (inherited || v.Kind == shellword.ValueText && (s == "cat" || s == "" || s == "true" || s == ":" || s == "less")):
			return
		case strings.HasPrefix(name, "GIT_PS1_"), strings.HasPrefix(name, "GIT_TRACE") && (s == "0" || s == "1" || s == "2" || s == "true"):
			return
		case name == "GIT_CONFIG_NOSYSTEM", (name == "GIT_CONFIG_GLOBAL" || name == "GIT_CONFIG_SYSTEM") && s == "/dev/null":
			return
		}
		c.environment(name)
	}
	for _, v := range c.Exported() {
		look(v.Name, v.Value, v.Inherited)
	}
	// The user's settings lie where these say. A text that says where has not
	// the user's settings, and they can name programs.
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME"} {
		if !c.Inherited(name) && c.Variable(name).Kind != shellword.ValueUnset {
			c.environment(name)
		}
	}
}

// gitUserFiles are the settings of the user by the environment of the command;
// the establishment looks at those of its own home besides.
func (c *Call) gitUserFiles() (out [][]byte) {
	for name, files := range map[string][]string{"HOME": {"/.config/git/config", "/.gitconfig"}, "XDG_CONFIG_HOME": {"/git/config"}} {
		v := c.Variable(name)
		if v.Kind != shellword.ValueText || !bytes.HasPrefix(v.Text, []byte("/")) {
			continue
		}
		for _, f := range files {
			out = append(out, append(bytes.TrimRight(bytes.Clone(v.Text), "/"), f...))
		}
	}
	slices.SortFunc(out, bytes.Compare)
	return out
}

// gitSettingOK reports whether a -c setting changes only what is printed.
func gitSettingOK(s string) bool {
	name, _, _ := strings.Cut(strings.ToLower(s), "=")
	switch name {
	case "core.quotepath", "color.ui", "user.name", "user.email", "core.abbrev", "log.date", "log.decorate", "diff.renames",
		"diff.mnemonicprefix", "diff.noprefix", "diff.algorithm", "init.defaultbranch", "core.preloadindex", "core.filemode",
		"core.autocrlf", "status.short", "status.branch", "status.showuntrackedfiles", "safe.directory", "gc.auto", "commit.gpgsign=false":
		return true
	}
	return strings.HasPrefix(name, "advice.") || strings.HasPrefix(name, "color.") || name == "core.pager" && strings.HasSuffix(s, "=cat") ||
		(name == "commit.gpgsign" || name == "tag.gpgsign" || name == "core.fsmonitor") && strings.HasSuffix(s, "=false")
}
