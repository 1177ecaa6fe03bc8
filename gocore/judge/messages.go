package judge

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// verbs say what an access does to a path.
var verbs = map[shellplan.Access]string{
	shellplan.AccessRead:  "reads",
	shellplan.AccessWrite: "writes",
	shellplan.AccessEntry: "creates, replaces or removes",
	shellplan.AccessStat:  "looks at",
	shellplan.AccessTree:  "changes files in",
	shellplan.AccessExec:  "runs",
}

func verb(s shellplan.Access) string {
	if v, ok := verbs[s]; ok {
		return v
	}
	return "touches"
}

// subject starts a sentence about a word.
func subject(at Reason) string {
	if at.Word == "" {
		return "the command by itself " + verb(at.Access)
	}
	return quote(at.Word) + " " + verb(at.Access)
}

// maxWord bounds how much of a word a message repeats.
const maxWord = 80

func quote(word string) string {
	word = shown(word)
	if len(word) > maxWord {
		cut := maxWord
		for cut > 0 && !utf8.RuneStart(word[cut]) {
			cut--
		}
		word = word[:cut] + "..."
	}
	return "`" + strings.ReplaceAll(word, "\n", `\n`) + "`"
}

func name(s *shellplan.Segment) string {
	if s.Command == "" {
		return "the command"
	}
	return quote(s.Command)
}

// outside says what was found and which root would make it an allow: a directory.
func outside(at Reason, root string, more int) (string, Remedy) {
	also := ""
	if more > 0 {
		also = fmt.Sprintf(" and %d more paths", more)
	}
	remedy := Remedy{Kind: RemedyReadRoot, Root: root}
	place := "read roots"
	if at.Access.IsWrite() {
		remedy.Kind, place = RemedyWriteRoot, "write roots"
	}
	if at.Access == shellplan.AccessTree {
		remedy.Root = at.Target
	}
	return fmt.Sprintf("%s %s%s, outside the %s", subject(at), shown(at.Target), also, place), remedy
}

// unknownAdvice says what is not known and what would make it known.
var unknownAdvice = map[establish.Reason]string{
	establish.UnreadableDir:         "a directory cannot be listed (%s); name the files",
	establish.UnmodelledPattern:     "the pattern uses something that is not modelled (%s); write a plainer one",
	establish.CapDirs:               "more than " + strconv.Itoa(establish.MaxGlobDirs) + " directories would have to be listed (%s); name a smaller place",
	establish.CapMatches:            "more than " + strconv.Itoa(establish.MaxGlobMatches) + " names match (%s); name a smaller place",
	establish.CapScan:               "more than " + strconv.Itoa(establish.MaxScan) + " names would have to be looked through (%s); name a smaller place",
	establish.CapWork:               "the text asks for more work than one look does (%s); write fewer words, patterns and walks",
	establish.NoAuthoritativeAnswer: "the file system did not answer (%s); try again",
	establish.LinkUnreadable:        "a link on the way cannot be read (%s)",
	establish.LinkHops:              "too many links are on the way (%s)",
	establish.PathTooLong:           "the path is longer than the kernel takes (%s)",
	establish.SearchDenied:          "a directory on the way may not be searched (%s)",
	establish.ProcMagic:             "the path depends on the process that opens it (%s); name the file itself",
	establish.NameBecomesOption:     "a file name that starts with a dash would be taken for an option (%s); write ./* or put -- before the pattern",
	establish.MutatedEarlier:        "an earlier part of the command moves something on the way (%s); run the parts one at a time",
	establish.UnknownShellOption:    "a shell option that is not modelled changes the expansion (%s)",
	establish.CwdUnknown:            "the directory that it starts from is not known (%s); write an absolute path",
	establish.Dynamic:               "a name that is found is read again as words (%s); quote it",
	establish.NotDirectory:          "a part of the path is no directory (%s)",
	establish.AmbiguousRedirect:     "the redirection matches more than one name (%s); name the file",
}

func unknownMessage(at Reason, c *shellplan.Candidate, r *establish.Resolution) string {
	advice, ok := unknownAdvice[r.Reason]
	if !ok {
		advice = "its place is not known (%s)"
	}
	detail := shown(r.Detail)
	if detail == "" {
		detail = string(c.Text)
	}
	text := withDetail(advice, detail)
	if len(r.Subtrees) > 0 && r.Subtrees[0].FollowsLinks {
		text += ", and the walk follows links, so that it may leave " + shown(r.Subtrees[0].Root)
	}
	return fmt.Sprintf("%s a place that is not known: %s", subject(at), text)
}

// withDetail puts a detail into the brackets of an advice, or takes them away.
func withDetail(advice, detail string) string {
	if detail = shown(detail); detail != "" {
		return fmt.Sprintf(advice, detail)
	}
	return strings.Replace(advice, " (%s)", "", 1)
}

// unknownRemedy tells what can be written otherwise from what cannot.
func unknownRemedy(why establish.Reason) Remedy {
	switch why {
	case establish.NoAuthoritativeAnswer:
		return Remedy{} // it may be known the next time
	case establish.LinkUnreadable, establish.LinkHops, establish.PathTooLong, establish.SearchDenied, establish.NotDirectory,
		establish.UnknownShellOption, establish.EmptyWord, establish.ScriptNotRead, establish.NoRepository:
		return Remedy{Kind: RemedyApprove}
	}
	return Remedy{Kind: RemedyRewrite}
}

// byHand is the advice about what nothing but a person can judge.
const byHand = "approve it by hand"

// byHost is where a host keeps what it allows.
const byHost = ", or allow it in the rules of the host"

// opaqueAdvice says what would make an opaque command an allow; anything else is
// for a person to approve.
var opaqueAdvice = map[shellplan.OpaqueCode]string{
	shellplan.OpaqueSyntax:      "mend the text",
	shellplan.OpaqueTooLarge:    "split the text",
	shellplan.OpaqueDynamic:     "write the word out, or approve it by hand",
	shellplan.OpaqueRole:        "write the word out, or approve it by hand",
	shellplan.OpaqueNames:       "write the names out, or approve it by hand",
	shellplan.OpaqueOption:      "leave it out, or approve it by hand",
	shellplan.OpaqueCwd:         "write an absolute path, or approve it by hand",
	shellplan.OpaqueConstruct:   "write it plainer, or approve it by hand",
	shellplan.OpaqueScript:      "write it plainer, or approve it by hand",
	shellplan.OpaquePattern:     "write it plainer, or approve it by hand",
	shellplan.OpaqueShellOption: "write it plainer, or approve it by hand",
	shellplan.OpaqueEnvironment: "run it without that variable, or approve it by hand",
	shellplan.OpaqueAfter:       "run the parts one at a time",
}

func opaqueMessage(o shellplan.Opaque, command string) string {
	what, word := "the command", string(o.Word)
	switch {
	case (o.Code == shellplan.OpaqueProgram || o.Code == shellplan.OpaqueInterpreter) && command != "":
		// The word is where the reason stands; what runs is the command.
		if what = command; !strings.HasSuffix(command, word) {
			what += " " + word
		}
		what = quote(what)
	case word != "":
		what = quote(word)
	}
	return fmt.Sprintf("%s is not wholly understood: %s; %s", what,
		shown(cmp.Or(o.Detail, "what it does is not modelled")), cmp.Or(opaqueAdvice[o.Code], byHand+byHost))
}

// opaqueRemedy tells what can be written otherwise from what only a person can
// judge.
func opaqueRemedy(o shellplan.Opaque) Remedy {
	if _, can := opaqueAdvice[o.Code]; can {
		return Remedy{Kind: RemedyRewrite}
	}
	return Remedy{Kind: RemedyApprove}
}
