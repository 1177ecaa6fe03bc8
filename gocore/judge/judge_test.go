package judge

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// established makes the establishment of one command with one word.
func established(c shellplan.Candidate, r establish.Resolution) *establish.Established {
	if c.Kind == 0 {
		c.Kind = shellplan.KindWord
	}
	if c.Text == nil {
		c.Text = []byte("word")
	}
	root := func(path string) establish.Root {
		return establish.Root{Spelling: path, Path: path, State: establish.Canonical}
	}
	return &establish.Established{
		Plan:       &shellplan.Plan{Segments: []shellplan.Segment{{Command: "cmd", Candidates: []shellplan.Candidate{c}}}},
		ReadRoots:  []establish.Root{root("/r"), {Spelling: "/gone", Path: "/gone", State: establish.Unestablishable}},
		WriteRoots: []establish.Root{root("/r/out")},
		DenyPaths:  []establish.Root{root("/r/.ssh"), {Spelling: "/h/.aws", Path: "/elsewhere/aws", State: establish.Canonical}, {Spelling: "/h/.kube", State: establish.Unestablishable}},
		Segments:   []establish.Segment{{Resolutions: []establish.Resolution{r}}},
	}
}

func landing(access shellplan.Access, path string) establish.Resolution {
	return establish.Resolution{State: establish.Canonical, Landings: []establish.Landing{{Path: path, Access: access}}}
}

func TestALandingIsHeldAgainstTheRootsOfItsAccess(t *testing.T) {
	for name, tc := range map[string]struct {
		access shellplan.Access
		path   string
		want   Decision
		code   Code
	}{
		"read inside":                {shellplan.AccessRead, "/r/a", Allow, ""},
		"read the root itself":       {shellplan.AccessRead, "/r", Allow, ""},
		"read beside the root":       {shellplan.AccessRead, "/r2/a", Ask, OutsideRead},
		"read above the root":        {shellplan.AccessRead, "/", Ask, OutsideRead},
		"read in a root of no place": {shellplan.AccessRead, "/gone/a", Ask, OutsideRead},
		"read in a write root":       {shellplan.AccessRead, "/r/out/a", Allow, ""},
		"write inside a write root":  {shellplan.AccessWrite, "/r/out/a", Allow, ""},
		"write in a read root":       {shellplan.AccessWrite, "/r/a", Ask, OutsideWrite},
		"entry in a read root":       {shellplan.AccessEntry, "/r/a", Ask, OutsideWrite},
		"tree in a read root":        {shellplan.AccessTree, "/r/a", Ask, OutsideWrite},
		"stat outside":               {shellplan.AccessStat, "/etc", Ask, OutsideStat},
		"stat inside":                {shellplan.AccessStat, "/r/a", Allow, ""},
		"run a system program":       {shellplan.AccessExec, "/usr/bin/cat", Allow, ""},
		"run something else":         {shellplan.AccessExec, "/tmp/x", Ask, OutsideExec},
		"write the null device":      {shellplan.AccessWrite, "/dev/null", Allow, ""},
		"read a disk":                {shellplan.AccessRead, "/dev/sda", Ask, OutsideRead},
		"nothing is touched":         {shellplan.AccessRead, "", Allow, ""},
		"a denied path":              {shellplan.AccessRead, "/r/.ssh/id", Deny, DeniedPath},
		"a denied path itself":       {shellplan.AccessEntry, "/r/.ssh", Deny, DeniedPath},
		"a look at a denied path":    {shellplan.AccessStat, "/r/.ssh/id", Deny, DeniedPath},
		"where a refused link leads": {shellplan.AccessRead, "/elsewhere/aws/key", Deny, DeniedPath},
		"beside a denied path":       {shellplan.AccessRead, "/r/.sshx", Allow, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := New(DefaultPolicy()).Decide(established(shellplan.Candidate{Access: tc.access, Word: shellplan.Word{Raw: []byte("word")}}, landing(tc.access, tc.path)))
			assert.Equal(t, tc.want, d.Decision)
			if tc.want == Allow {
				assert.Empty(t, d.Reasons)
				return
			}
			require.Len(t, d.Reasons, 1)
			assert.Equal(t, tc.code, d.Reasons[0].Code)
			assert.Equal(t, tc.path, d.Reasons[0].Target)
			assert.NotEmpty(t, d.Reasons[0].Message)
		})
	}
}

func TestARefusedPlaceIsRefusedByItsSpellingToo(t *testing.T) {
	judge := New(DefaultPolicy())
	for raw, want := range map[string]Decision{
		"/h/.aws/key": Deny, "/h/.kube": Deny, "/h/x/../.aws/key": Deny, "/h/.awsx": Allow, "/h/.aws/../x": Allow,
	} {
		c := shellplan.Candidate{Access: shellplan.AccessRead, Word: shellplan.Word{Raw: []byte(raw)}}
		assert.Equal(t, want, judge.Decide(established(c, landing(shellplan.AccessRead, "/r/a"))).Decision, raw)
	}
	pattern := shellplan.Candidate{Access: shellplan.AccessRead, Word: shellplan.Word{
		Raw: []byte("/h/.aws/*"), Mask: []byte{1, 1, 1, 1, 1, 1, 1, 1, 1}, Pattern: true,
	}}
	unknown := establish.Resolution{State: establish.Unestablishable, Reason: establish.UnreadableDir}
	assert.Equal(t, Deny, judge.Decide(established(pattern, unknown)).Decision, "a pattern below it")
}

func TestTheZeroValuesRefuse(t *testing.T) {
	assert.Equal(t, Deny, Ruling{}.Decision)
	assert.Equal(t, Deny, New(DefaultPolicy()).Decide(nil).Decision)
	assert.Equal(t, Deny, New(DefaultPolicy()).Decide(&establish.Established{}).Decision)
	e := established(shellplan.Candidate{Access: shellplan.AccessRead}, establish.Resolution{})
	assert.Equal(t, Deny, New(Policy{}).Decide(e).Decision, "the zero policy denies what is not known")
	assert.Equal(t, Ask, New(DefaultPolicy()).Decide(e).Decision)
	assert.Equal(t, Ask, New(Policy{Unestablishable: Allow}).Decide(e).Decision, "what is not known cannot be allowed")
}

func TestOpaqueTextAndFailedChecksAsk(t *testing.T) {
	e := established(shellplan.Candidate{Access: shellplan.AccessRead}, landing(shellplan.AccessRead, "/r/a"))
	e.Plan.Segments[0].Opaque = []shellplan.Opaque{{Code: shellplan.OpaqueInterpreter, Word: []byte("python"), Detail: "it runs a program"}}
	e.Plan.Segments[0].Checks = []shellplan.Check{{Kind: shellplan.CheckGit}, {Kind: shellplan.CheckGit}, {Kind: shellplan.CheckGit}}
	e.Segments[0].Checks = []establish.Check{{Check: 0, State: establish.Holds}, {Check: 1, State: establish.Fails, Detail: "a hook"}, {Check: 2}}
	d := New(DefaultPolicy()).Decide(e)
	assert.Equal(t, Ask, d.Decision)
	var codes []Code
	for _, r := range d.Reasons {
		codes = append(codes, r.Code)
	}
	assert.Equal(t, []Code{Opaque, CheckFailed, CheckUnknown}, codes)
}

func TestAWalkPastTheBoundsCountsAsItsRoot(t *testing.T) {
	read := func(root string, access shellplan.Access, follows bool, reason establish.Reason) *establish.Established {
		return established(shellplan.Candidate{Access: access}, establish.Resolution{
			State: establish.Unestablishable, Reason: reason,
			Subtrees: []establish.Subtree{{Root: root, Access: access, FollowsLinks: follows}},
		})
	}
	judge := New(DefaultPolicy())
	assert.Equal(t, Allow, judge.Decide(read("/r/src", shellplan.AccessRead, false, establish.CapDirs)).Decision)
	assert.Equal(t, Ask, judge.Decide(read("/r/src", shellplan.AccessRead, true, establish.CapDirs)).Decision, "it follows links")
	assert.Equal(t, Ask, judge.Decide(read("/r/src", shellplan.AccessTree, false, establish.CapDirs)).Decision, "it writes")
	assert.Equal(t, Ask, judge.Decide(read("/s", shellplan.AccessRead, false, establish.CapDirs)).Decision, "it starts outside")
	assert.Equal(t, Ask, judge.Decide(read("/r/src", shellplan.AccessRead, false, establish.UnreadableDir)).Decision, "it is no bound")
	below := judge.Decide(read("/r", shellplan.AccessRead, false, establish.CapDirs))
	assert.Equal(t, Ask, below.Decision)
	assert.Equal(t, DeniedBelow, below.Reasons[0].Code)
	assert.Contains(t, below.Reasons[0].Message, "/r/.ssh")
	assert.Equal(t, Deny, New(Policy{}).Decide(read("/r/src", shellplan.AccessRead, false, establish.CapDirs)).Decision)
}

func TestFoldedCaseComparesFolded(t *testing.T) {
	e := established(shellplan.Candidate{Access: shellplan.AccessRead}, landing(shellplan.AccessRead, "/R/.SSH/id"))
	e.CaseInsensitive = true
	assert.Equal(t, Deny, New(DefaultPolicy()).Decide(e).Decision)
}

func TestReasonsTravelAsJSON(t *testing.T) {
	c := shellplan.Candidate{Access: shellplan.AccessRead, Text: []byte("../x\xff"), Span: shellplan.Span{Start: 4, End: 9}}
	d := New(DefaultPolicy()).Decide(established(c, landing(shellplan.AccessRead, "/s/x\xff")))
	text, err := json.Marshal(d)
	require.NoError(t, err)
	assert.JSONEq(t, `{"decision":"ask","reasons":[{"code":"OUTSIDE_READ","decision":"ask","segment":0,
		"word":"../x\\xff","wordBytes":"Li4veP8=","span":{"start":4,"end":9},"access":"read",
		"target":"/s/x\\xff","targetBytes":"L3MveP8=",
		"message":"`+"`../x\\\\xff`"+` reads /s/x\\xff, outside the read roots","remedy":{"kind":"readRoot","root":"/s"}}]}`, string(text))
	var v Decision
	require.NoError(t, v.UnmarshalText([]byte("allow")))
	assert.Equal(t, Allow, v)
	assert.Error(t, v.UnmarshalText([]byte("yes")))
}

func TestDenyPathsAreCompiledForEveryViewOfTheHome(t *testing.T) {
	assert.Equal(t, []string{"/h/.ssh", "/h/a b", "/v/.ssh", "/v/a b"}, DenyPaths([]string{".ssh", "a b/"}, "/h", "", "rel", "/v/"))
	assert.Contains(t, DenyPaths(DefaultDenied, "/h"), "/h/.ssh")
}

func TestAnOpaqueCommandIsNamedWithWhatToDo(t *testing.T) {
	const byHand = "; approve it by hand, or allow it in the rules of the host"
	for want, tc := range map[string]struct {
		o       shellplan.Opaque
		command string
	}{
		"`make build` is not wholly understood: it runs rules" + byHand:                     {shellplan.Opaque{Code: shellplan.OpaqueProgram, Word: []byte("build"), Detail: "it runs rules"}, "make"},
		"`git push` is not wholly understood: it talks" + byHand:                            {shellplan.Opaque{Code: shellplan.OpaqueProgram, Word: []byte("push"), Detail: "it talks"}, "git push"},
		"`sudo` is not wholly understood: it runs" + byHand:                                 {shellplan.Opaque{Code: shellplan.OpaqueProgram, Word: []byte("sudo"), Detail: "it runs"}, "sudo"},
		"the command is not wholly understood: the text ends; mend the text":                {shellplan.Opaque{Code: shellplan.OpaqueSyntax, Detail: "the text ends"}, ""},
		"`$x` is not wholly understood: unknown; write the word out, or approve it by hand": {shellplan.Opaque{Code: shellplan.OpaqueDynamic, Word: []byte("$x"), Detail: "unknown"}, "cat"},
		"the command is not wholly understood: what it does is not modelled" + byHand:       {shellplan.Opaque{}, ""},
	} {
		assert.Equal(t, want, opaqueMessage(tc.o, tc.command))
	}
}

func TestRefusedIsWhatLiesAtOrBelowAPlace(t *testing.T) {
	denied := []establish.Root{{Spelling: "/h/.ssh", Path: "/x/keys", State: establish.Canonical}, {Spelling: "/h/.netrc/", Path: "/h/.netrc"}, {}}
	p := placesOf(&establish.Established{DenyPaths: denied})
	for path, want := range map[string]string{
		"/h/.ssh": "/h/.ssh", "/h/.ssh/id": "/h/.ssh", "/x/keys/a/b": "/h/.ssh", "/h/.netrc": "/h/.netrc", "/h/.netrc/": "/h/.netrc",
		"/h/.sshx": "", "/h": "", "/": "", "": "", "h/.ssh": "", "/x": "", "/x/key": "",
	} {
		got, refused := p.refused(path)
		assert.Equal(t, []any{want, want != ""}, []any{got, refused}, path)
	}
	everything := placesOf(&establish.Established{DenyPaths: []establish.Root{{Spelling: "/", Path: "/"}}})
	_, refused := everything.refused("/any/where")
	assert.True(t, refused)
}

func TestRemedies(t *testing.T) {
	words := Words{ReadRoot: "read=%s", WriteRoot: "write=%s"}
	for name, tc := range map[string]struct {
		access shellplan.Access
		path   string
		want   Remedy
		tail   string
	}{
		"a read outside":  {shellplan.AccessRead, "/s/a", Remedy{Kind: RemedyReadRoot, Root: "/s"}, "; read=/s"},
		"a write outside": {shellplan.AccessWrite, "/s/a", Remedy{Kind: RemedyWriteRoot, Root: "/s"}, "; write=/s"},
		"a tree":          {shellplan.AccessTree, "/s/a", Remedy{Kind: RemedyWriteRoot, Root: "/s/a"}, "; write=/s/a"},
		"a denied path":   {shellplan.AccessRead, "/r/.ssh/id", Remedy{Kind: RemedyDeniedPath, Rule: "/r/.ssh"}, "out of the denied paths"},
		"a guarded write": {shellplan.AccessWrite, "/r/out/.git/config", Remedy{Kind: RemedyApprove}, byHand},
	} {
		t.Run(name, func(t *testing.T) {
			c := shellplan.Candidate{Access: tc.access, Word: shellplan.Word{Raw: []byte("word")}}
			ruling := New(DefaultPolicy()).Decide(established(c, landing(tc.access, tc.path)))
			require.NotEmpty(t, ruling.Reasons)
			reason := ruling.Reasons[0]
			assert.Equal(t, tc.want, reason.Remedy)
			assert.True(t, strings.HasSuffix(words.Tell(reason), tc.tail), words.Tell(reason))
			assert.Equal(t, reason.Message, Words{}.Tell(reason), "without words there is no advice to get wrong")
			assert.NotContains(t, reason.Message, "--", "the judge knows no flags")
		})
	}
	for why := range unknownAdvice {
		kind := unknownRemedy(why).Kind
		assert.Equal(t, strings.Contains(unknownAdvice[why], "; ") && why != establish.NoAuthoritativeAnswer, kind == RemedyRewrite, "%v: what can be written otherwise says how", why)
	}
	text, err := json.Marshal(Remedy{Kind: RemedyReadRoot, Root: "/x\xff"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"kind":"readRoot","root":"/x\\xff","rootBytes":"L3j/"}`, string(text))
}
