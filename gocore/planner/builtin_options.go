package planner

import (
	"github.com/hydraharness/harness-runtime/gocore/command"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// shellOption is an option of set -o or shopt.
type shellOption struct {
	flag   int            // index of state.flag plus one; 0 for none
	bit    shellplan.Glob // 0 for none
	invert bool           // the bit is set while the option is off
	reason string         // why turning it on ends the model; empty when it does not
}

// apply turns the option on, off or to a state that is not known.
func (o shellOption) apply(st *state, to tri) {
	if o.flag > 0 {
		st.flag[o.flag-1] = to
	}
	if o.bit == 0 {
		return
	}
	if to == perhaps {
		st.globDim |= o.bit
		return
	}
	st.globDim &^= o.bit
	if (to == on) != o.invert {
		st.glob |= o.bit
	} else {
		st.glob &^= o.bit
	}
	switch {
	case o.bit == shellplan.GlobSkipDots && to == off:
		st.glob |= shellplan.GlobKeepDots
	case o.bit == shellplan.GlobSkipDots:
		st.glob &^= shellplan.GlobKeepDots
	}
}

func flagOption(flag int) shellOption { return shellOption{flag: flag + 1} }

// setOptions are the names of set -o; an option without effect on what is read
// or written is there so that it is known.
var setOptions = map[string]shellOption{
	"allexport":   flagOption(flagAllExport),
	"noglob":      flagOption(flagNoGlob),
	"physical":    flagOption(flagPhysical),
	"posix":       {flag: flagPosix + 1, reason: "posix mode changes how words are read"},
	"xtrace":      flagOption(flagXTrace),
	"braceexpand": {}, "emacs": {}, "errexit": {}, "errtrace": {}, "functrace": {}, "hashall": {},
	"histexpand": {}, "history": {}, "ignoreeof": {}, "interactive-comments": {}, "monitor": {},
	"noclobber": {}, "noexec": {}, "nolog": {}, "notify": {}, "nounset": {}, "pipefail": {},
	"verbose": {}, "vi": {}, "onecmd": {},
	"keyword":    {reason: "words that look like assignments are taken from the arguments"},
	"privileged": {},
}

// setLetters are the one-letter forms of set.
var setLetters = map[byte]string{
	'a': "allexport", 'f': "noglob", 'P': "physical", 'x': "xtrace", 'e': "errexit", 'u': "nounset",
	'v': "verbose", 'n': "noexec", 'C': "noclobber", 'b': "notify", 'h': "hashall", 'm': "monitor",
	'B': "braceexpand", 'E': "errtrace", 'T': "functrace", 'k': "keyword", 'p': "privileged", 'H': "histexpand",
	't': "onecmd", 'I': "ignoreeof", 'V': "vi",
}

// shoptOptions are the names of shopt.
var shoptOptions = map[string]shellOption{
	"dotglob": {bit: shellplan.GlobDot}, "nullglob": {bit: shellplan.GlobNull}, "failglob": {bit: shellplan.GlobFail},
	"nocaseglob": {bit: shellplan.GlobNoCase}, "globstar": {bit: shellplan.GlobStar}, "extglob": {bit: shellplan.GlobExt},
	"globskipdots": {bit: shellplan.GlobSkipDots}, "globasciiranges": {bit: shellplan.GlobCollate, invert: true},
	"lastpipe": flagOption(flagLastPipe), "expand_aliases": flagOption(flagAliases),
	"cdable_vars":       flagOption(flagCDable),
	"cdspell":           {}, // interactive shells only
	"autocd":            {}, // interactive shells only
	"array_expand_once": {}, "assoc_expand_once": {}, "checkhash": {}, "checkjobs": {}, "checkwinsize": {},
	"cmdhist": {}, "complete_fullquote": {}, "direxpand": {}, "dirspell": {}, "execfail": {},
	"extquote": {}, "force_fignore": {}, "gnu_errfmt": {}, "histappend": {}, "histreedit": {},
	"histverify": {}, "hostcomplete": {}, "huponexit": {}, "inherit_errexit": {},
	"interactive_comments": {}, "lithist": {}, "localvar_inherit": {}, "localvar_unset": {},
	"login_shell": {}, "mailwarn": {}, "no_empty_cmd_completion": {}, "noexpand_translation": {},
	"patsub_replacement": {}, "progcomp": {}, "progcomp_alias": {}, "promptvars": {},
	"restricted_shell": {}, "shift_verbose": {}, "sourcepath": {}, "varredir_close": {},
	"syslog_history": {},
	"nocasematch":    {reason: "case and [[ match either case of letters"},
	"xpg_echo":       {reason: "echo prints other text"},
	"extdebug":       {reason: "extdebug makes the shell run and report more than its words say"},
	"compat31":       {reason: "a compatibility level changes how words are read"},
	"compat32":       {reason: "a compatibility level changes how words are read"},
	"compat40":       {reason: "a compatibility level changes how words are read"},
	"compat41":       {reason: "a compatibility level changes how words are read"},
	"compat42":       {reason: "a compatibility level changes how words are read"},
	"compat43":       {reason: "a compatibility level changes how words are read"},
	"compat44":       {reason: "a compatibility level changes how words are read"},
	"compat50":       {reason: "a compatibility level changes how words are read"},
}

// optionOf is the option that the command line of a shell names.
func optionOf(o command.ShellOption) (shellOption, bool) {
	if o.Shopt {
		option, known := shoptOptions[o.Name]
		return option, known
	}
	name := o.Name
	if o.Letter != 0 {
		letter, known := setLetters[o.Letter]
		if !known {
			return shellOption{}, false
		}
		name = letter
	}
	option, known := setOptions[name]
	return option, known
}
