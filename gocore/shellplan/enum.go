package shellplan

import (
	"fmt"
	"strings"
)

// The names of the enumerations in the JSON form. An enumeration without an
// entry for a value has no spelling for it, so it neither encodes nor decodes.
var (
	kindNames = map[Kind]string{
		KindWord: "word", KindUpward: "upward", KindGitDir: "gitDir", KindWorkTree: "workTree",
		KindBeside: "beside",
	}
	accessNames = map[Access]string{
		AccessRead: "read", AccessWrite: "write", AccessEntry: "entry",
		AccessStat: "stat", AccessTree: "tree", AccessExec: "exec",
	}
	linksNames    = map[Links]string{LinksFollow: "follow", LinksOpen: "open", LinksSkip: "skip"}
	skipNames     = map[SkipWhat]string{SkipFile: "file", SkipDir: "dir", SkipBelow: "below"}
	implicitNames = map[Implicit]string{
		Explicit: "explicit", ImplicitJudged: "judged", ImplicitDisclosed: "disclosed",
	}
	reachNames   = map[Reach]string{ReachMaybe: "maybe", ReachAlways: "always"}
	cwdModeNames = map[CwdMode]string{
		CwdLogical: "logical", CwdPhysical: "physical", CwdProcess: "process",
	}
	dialectNames = map[Dialect]string{DialectBash: "bash", DialectDash: "dash", DialectPosix: "posix"}
	localeNames  = map[Locale]string{LocaleUnknown: "unknown", LocaleC: "C", LocaleUTF8: "UTF-8"}
	effectNames  = map[EffectKind]string{
		EffectAny: "any", EffectLink: "link", EffectMove: "move", EffectCopy: "copy",
		EffectRemove: "remove", EffectReplace: "replace", EffectTree: "tree",
	}
	checkNames = map[CheckKind]string{CheckGit: "git", CheckAbsent: "absent"}
	needNames  = map[Need]string{
		NeedNothing: "", NeedNetwork: "network", NeedRights: "rights", NeedService: "service", NeedTerminal: "terminal",
	}
	opaqueNames = map[OpaqueCode]string{
		OpaqueUnstated: "unstated", OpaqueSyntax: "syntax", OpaqueTooLarge: "tooLarge",
		OpaqueConstruct: "construct", OpaqueDynamic: "dynamic",
		OpaqueCommandUnknown: "commandUnknown", OpaqueOption: "option", OpaqueRole: "role",
		OpaqueInterpreter: "interpreter", OpaqueProgram: "program", OpaqueScript: "script",
		OpaqueNames: "names", OpaqueShellOption: "shellOption", OpaqueEnvironment: "environment",
		OpaqueCwd: "cwd", OpaqueShadowed: "shadowed", OpaquePattern: "pattern", OpaqueAfter: "after",
	}
)

// globNames is ordered: the JSON form lists options in this order.
var globNames = []struct {
	bit  Glob
	name string
}{
	{GlobDot, "dotglob"}, {GlobNull, "nullglob"}, {GlobFail, "failglob"},
	{GlobNoCase, "nocaseglob"}, {GlobStar, "globstar"}, {GlobExt, "extglob"},
	{GlobSkipDots, "globskipdots"}, {GlobKeepDots, "noglobskipdots"}, {GlobCollate, "collate"},
}

func enumName[T ~uint8](names map[T]string, v T) string {
	if s, ok := names[v]; ok {
		return s
	}
	return fmt.Sprintf("%d", uint8(v))
}

func marshalEnum[T ~uint8](what string, names map[T]string, v T) ([]byte, error) {
	if s, ok := names[v]; ok {
		return []byte(s), nil
	}
	return nil, badPlan(what, "the value %d has no name", uint8(v))
}

func unmarshalEnum[T ~uint8](what string, names map[T]string, text []byte, v *T) error {
	for k, s := range names {
		if s == string(text) {
			*v = k
			return nil
		}
	}
	all := make([]string, 0, len(names))
	for i := range 256 {
		if s, ok := names[T(i)]; ok {
			all = append(all, s)
		}
	}
	return badPlan(what, "%q is none of %s", text, strings.Join(all, ", "))
}

func (k Kind) String() string       { return enumName(kindNames, k) }
func (s Access) String() string     { return enumName(accessNames, s) }
func (l Links) String() string      { return enumName(linksNames, l) }
func (w SkipWhat) String() string   { return enumName(skipNames, w) }
func (i Implicit) String() string   { return enumName(implicitNames, i) }
func (r Reach) String() string      { return enumName(reachNames, r) }
func (m CwdMode) String() string    { return enumName(cwdModeNames, m) }
func (d Dialect) String() string    { return enumName(dialectNames, d) }
func (l Locale) String() string     { return enumName(localeNames, l) }
func (k EffectKind) String() string { return enumName(effectNames, k) }
func (k CheckKind) String() string  { return enumName(checkNames, k) }
func (c OpaqueCode) String() string { return enumName(opaqueNames, c) }
func (n Need) String() string       { return enumName(needNames, n) }

func (k Kind) MarshalText() ([]byte, error)       { return marshalEnum("kind", kindNames, k) }
func (s Access) MarshalText() ([]byte, error)     { return marshalEnum("access", accessNames, s) }
func (l Links) MarshalText() ([]byte, error)      { return marshalEnum("links", linksNames, l) }
func (i Implicit) MarshalText() ([]byte, error)   { return marshalEnum("implicit", implicitNames, i) }
func (r Reach) MarshalText() ([]byte, error)      { return marshalEnum("reach", reachNames, r) }
func (m CwdMode) MarshalText() ([]byte, error)    { return marshalEnum("mode", cwdModeNames, m) }
func (d Dialect) MarshalText() ([]byte, error)    { return marshalEnum("dialect", dialectNames, d) }
func (l Locale) MarshalText() ([]byte, error)     { return marshalEnum("locale", localeNames, l) }
func (k EffectKind) MarshalText() ([]byte, error) { return marshalEnum("effect", effectNames, k) }
func (k CheckKind) MarshalText() ([]byte, error)  { return marshalEnum("check", checkNames, k) }
func (c OpaqueCode) MarshalText() ([]byte, error) { return marshalEnum("code", opaqueNames, c) }

func (k *Kind) UnmarshalText(t []byte) error   { return unmarshalEnum("kind", kindNames, t, k) }
func (s *Access) UnmarshalText(t []byte) error { return unmarshalEnum("access", accessNames, t, s) }
func (l *Links) UnmarshalText(t []byte) error  { return unmarshalEnum("links", linksNames, t, l) }
func (i *Implicit) UnmarshalText(t []byte) error {
	return unmarshalEnum("implicit", implicitNames, t, i)
}
func (r *Reach) UnmarshalText(t []byte) error   { return unmarshalEnum("reach", reachNames, t, r) }
func (m *CwdMode) UnmarshalText(t []byte) error { return unmarshalEnum("mode", cwdModeNames, t, m) }
func (d *Dialect) UnmarshalText(t []byte) error { return unmarshalEnum("dialect", dialectNames, t, d) }
func (l *Locale) UnmarshalText(t []byte) error  { return unmarshalEnum("locale", localeNames, t, l) }
func (k *EffectKind) UnmarshalText(t []byte) error {
	return unmarshalEnum("effect", effectNames, t, k)
}
func (k *CheckKind) UnmarshalText(t []byte) error  { return unmarshalEnum("check", checkNames, t, k) }
func (c *OpaqueCode) UnmarshalText(t []byte) error { return unmarshalEnum("code", opaqueNames, t, c) }

// Strings lists the names of the options that are set.
func (g Glob) Strings() []string {
	var out []string
	for _, n := range globNames {
		if g.Has(n.bit) {
			out = append(out, n.name)
		}
	}
	return out
}
