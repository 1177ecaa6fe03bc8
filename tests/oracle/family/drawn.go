//go:build linux

package family

import (
	"regexp"

	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

// casesInBlock is how many lines a block of a family holds that draws them.
const casesInBlock = 50

// count is how many lines a family makes that draws them.
func (o Options) count() int {
	if o.Count == 0 {
		return 100_000
	}
	return o.Count
}

// drawn is a family whose lines are drawn one after the other.
type drawn struct {
	Options
	name  string
	only  *regexp.Regexp
	world *world.Spec
	// dash: one line in so many is for dash where the setting names no shell.
	dash int
	draw func(r *rnd) Case
}

func (f *drawn) Blocks() int { return (f.count() + casesInBlock - 1) / casesInBlock }

func (f *drawn) Block(i int) Block {
	r := random(f.Seed, f.name, i)
	b := Block{World: f.world, Setting: settingOf(f.Seed, i), Together: 1}
	seen := map[string]bool{}
	for tries := 0; len(b.Cases) < casesInBlock && tries < 20*casesInBlock; tries++ {
		c := f.draw(r)
		if !f.only.MatchString(c.By) || seen[c.Command] && len(c.Env) == 0 {
			continue
		}
		seen[c.Command] = true
		if f.dash > 0 && b.Shell == "" && r.IntN(f.dash) == 0 {
			c.Shell = "dash"
		}
		b.Cases = append(b.Cases, c)
	}
	return b
}
