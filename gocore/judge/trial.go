package judge

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// trial is one decision in the making.
type trial struct {
	judge   *Judge
	of      *establish.Established
	places  places
	reasons []Reason
	seen    map[reasonKey]bool
}

// reasonKey is what makes two reasons one.
type reasonKey struct {
	code            Code
	segment         int
	span            shellplan.Span
	target, message string
}

// plan judges a plan and what is nested in it. way leads to it: an index into
// Nested at each level.
func (t *trial) plan(e *establish.Established, way []int) {
	for _, o := range e.Plan.Opaque {
		t.add(t.opaque(o, "", way, -1))
	}
	if len(e.Plan.Segments) == 0 && len(e.Plan.Opaque) == 0 && len(way) == 0 {
		t.add(Reason{Code: NotEstablished, Decision: t.judge.policy.Opaque, Segment: -1, Message: "the text holds no command; write one", Remedy: Remedy{Kind: RemedyRewrite}})
	}
	for i := range e.Segments {
		t.segment(&e.Plan.Segments[i], &e.Segments[i], way, i)
	}
	for i, nested := range e.Nested {
		t.plan(nested, append(way[:len(way):len(way)], i))
	}
}

func (t *trial) segment(plan *shellplan.Segment, found *establish.Segment, way []int, index int) {
	program, known := t.runs(plan, found)
	var rule, offer *Rule
	if known {
		if rule = t.rule(&program); rule != nil && rule.Decision < RuleAllow {
			t.byRule(rule, plan, way, index)
		}
		offer = program.narrowest()
	}
	trusted := rule != nil && rule.Decision == RuleAllow
	for _, o := range plan.Opaque {
		if explains := slices.Contains(explained, o.Code); !explains || !trusted {
			r := t.opaque(o, plan.Command, way, index)
			if explains && offer != nil {
				r.Message, r.Remedy = strings.TrimSuffix(r.Message, byHost), Remedy{Kind: RemedyTrust, Trust: offer}
			}
			t.add(r)
		}
	}
	for i := range found.Checks {
		if !trusted || !slices.Contains(program.searched, i) {
			t.check(plan, &found.Checks[i], way, index)
		}
	}
	for i := range found.Resolutions {
		t.read(plan, &found.Resolutions[i], way, index)
	}
	t.guardedTrees(plan, found, way, index)
}

// add keeps a reason, once.
func (t *trial) add(r Reason) {
	key := reasonKey{r.Code, r.Segment, r.Span, r.Target, r.Message}
	if t.seen[key] {
		return
	}
	if t.seen == nil {
		t.seen = map[reasonKey]bool{}
	}
	t.seen[key] = true
	t.reasons = append(t.reasons, r)
}

// read judges one word as seen from one directory.
func (t *trial) read(plan *shellplan.Segment, r *establish.Resolution, way []int, index int) {
	c := &plan.Candidates[r.Candidate]
	if c.Implicit == shellplan.ImplicitDisclosed {
		return // told in the establishment; no reason to ask
	}
	at := Reason{Nested: way, Segment: index, Word: string(c.Text), Span: c.Span, Access: c.Access}
	if place, ok := t.spelledRefused(c); ok {
		t.denied(at, string(c.Raw), place)
		return
	}
	if dir, all := t.emptied(plan, r); all {
		t.harm(at, dir)
		return
	}
	var outside []finding
	for i := range r.Landings {
		l := &r.Landings[i]
		if f, bad := t.landing(l); bad && (f.code == DeniedPath || !t.dangles(plan, way, index, r, l)) {
			f.root = narrowest(l)
			outside = append(outside, f)
		}
	}
	t.report(at, outside)
	if r.State == establish.Unestablishable {
		if t.loops(plan, way, index, r) {
			return
		}
		t.unknown(at, plan, c, r)
		return
	}
	for i := range r.Subtrees {
		if s := &r.Subtrees[i]; s.FollowsLinks || !told(outside, s.Root) {
			t.tree(at, s)
		}
	}
}

// told reports whether a path stands in a reason already.
func told(outside []finding, path string) bool {
	return slices.ContainsFunc(outside, func(f finding) bool { return f.code != DeniedPath && f.target == path })
}

// finding is one landing that is not where it may be.
type finding struct {
	code   Code
	target string
	access shellplan.Access
	place  string // the denied path
	root   string // the narrowest directory that holds it
}

// landing judges one path.
func (t *trial) landing(l *establish.Landing) (finding, bool) {
	if l.Path == "" || l.Stream {
		return finding{}, false
	}
	access := l.Access
	if l.Listed {
		access = shellplan.AccessRead
	}
	if place, ok := t.places.refused(l.Path); ok {
		return finding{code: DeniedPath, target: l.Path, access: access, place: place}, true
	}
	switch {
	case access.IsWrite() && !t.places.writable(l.Path):
		return finding{code: OutsideWrite, target: l.Path, access: access}, true
	case access.IsWrite():
		// What git itself does in its folder is its business: no word names it.
		return finding{code: GuardedWrite, target: l.Path, access: access}, access != shellplan.AccessTree && guards(t.places.key(l.Path))
	case access == shellplan.AccessStat:
		return finding{code: OutsideStat, target: l.Path, access: access}, !t.places.readable(l.Path)
	case access == shellplan.AccessExec:
		return finding{code: OutsideExec, target: l.Path, access: access}, !t.places.readable(l.Path) && !t.places.underAny(l.Path, systemBins)
	}
	return finding{code: OutsideRead, target: l.Path, access: access}, !t.places.readable(l.Path)
}

// narrowest is the smallest directory that exists and holds what the word leads
// to: the root to add.
func narrowest(l *establish.Landing) string {
	switch {
	case l.IsDir() && !l.Access.IsWrite():
		return l.Path
	case l.Tail != "":
		return cmp.Or(strings.TrimSuffix(strings.TrimSuffix(l.Path, l.Tail), "/"), "/")
	}
	return path.Dir(l.Path)
}

// report turns findings into reasons: one for each kind, with the first path and
// how many more there are.
func (t *trial) report(at Reason, findings []finding) {
	for _, code := range []Code{DeniedPath, OutsideWrite, GuardedWrite, OutsideRead, OutsideExec, OutsideStat} {
		var first *finding
		more := 0
		for i := range findings {
			if findings[i].code != code {
				continue
			}
			if first == nil {
				first = &findings[i]
			} else if findings[i].target != first.target {
				more++
			}
		}
		if first == nil {
			continue
		}
		at.Access = first.access
		if code == DeniedPath {
			t.denied(at, first.target, first.place)
			continue
		}
		at.Code, at.Decision, at.Target = code, Ask, first.target
		at.Message, at.Remedy = outside(at, first.root, more)
		if code == GuardedWrite {
			at.Message = fmt.Sprintf("%s %s, which decides what runs later (hooks and settings of git or of an agent); %s", subject(at), shown(first.target), byHand)
			at.Remedy = Remedy{Kind: RemedyApprove}
		}
		t.add(at)
	}
}

func (t *trial) denied(at Reason, target, place string) {
	at.Code, at.Decision, at.Target = DeniedPath, Deny, target
	at.Remedy = Remedy{Kind: RemedyDeniedPath, Rule: place}
	at.Message = fmt.Sprintf("%[1]s %[2]s, which is refused (%[3]s holds credentials or private data); leave it out, or take %[3]s out of the denied paths", subject(at), shown(target), shown(place))
	t.add(at)
}

// spelledRefused reports whether a word names a denied path whatever it leads
// to: an absolute word, or the directory that an absolute pattern starts in.
func (t *trial) spelledRefused(c *shellplan.Candidate) (string, bool) {
	raw := string(c.Raw)
	if !strings.HasPrefix(raw, "/") || c.Kind != shellplan.KindWord {
		return "", false
	}
	if c.Pattern {
		raw = raw[:strings.LastIndexByte(raw[:firstActive(c)], '/')+1]
	}
	// Cleaning is safe here: it can only add a refusal, never lift one.
	return t.places.refused(path.Clean(raw))
}

// firstActive is the offset of the first byte of a pattern that may be an
// operator.
func firstActive(c *shellplan.Candidate) int {
	for i, m := range c.Mask {
		if m == shellplan.MaskActive && strings.IndexByte(`*?[`, c.Raw[i]) >= 0 {
			return i
		}
	}
	return len(c.Raw)
}

// tree judges a walk beyond its landings. What was enumerated has been judged
// member by member; a tree that is written may also get new members.
func (t *trial) tree(at Reason, s *establish.Subtree) {
	at.Access, at.Target = s.Access, s.Root
	if place, ok := t.places.refusedBelow(s.Root); ok && (!s.Enumerated || s.Access.IsWrite()) {
		t.deniedBelow(at, s, place)
		return
	}
	if !s.Enumerated && (s.FollowsLinks || !t.inside(s)) {
		at.Code, at.Decision, at.Remedy, at.held = NotEnumerated, t.judge.policy.Unestablishable, Remedy{Kind: RemedyRewrite}, true
		at.Message = fmt.Sprintf("%s everything below %s, which was not looked through and may lead outside the roots; name the files", subject(at), shown(s.Root))
		t.add(at)
	}
}

// deniedBelow asks about a walk that passes a denied path.
func (t *trial) deniedBelow(at Reason, s *establish.Subtree, place string) {
	at.Code, at.Decision, at.Access, at.Target, at.held = DeniedBelow, Ask, s.Access, s.Root, true
	at.Remedy = Remedy{Kind: RemedyDeniedPath, Rule: place}
	at.Message = fmt.Sprintf("%s everything below %s, and %s lies there; name a directory that does not hold it", subject(at), shown(s.Root), shown(place))
	t.add(at)
}

// inside reports whether the root of a walk lies where its access may be.
func (t *trial) inside(s *establish.Subtree) bool {
	if s.Access.IsWrite() {
		return t.places.writable(s.Root)
	}
	return t.places.readable(s.Root)
}

// unknown judges a word without an answer.
func (t *trial) unknown(at Reason, plan *shellplan.Segment, c *shellplan.Candidate, r *establish.Resolution) {
	if t.contained(r) {
		return
	}
	for i := range r.Subtrees {
		if place, ok := t.places.refusedBelow(r.Subtrees[i].Root); ok {
			t.deniedBelow(at, &r.Subtrees[i], place)
		}
	}
	at.Code, at.Decision, at.Detail, at.held = Unestablishable, t.judge.policy.Unestablishable, r.Reason.String(), true
	if len(r.Subtrees) > 0 {
		at.Code, at.Target = NotEnumerated, r.Subtrees[0].Root
	}
	at.Message, at.Remedy = unknownMessage(at, c, r), unknownRemedy(r.Reason)
	t.add(at)
}

// contained reports whether a walk past the bounds is known to stay where it may
// be: it follows no links, its roots lie inside, and nothing refused lies below.
func (t *trial) contained(r *establish.Resolution) bool {
	switch r.Reason {
	case establish.CapDirs, establish.CapMatches, establish.CapScan, establish.CapWork:
	default:
		return false
	}
	if !t.judge.policy.ContainedTraversal || len(r.Subtrees) == 0 {
		return false
	}
	for _, s := range r.Subtrees {
		_, below := t.places.refusedBelow(s.Root)
		_, within := t.places.refused(s.Root)
		if s.FollowsLinks || !t.inside(&s) || below || within {
			return false
		}
	}
	return true
}

// check judges a look at files.
func (t *trial) check(plan *shellplan.Segment, c *establish.Check, way []int, index int) {
	if c.State == establish.Holds {
		return
	}
	asked := &plan.Checks[c.Check]
	at := Reason{Code: CheckFailed, held: true, Decision: t.judge.policy.Opaque, Nested: way, Segment: index, Span: asked.Span, Detail: c.Detail, Remedy: Remedy{Kind: RemedyApprove}}
	if len(c.Files) > 0 {
		at.Target = c.Files[0]
	}
	at.Message = fmt.Sprintf("%s obeys files that make it do more than its words say: %s; look at that, then allow it by hand", name(plan), shown(c.Detail))
	if c.State == establish.CouldNotLook {
		at.Code, at.Remedy = CheckUnknown, Remedy{}
		at.Message = fmt.Sprintf("%s obeys files that could not be looked at: %s; run the gate where they can be read", name(plan), shown(c.Detail))
	}
	t.add(at)
}

// opaque judges what the planner does not know.
func (t *trial) opaque(o shellplan.Opaque, command string, way []int, index int) Reason {
	return Reason{
		Code: Opaque, Decision: t.judge.policy.Opaque, Nested: way, Segment: index,
		Word: string(o.Word), Span: o.Span, Detail: o.Code.String(),
		Message: opaqueMessage(o, command), Remedy: opaqueRemedy(o), held: t.judge.holds(o),
	}
}
