package shellsyntax

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// A line that goes on behind a dollar sign is not read: the shell joins it with what
// the parser takes for another part.
func TestALineGoesOnBehindADollar(t *testing.T) {
	for _, text := range []string{"cat $\\\n'a'", "cat $\\\n{x:-a}", "cat \"$\\\n(echo a)\"", "cat $\\\n\"a\""} {
		for _, d := range []shellplan.Dialect{shellplan.DialectBash, shellplan.DialectDash, shellplan.DialectPosix} {
			_, _, why := Parse([]byte(text), d)
			require.NotNil(t, why, text)
			assert.Equal(t, shellplan.OpaqueConstruct, why.Code, text)
		}
	}
}

// bash takes the dollar sign in front of a quote for a part of it; dash does
// not.
func TestADollarBeforeAQuote(t *testing.T) {
	for _, text := range []string{"cat $'a'", `cat $"a"`, "cat b$'a'", "cat ${x:-$'a'}", "x=$'a'", "case a in $'a') ;; esac", "cat <<< a || cat $'a'"} {
		_, _, why := Parse([]byte(text), shellplan.DialectPosix)
		require.NotNil(t, why, text)
		assert.Contains(t, []shellplan.OpaqueCode{shellplan.OpaqueConstruct, shellplan.OpaqueSyntax}, why.Code, text)
	}
	for _, text := range []string{"cat 'a$' 'b'", `cat "a$"'b'`, "grep a$ 'b'", "cat $x'b'", "cat ${x}'b'", "cat <<E\n$'a'\nE"} {
		_, _, why := Parse([]byte(text), shellplan.DialectPosix)
		assert.Nil(t, why, text)
	}
	for _, d := range []shellplan.Dialect{shellplan.DialectBash, shellplan.DialectDash} {
		_, _, why := Parse([]byte("cat $'a'"), d)
		assert.Nil(t, why, d)
	}
}
