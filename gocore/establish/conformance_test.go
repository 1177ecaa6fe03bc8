//go:build unix

package establish

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func stat(spelling string, opts ...candidateOption) shellplan.Candidate {
	return word(spelling, shellplan.AccessStat, opts...)
}

func noFollow(c *shellplan.Candidate) { c.NoFollow = true }
func dirOnly(c *shellplan.Candidate)  { c.DirOnly = true }
func parents(c *shellplan.Candidate)  { c.Parents = true }

func globbing(g shellplan.Glob) candidateOption {
	return func(c *shellplan.Candidate) { c.Glob = g }
}

// The walks of the table in the documentation of each command.
var (
	lsDir   = tree(shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, MaxDepth: 1, DirsOnly: true, Hidden: true})
	lsRL    = tree(shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksFollow, DirsOnly: true})
	findP   = tree(shellplan.Traversal{Links: shellplan.LinksSkip, Hidden: true, DirsOnly: true})
	findH   = tree(shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true, DirsOnly: true})
	copyR   = tree(shellplan.Traversal{Links: shellplan.LinksSkip, Hidden: true})
	copyRH  = tree(shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true})
	chmodR  = tree(shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true})
	removeR = tree(shellplan.Traversal{Links: shellplan.LinksSkip, Hidden: true})
	diffR   = tree(shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksFollow, Hidden: true})
)

func matching(pattern string, t shellplan.Traversal) candidateOption {
	w := spell(pattern)
	t.Match = &w
	return tree(t)
}

func dashPlan(p *shellplan.Plan) *shellplan.Plan {
	p.Shell = shellplan.Shell{Dialect: shellplan.DialectDash, Locale: shellplan.LocaleC}
	return p
}

// handPlans are the recorded commands as a planner would plan them. %ROOT% and
// %OUT% are filled in.
func handPlans(s stage) map[string]*shellplan.Plan {
	root, out := s.base+"/root", s.base+"/out"
	grepTree := shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true}
	findTree := shellplan.Traversal{Links: shellplan.LinksSkip, Hidden: true, DirsOnly: true}
	in, o := redirect("<", 0), redirect(">", 1)
	return map[string]*shellplan.Plan{
		"symlink-002-out":                    simple(read("link-out")),
		"symlink-003-rel-out":                simple(read("rel-out")),
		"symlink-005-chain":                  simple(read("chain1")),
		"symlink-008-dangling-read":          simple(read("dangle")),
		"symlink-010-dangling-nodir":         simple(write("nodirlink", o)),
		"symlink-012-dangling-tee":           simple(write("dangle"), read("a.txt", in)),
		"symlink-014-dangling-dd":            simple(read("a.txt"), write("dangle")),
		"symlink-015-dangling-mkdir":         simple(entry("dangle")),
		"symlink-017-dangling-mv-over":       simple(entry("b.txt"), entry("dangle", into(false, 0))),
		"symlink-020-out-dotdot-back":        simple(read("dlink-out/../../root/a.txt")),
		"symlink-022-file-dotdot":            simple(read("a.txt/../b.txt")),
		"symlink-024-missing-dotdot-write":   simple(write("nope/../w.txt", o)),
		"symlink-025-mkdir-p-missing-dotdot": simple(entry("nope/../../out/nd", parents)),
		"symlink-027-write-out-dotdot":       simple(write("dlink-out/../w.txt", o)),
		"symlink-029-trailing-slash-dir":     simple(read("dlink-out/", dirOnly, lsDir)),
		"symlink-031-rm-trailing-slash":      simple(entry("dlink-out/", removeR)),
		"symlink-034-dot-components":         simple(read("././src/./main.go")),
		"symlink-035-self-link":              simple(read("self/self/self/a.txt")),
		"symlink-038-slashlink":              simple(read("slashlink/main.go")),
		"symlink-039-proc-self-root":         simple(read("/proc/self/root" + root + "/a.txt")),
		"symlink-042-proc-link":              simple(read("procroot" + out + "/secret.txt")),
		"symlink-044-cp-follow":              simple(read("link-out"), write("got.txt", into(false, 0))),
		"symlink-045-cp-onto-link":           simple(read("a.txt"), write("link-out", into(false, 0))),
		"symlink-047-cp-P":                   simple(stat("link-out", noFollow), entry("l2", into(false, 0))),
		"symlink-049-mv-into-dlink":          simple(entry("b.txt"), entry("dlink-out", into(false, 0))),
		"symlink-052-rm-through":             simple(entry("dlink-out/s.txt")),
		"symlink-054-truncate-link":          simple(write("link-out")),
		"symlink-058-write-missing-parent":   simple(write("dlink-out/nodir/f", o)),
		"symlink-063-forty-links":            simple(read("c/l00")),
		"symlink-065-forty-dangling":         simple(write("c/l00", o)),
		"symlink-067-long-component":         simple(read(strings.Repeat("n", 256))),
		"symlink-073-link-newline":           simple(read("l\nk")),

		"glob-002-star-all":            simple(read("*", safe), write("/dev/null", redirect(">", 2))),
		"glob-004-dot-bang":            simple(read(".[!.]*")),
		"glob-006-bracket":             simple(read("[ab].txt")),
		"glob-008-bracket-caret":       simple(read("[^a].txt")),
		"glob-009-bracket-dot":         simple(read("[.]hidden")),
		"glob-012-class-neg":           simple(read("[![:alpha:]].txt")),
		"glob-013-class-bad":           simple(read("[[:nope:]].txt")),
		"glob-016-range":               simple(read("[a-c].*")),
		"glob-017-range-upper-C":       simple(read("[A-Z].*")),
		"glob-019-range-rev":           simple(read("[c-a].txt")),
		"glob-021-bracket-open":        simple(read("[x.txt")),
		"glob-023-bracket-quoted-part": simple(read(`[\a]*.txt`)),
		"glob-025-slash-in-bracket":    simple(read("s[r/]c/main.go")),
		"glob-028-through-link":        simple(read("*/s.txt")),
		"glob-030-through-hidden":      simple(read("*/in.txt"), read(".d*/in.txt")),
		"glob-032-star-slash-dot":      simple(read("*/.env")),
		"glob-033-dotdot-glob":         simple(read("../o*/secret.txt")),
		"glob-035-glob-dotdot-tail":    simple(read("*/../a.txt")),
		"glob-037-no-match-dir":        simple(read("zz*/a.txt")),
		"glob-044-dotglob":             simple(read("*.txt", globbing(shellplan.GlobDot))),
		"glob-047-nocaseglob":          simple(read("A.t*", globbing(shellplan.GlobNoCase))),
		"glob-051-escape-in-glob":      simple(read(`\a*.txt`)),
		"glob-053-newline-name":        simple(read("a*")),
		"glob-055-utf8-question-C":     simple(read("?.dat"), read("??.dat")),
		"glob-064-dash-safe":           simple(read("*", safe)),
		"glob-065-dash-dotslash":       simple(read("./*")),
		"glob-067-glob-in-dquotes":     simple(read(`\*.txt`)),
		"glob-073-rb-file":             simple(read("[]x].txt")),
		"glob-079-case-range-locale":   simple(read("[a-b]*")),

		"traversal-002-grep-r-none":         simple(read(".", grepR)),
		"traversal-003-grep-r-cmdline-link": simple(read("dlink-out", grepR)),
		"traversal-006-grep-r-include":      simple(read("src", matching("*.go", grepTree))),
		"traversal-008-grep-directories":    simple(read("src", grepR)),
		"traversal-018-find":                simple(read(".", findP)),
		"traversal-021-find-H":              simple(read("dlink-out", findH), read(".", dirOnly)),
		"traversal-023-find-exec-cat":       simple(read(".", dirOnly), read("src", findP), read("src", matching("*.txt", shellplan.Traversal{Links: shellplan.LinksOpen, Hidden: true}))),
		"traversal-025-ls":                  simple(read(".", dirOnly, lsDir)),
		"traversal-028-ls-l-cmdline-link":   simple(stat("dlink-out", noFollow)),
		"traversal-030-ls-RL":               simple(read("up", lsRL)),
		"traversal-031-du":                  simple(read("src", findP)),
		"traversal-033-tar-c-link":          simple(write("o.tar"), stat("dlink-out", noFollow)),
		"traversal-035-cp-r":                simple(read("src", copyR), word("dst", shellplan.AccessTree, into(false, 0))),
		"traversal-038-cp-rH":               simple(read("dlink-out", copyRH), word("dst", shellplan.AccessTree, into(false, 0))),
		"traversal-039-rm-r":                simple(entry("src", removeR)),
		"traversal-041-chmod-R":             simple(write("src", chmodR)),
		"traversal-043-diff-r-out":          simple(read("src", diffR), read("dlink-out", diffR)),
		"traversal-046-grep-r-nested-link":  simple(read("src", grepR)),
		"traversal-050-fifo-skipped":        simple(read(".", matching("*.*", findTree)), read(".", grepR)),

		"redirect-001-in":                      simple(read("a.txt", in)),
		"redirect-004-in-link-out":             simple(read("link-out", in)),
		"redirect-005-out":                     simple(read("a.txt"), write("o.txt", o)),
		"redirect-020-into-dir-link":           simple(write("dlink-out/new.txt", o)),
		"redirect-022-dangling-in":             simple(write("dangle-in", o)),
		"redirect-032-glob-redirect-link":      simple(write("link-o*", o)),
		"redirect-034-glob-redirect-ambiguous": simple(read("*.txt", in)),
		"redirect-048-dev-stdin":               simple(read("/dev/stdin"), read("link-out", in)),
		"redirect-050-proc-self-fd":            simple(read("/proc/self/fd/4"), read("a.txt", redirect("<", 4))),

		"dash-002-bracket-neg": dashPlan(simple(read("[!a].txt"))),
		"dash-004-class":       dashPlan(simple(read("[[:digit:]].txt"))),
		"dash-005-dot-star":    dashPlan(simple(read(".*"))),
		"dash-014-double-star": dashPlan(simple(read("**/*.go"))),
		"dash-018-cd-logical":  dashPlan(plan(shellplan.Segment{Cwds: []shellplan.Cwd{cd("dlink-out/..")}, Candidates: []shellplan.Candidate{read("a.txt")}})),
		"dash-019-cd-P": dashPlan(plan(shellplan.Segment{
			Cwds:       []shellplan.Cwd{{Steps: []shellplan.CwdStep{{Word: spell("dlink-out/.."), Mode: shellplan.CwdPhysical}}}},
			Candidates: []shellplan.Candidate{read("a.txt")},
		})),
		"dash-021-no-match": dashPlan(simple(read("zz*"))),

		"race-002-relink-dir":                 simple(read("dlink-in/main.go")),
		"race-003-file-to-link":               simple(read("a.txt")),
		"race-005-dangling-created":           simple(write("dangle-in", o)),
		"race-008-absent-parent-becomes-link": simple(write("nd/f", o)),
		"race-010-glob-new-file":              simple(read("*.txt")),
		"race-011-glob-gone":                  simple(read("b*")),
		"race-014-same-path-new-inode":        simple(read("b.txt")),
		"race-016-chain-middle":               simple(read("k1")),
		"race-018-nothing":                    simple(read("a.txt"), read("link-in")),
	}
}

// loose are the cases in which the command opens less than its words say: it
// skips binary files, pipes, or what a filter takes out.
var loose = map[string]bool{
	"traversal-030-ls-RL":            true,
	"traversal-050-fifo-skipped":     true,
	"traversal-043-diff-r-out":       true, // nothing in common, so nothing is opened
	"symlink-029-trailing-slash-dir": true,
}

// Recorded commands, planned by hand: what the kernel saw is covered, and what
// is established to exist is what the kernel saw.
func TestConformance(t *testing.T) {
	vectors := loadVectors(t)
	checked, exact := 0, 0
	for id := range handPlans(stage{}) {
		t.Run(id, func(t *testing.T) {
			v, ok := vectors[id]
			require.True(t, ok, "no such case")
			s := build(t, v)
			p := handPlans(s)[id]
			e := hostEstablisher(t, s.boundary(v))
			before, err := e.Establish(context.Background(), p)
			require.NoError(t, err)
			now := before
			if v.Mutate != nil {
				s.mutate(t, v.Mutate)
				c, err := e.Reestablish(context.Background(), before)
				require.NoError(t, err)
				assert.Equal(t, v.Moved, c.Any(), "changed exactly when the truth moved")
				now = c.Now
			}
			got := landingsByAccess(now)
			require.Empty(t, got.unanswered, "every word has an answer")
			for _, w := range [][2]any{{s.paths(append(v.KernelReads, v.KernelDirReads...)), got.reads}, {s.paths(v.KernelWrites), got.writes}} {
				for _, path := range w[0].([]string) {
					// mkdir -p opens the directories it makes.
					assert.True(t, got.covers(path, w[1].(map[string]bool)) || got.writes[path], "the kernel saw %s; established %v", path, w[1])
				}
			}
			checked++
			if loose[id] {
				return
			}
			exact++
			want := s.paths(append(slices.Clone(v.KernelReads), v.KernelDirReads...))
			for path := range got.existing {
				assert.Contains(t, want, path, "established to be read, but the kernel saw no read")
			}
		})
	}
	assert.GreaterOrEqual(t, len(handPlans(stage{})), 40)
	t.Logf("%d cases, %d compared exactly", checked, exact)
}

type byAccess struct {
	reads, writes, existing map[string]bool
	trees                   []Subtree
	unanswered              []string
}

// landingsByAccess sorts an establishment into what is read and what is written.
func landingsByAccess(e *Established) byAccess {
	s := byAccess{reads: map[string]bool{}, writes: map[string]bool{}, existing: map[string]bool{}}
	for i := range e.Segments {
		for _, r := range e.Segments[i].Resolutions {
			if r.State == Unestablishable {
				s.unanswered = append(s.unanswered, string(e.Plan.Segments[i].Candidates[r.Candidate].Raw)+": "+r.Reason.String()+" "+r.Detail)
			}
			s.trees = append(s.trees, r.Subtrees...)
			for _, l := range r.Landings {
				switch {
				case l.Access.IsWrite():
					s.writes[l.Path] = true
				case l.Access != shellplan.AccessStat:
					s.reads[l.Path] = true
					if l.Tail == "" && l.Path != "" && r.Reason != NotDirectory && l.Kind != execenv.Link && l.Kind != execenv.Other {
						s.existing[l.Path] = true
					}
				}
			}
		}
	}
	return s
}

func (s *byAccess) covers(path string, set map[string]bool) bool {
	if set[path] {
		return true
	}
	for _, t := range s.trees {
		if t.Access == shellplan.AccessTree && resolve.Under(path, t.Root) {
			return true
		}
	}
	return false
}
