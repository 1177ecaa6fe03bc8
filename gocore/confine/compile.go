package confine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// maxRules bounds what is listed around denied paths, as establishment bounds its
// own listing: a start must not take seconds.
const maxRules = 4096

// World is what Compile knows of the machine and the caller.
type World struct {
	Tree Tree
	// Env and Cwd are the caller's.
	Env []string
	Cwd string
	// UID is who starts the program.
	UID uint32
}

// compiler holds what one compilation has found so far.
type compiler struct {
	World
	policy     Policy
	plan       *Plan
	home       string
	seen       map[string]bool
	fromCaller []string // denied paths of the caller's own
}

// Compile turns a policy into the plan of one level, NS or LL. What cannot be
// held is an error that says what to change, and nothing may be started then.
func Compile(p Policy, w World, level Level) (*Plan, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	c := &compiler{World: w, policy: p, seen: map[string]bool{}}
	c.plan = &Plan{Level: level, Net: NetNone, Unix: p.UnixSockets, Cwd: w.Cwd}
	if p.Net == NetAll {
		c.plan.Net = NetAll
	}
	if c.home = p.Home; c.home == "" {
		c.home = environ(w.Env).get("HOME")
	}
	for _, step := range []func() error{
		c.writeRoots, c.worktrees, c.links, c.deny, c.masks, c.read, c.guard,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	c.devices()
	c.environment()
	if len(c.plan.Rules) > maxRules {
		return nil, fmt.Errorf("more than %d rules are needed around the denied paths; give narrower read roots", maxRules)
	}
	return c.plan, nil
}

// absolute is a path of the caller's, from where the caller is.
func (c *compiler) absolute(p string) string {
	if strings.HasPrefix(p, "/") {
		return p
	}
	return c.Cwd + "/" + p
}

func (c *compiler) note(format string, args ...any) {
	c.plan.Notes = append(c.plan.Notes, fmt.Sprintf(format, args...))
}

// root is where a root of the caller's lies, or nothing and a note.
func (c *compiler) root(flag, text string) (string, error) {
	l, err := land(c.Tree, c.absolute(text))
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", flag, text, err)
	}
	if l.kind == Missing {
		c.note("%s %s does not exist and is left out", flag, text)
		return "", nil
	}
	if what := c.Tree.Unheld(l.path); what != "" {
		return "", fmt.Errorf("%s %s lies on a file system (%s) that Landlock cannot hold; copy it to one of Linux's own", flag, text, what)
	}
	return l.path, nil
}

func (c *compiler) writeRoots() error {
	roots := c.policy.WriteRoots
	for _, own := range []string{c.policy.Tmp, c.policy.Cache} {
		if own != "" {
			roots = append(roots[:len(roots):len(roots)], own)
		}
	}
	for _, text := range roots {
		dir, err := c.root("--write-root", text)
		if err != nil {
			return err
		}
		if dir != "" {
			c.plan.Write = append(c.plan.Write, dir)
		}
	}
	sortUnique(&c.plan.Write)
	return nil
}

// links refuses a root that is reached through a link in a write root: an earlier
// command may have made that link, and led the root where it likes.
func (c *compiler) links() error {
	given := slices.Concat(c.policy.Roots, c.policy.WriteRoots, c.policy.DenyPaths, []string{c.policy.Tmp, c.policy.Cache})
	for _, text := range given {
		if text == "" {
			continue
		}
		l, err := land(c.Tree, c.absolute(text))
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		if link := c.forgeable(l); link != "" {
			return fmt.Errorf("%s is reached through the link %s, which lies in a write root, so that a command can lead it elsewhere; give it as %s", text, link, l.path)
		}
	}
	return nil
}

// forgeable is a link on the way that the program could have made.
func (c *compiler) forgeable(l landing) string {
	for _, link := range l.links {
		if underAny(link, c.plan.Write) {
			return link
		}
	}
	return ""
}

// deny collects what is denied: the caller's paths, those of the home, those of
// the system.
func (c *compiler) deny() error {
	denied := func(text string) (string, error) {
		l, err := land(c.Tree, text)
		return l.path, err
	}
	for _, text := range c.policy.DenyPaths {
		p, err := denied(c.absolute(text))
		if err != nil {
			return fmt.Errorf("--deny-path %s: %w", text, err)
		}
		c.fromCaller = append(c.fromCaller, p)
	}
	c.plan.Denied = slices.Clone(c.fromCaller)
	others := slices.Clone(systemDenied)
	if filepath.IsAbs(c.home) {
		for _, rel := range c.policy.HomeDenied {
			others = append(others, c.home+"/"+rel)
		}
	}
	if keys, err := c.Tree.List(hostKeys); err == nil {
		for _, e := range keys {
			if isHostKey(e.Name) {
				others = append(others, join(hostKeys, e.Name))
			}
		}
	}
	for _, text := range others {
		if p, err := denied(text); err == nil { // a loop of links cannot be read either
			c.plan.Denied = append(c.plan.Denied, p)
		}
	}
	sortUnique(&c.plan.Denied)
	return nil
}

// masks finds the denied paths below write roots.
func (c *compiler) masks() error {
	for _, w := range c.plan.Write {
		for _, d := range c.plan.Denied {
			switch {
			case under(w, d):
				return fmt.Errorf("the write root %s lies in the denied path %s; give another write root", w, d)
			case !under(d, w):
			case c.Tree.Kind(d) == Missing:
				if slices.Contains(c.fromCaller, d) {
					return fmt.Errorf("%s is denied, lies in the write root %s and does not exist, so that it could be made; make it first, or give a narrower write root", d, w)
				}
			case c.plan.Level != LevelNS:
				return fmt.Errorf("%s is denied and lies in the write root %s; without namespaces the kernel cannot take it out: give a narrower write root", d, w)
			default:
				c.mask(d, w)
			}
		}
		c.allow(w, Write, true)
	}
	return nil
}

// mask covers a path, and pins the folders down to it: renamed away, the next
// command would find what was denied under another name.
func (c *compiler) mask(d, root string) {
	for _, m := range c.plan.Masks {
		if under(d, m.Path) {
			return
		}
	}
	c.plan.Masks = append(c.plan.Masks, Mask{d, c.Tree.Kind(d) == Dir})
	for dir := filepath.Dir(d); dir != root; dir = filepath.Dir(dir) {
		if !slices.Contains(c.plan.Pins, dir) && !slices.Contains(c.plan.Write, dir) {
			c.plan.Pins = append(c.plan.Pins, dir)
		}
	}
	slices.Sort(c.plan.Pins) // a folder before what lies in it
}

// read allows the read roots, the caller's first.
func (c *compiler) read() error {
	var own []string
	for _, text := range c.policy.Roots {
		dir, err := c.root("--root", text)
		if err != nil {
			return err
		}
		if dir != "" {
			own = append(own, dir)
		}
	}
	for _, text := range c.system() {
		l, err := land(c.Tree, text)
		if err != nil || l.kind == Missing || l.kind == Dir && text != "/" && tooWide(l.path, c.home) {
			continue
		}
		if link := c.forgeable(l); link != "" {
			c.note("%s is not readable: it is reached through the link %s, which lies in a write root", text, link)
			continue
		}
		c.plan.Read = append(c.plan.Read, l.path)
	}
	c.plan.Read = append(c.plan.Read, own...)
	sortUnique(&c.plan.Read)
	for _, dir := range c.plan.Read {
		switch {
		case underAny(dir, c.plan.Write):
		case underAny(dir, c.plan.Denied):
			c.note("%s lies in a denied path and is not readable", dir)
		default:
			c.around(dir, slices.Contains(own, dir))
		}
	}
	return nil
}

// system are the places outside the roots that tools need.
func (c *compiler) system() []string {
	places := slices.Clone(systemRead)
	env := environ(c.Env)
	home := c.home
	if l, err := land(c.Tree, c.home); err == nil && filepath.IsAbs(c.home) {
		home = l.path
		for _, rel := range homeRead {
			places = append(places, c.home+"/"+rel)
		}
	}
	for _, name := range rootVariables {
		if dir := env.get(name); filepath.IsAbs(dir) && !tooWide(filepath.Clean(dir), home) {
			places = append(places, dir)
		}
	}
	for _, folder := range filepath.SplitList(env.get("PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		l, err := land(c.Tree, folder)
		if err != nil || l.kind != Dir || c.forgeable(l) != "" || tooWide(l.path, home) {
			continue
		}
		places = append(places, toolRoot(l.path, home))
	}
	return places
}

// around allows reading below a folder but for what is denied there: the names
// beside each denied path are listed, and allowed one by one.
func (c *compiler) around(dir string, must bool) {
	below := false
	for _, d := range c.plan.Denied {
		if d == dir {
			return
		}
		below = below || under(d, dir)
	}
	if !below {
		c.allow(dir, Read, must)
		return
	}
	c.allow(dir, List, must)
	entries, err := c.Tree.List(dir)
	if err != nil {
		c.note("%s cannot be listed (%v), so that nothing in it is readable", dir, err)
	}
	for _, e := range entries {
		if len(c.plan.Rules) > maxRules {
			return // Compile says so
		}
		if e.Kind != Link { // where it leads has its own rule, or none
			c.around(join(dir, e.Name), false)
		}
	}
}

func (c *compiler) allow(path string, right Right, must bool) {
	key := fmt.Sprint(right, path)
	if !c.seen[key] {
		c.seen[key] = true
		c.plan.Rules = append(c.plan.Rules, Rule{path, right, must})
	}
}

func (c *compiler) devices() {
	for _, d := range devices {
		c.allow(d, Device, false)
	}
	c.allow(sharedMemory, Write, false)
	c.allow("/dev", List, false)
	for _, w := range c.plan.Write {
		if uid, ok := c.Tree.Owner(w); c.UID == 0 && ok && uid != 0 {
			c.plan.FileRights = true
		}
	}
}

func sortUnique(list *[]string) {
	slices.Sort(*list)
	*list = slices.Compact(*list)
}
