//go:build linux

package family

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// hasKey fits a line of the list of settings.
var hasKey = regexp.MustCompile(`^[A-Za-z0-9.<>*-]+\.[A-Za-z0-9.<>*-]+$`)

// gitKeys are the settings that the installed git knows, with a name that means
// something in this repository in place of what stands for one.
var gitKeys = sync.OnceValue(func() []string {
	out, _ := exec.Command("git", "help", "--config").Output()
	names := map[string][]string{"remote.": {"origin"}, "branch.": {"main"}, "pager.": {"log", "status", "diff"}, "gpg.": {"openpgp", "ssh"}, "alias": {"status", "log"}, "tar.": {"tar.gz", "tgz"}, "trailer.": {"a"}}
	keys := []string{
		"include.path", "includeIf.gitdir:**.path", "includeIf.onbranch:main.path", "extensions.worktreeConfig", "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv", "diff.x.command", "merge.x.driver",
		"core.worktree", "core.hooksPath", "core.fsmonitor", "core.alternateRefsCommand", "core.gitProxy", "gpg.ssh.defaultKeyCommand", "uploadpack.packObjectsHook", "mailmap.file", "fsck.skipList", "blame.ignoreRevsFile",
		"core.excludesFile", "core.attributesFile", "diff.orderFile", "commit.template", "trace2.normalTarget", "trace2.perfTarget", "trace2.eventTarget", "gc.recentObjectsHook", "trailer.a.command", "trailer.a.cmd", "diff.external", "core.pager", "core.editor",
		"log.mailmap", "init.templateDir", "tar.tar.gz.command", "alias.status", "submodule.nested.update", "interactive.diffFilter", "sequence.editor", "credential.helper",
	}
	placeholder := regexp.MustCompile(`<[^>]*>|\*`)
	for line := range strings.Lines(string(out)) {
		k := strings.TrimSpace(line)
		if !hasKey.MatchString(k) {
			continue
		}
		if !placeholder.MatchString(k) {
			keys = append(keys, k)
			continue
		}
		stand := []string{"x"}
		for start, list := range names {
			if strings.HasPrefix(k, start) {
				stand = append(stand, list...)
			}
		}
		for _, n := range stand {
			keys = append(keys, placeholder.ReplaceAllString(k, n))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
})

// settingValue is what a setting of a kind may be.
func settingValue(r *rnd, key string) string {
	if r.IntN(3) == 0 {
		return pick(r, []string{"true", "{OUT}/d", "!{ROOT}/pay", "always", "1", "dlink-out", "link-out"})
	}
	return pick(r, []string{"{ROOT}/pay", "{OUT}/secret.txt", "{OUT}/new"})
}

func gitConfig(r *rnd, keys []string, i int, b *Block) {
	places := gitWords()["config place"]
	place, group := places[i%len(places)], i/len(places)
	var texts, named []string
	for n := range keysTogether {
		at := (group*keysTogether + n) * 7 // far from one another
		if group*keysTogether+n >= len(keys)*2 {
			break
		}
		k := keys[at%len(keys)]
		named = append(named, k)
		texts = append(texts, strings.NewReplacer("{K}", k, "{V}", settingValue(r, k)).Replace(place))
	}
	b.Then = strings.Join(texts, "; ")
	gitLines(r, 12, "config: "+strings.Join(named, " "), b)
}

// gitGiven gives a setting on the command line and in the environment.
func gitGiven(r *rnd, key string, b *Block) {
	w := gitWords()
	for range 12 {
		v := settingValue(r, key)
		s := gitLine(pick(r, w[pick(r, []string{"look", "change"})]))
		c := Case{Kind: "given: " + key}
		switch r.IntN(6) {
		case 0:
			c.Env, c.Command = map[string]string{"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": key, "GIT_CONFIG_VALUE_0": v}, s
		case 1:
			c.Command = "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0='" + key + "' GIT_CONFIG_VALUE_0='" + v + "' " + s
		case 2:
			c.Command = `GIT_CONFIG_PARAMETERS="'` + key + "=" + v + `'" ` + s
		case 3:
			c.Command = "git config '" + key + "' '" + v + "'; " + s
		case 4:
			c.Command = "V='" + v + "' git --config-env='" + key + "=V' " + strings.TrimPrefix(s, "git ")
		default:
			c.Command = "git -c '" + key + "=" + v + "' " + strings.TrimPrefix(s, "git ")
		}
		b.Cases = append(b.Cases, c)
	}
}

func gitEnvironment(r *rnd, i int, b *Block) {
	w := gitWords()
	name, v := w["environment"][i%len(w["environment"])], w["environment value"][i/len(w["environment"])]
	b.Together = 1
	for range 20 {
		s := gitLine(pick(r, w[pick(r, []string{"look", "change"})]))
		c := Case{Kind: "environment: " + name, Command: s}
		text := strings.ReplaceAll(v, "{ROOT}", "$PWD")
		switch r.IntN(6) {
		case 0, 1:
			c.Env = map[string]string{name: v}
		case 2:
			c.Command = name + "=" + text + " " + s
		case 3:
			c.Command = "export " + name + "=" + text + "; " + s
		case 4:
			c.Command = "env " + name + "=" + text + " " + s
		default:
			c.Command = "set -a; " + name + "=" + text + "; " + s
		}
		b.Cases = append(b.Cases, c)
	}
}
