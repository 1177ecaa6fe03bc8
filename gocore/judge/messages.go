package judge

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// verbs say what a seat does to a path.
var verbs = map[shellplan.Seat]string{
	shellplan.SeatRead:  "reads",
	shellplan.SeatWrite: "writes",
	shellplan.SeatEntry: "creates, replaces or removes",
	shellplan.SeatStat:  "looks at",
	shellplan.SeatTree:  "changes files in",
	shellplan.SeatExec:  "runs",
}

func verb(s shellplan.Seat) string {
	if v, ok := verbs[s]; ok {
		return v
	}
	return "touches"
}

// subject starts a sentence about a word.
func subject(at Reason) string {
	if at.Word == "" {
		return "the command by itself " + verb(at.Seat)
	}
	return quote(at.Word) + " " + verb(at.Seat)
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

// outsideMessage names the root that would make it an allow: a directory.
func outsideMessage(at Reason, root string, more int) string {
	also := ""
	if more > 0 {
		also = fmt.Sprintf(" and %d more paths", more)
	}
	place, flag := "read roots", "--root"
	if at.Seat.IsWrite() {
		place, flag = "write roots", "--write-root"
	}
	if at.Seat == shellplan.SeatTree {
		root = at.Target
	}
	return fmt.Sprintf("%s %s%s, outside the %s; add %s %s to allow it", subject(at), shown(at.Target), also, place, flag, shown(root))
}

// unknownAdvice says what is not known and what would make it known.
var unknownAdvice = map[establish.Reason]string{
	establish.UnreadableDir:         "a directory cannot be listed (%s); name the files",
	establish.UnmodelledPattern:     "the pattern uses something that is not modelled (%s); write a plainer one",
	establish.CapDirs:               "more than 256 directories would have to be listed (%s); name a smaller place",
	establish.CapMatches:            "more than 8192 names match (%s); name a smaller place",
	establish.CapScan:               "too many names would have to be looked through (%s); name a smaller place",
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

func unknownMessage(at Reason, plan *shellplan.Segment, c *shellplan.Candidate, r *establish.Read) string {
	advice, ok := unknownAdvice[r.Reason]
	if !ok {
		advice = "its place is not known (%s)"
	}
	detail := shown(r.Detail)
	if detail == "" {
		detail = string(c.Text)
	}
	text := fmt.Sprintf(advice, shown(detail))
	if len(r.Subtrees) > 0 && r.Subtrees[0].FollowsLinks {
		text += ", and the walk follows links, so that it may leave " + shown(r.Subtrees[0].Root)
	}
	return fmt.Sprintf("%s a place that is not known: %s", subject(at), text)
}

func opaqueMessage(o shellplan.Opaque) string {
	detail := o.Detail
	if detail == "" {
		detail = "what it does is not modelled"
	}
	if len(o.Word) == 0 {
		return "the command is not wholly understood: " + shown(detail)
	}
	return fmt.Sprintf("%s is not wholly understood: %s", quote(string(o.Word)), shown(detail))
}
