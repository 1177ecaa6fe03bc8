package confine

import (
	"path/filepath"
	"slices"
	"strings"
)

// environment makes the program's environment: no secrets, temporary files and
// caches inside the write roots.
func (c *compiler) environment() {
	env, gone := scrub(c.Env, c.policy.KeepEnv)
	if len(gone) > 0 {
		c.note("taken out of the environment: %s", strings.Join(gone, ", "))
	}
	if c.policy.Tmp != "" {
		env.set("TMPDIR", c.landed(c.policy.Tmp))
	}
	if c.policy.Cache != "" {
		dir := c.landed(c.policy.Cache)
		env.set("XDG_CACHE_HOME", dir)
		env.set("npm_config_cache", join(dir, "npm"))
	}
	for _, name := range slices.Concat(tmpVariables, cacheVariables) {
		if dir := env.get(name); dir != "" && filepath.IsAbs(dir) && !c.writable(dir) {
			env.drop(name)
		}
	}
	if npmrc := c.home + "/.npmrc"; filepath.IsAbs(c.home) && underAny(c.landed(npmrc), c.plan.Denied) {
		env.set("npm_config_userconfig", "/dev/null") // npm ends when it may not read it
	}
	env.set("HYDRA_CONFINED", string(c.plan.Level))
	c.plan.Env = env
}

// landed is where a path leads; a loop leads nowhere.
func (c *compiler) landed(text string) string {
	l, err := land(c.Tree, c.absolute(text))
	if err != nil {
		return text
	}
	return l.path
}

func (c *compiler) writable(text string) bool {
	return underAny(c.landed(text), c.plan.Write)
}
