package planner

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	texts "github.com/hydraharness/harness-runtime/gocore/internal/hostile"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// What planning a hostile text takes is counted: the units that it spends itself,
// and allocations, which no unit is named after and which follow from all that is
// done. A text that runs out of units has no plan.
func TestHostileTextsTakeBoundedWork(t *testing.T) {
	const (
		// mostMallocs take 20 ms at the 200 ns that one takes here with what
		// is done between two; the texts stay below 80,000.
		mostMallocs = 100_000
		// mostBytes is half as much again as the text that takes most.
		mostBytes = 15 << 20
	)
	var past []string
	for _, h := range texts.Texts() {
		require.LessOrEqual(t, len(h.Command), texts.Size, h.Name)
		b := newBudget(len(h.Command))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p := newPlanner(b, []byte(h.Command), options(shellplan.DialectBash))
		p.run(p.initialState())
		runtime.ReadMemStats(&after)
		assert.LessOrEqual(t, after.Mallocs-before.Mallocs, uint64(mostMallocs), h.Name)
		assert.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(mostBytes), h.Name)
		if b.work < 0 {
			past = append(past, h.Name)
			text, err := json.Marshal(p.plan)
			require.NoError(t, err)
			assert.Contains(t, string(text), `"code":"`+shellplan.OpaqueTooLarge.String()+`"`, h.Name)
		}
	}
	assert.Equal(t, pastTheBudget, past)
}

// pastTheBudget are the hostile texts with more to work out than is done. Others are
// read to their end, and bounded by what they may hold.
var pastTheBudget = []string{
	"braces", "braces of patterns", "many braces", "nested braces", "nested brace products", "commands", "and", "or",
	"cd and", "cd product", "assignments and branches", "functions and branches", "calls", "calls that read",
	"call of itself", "calls with arguments", "doubling", "doubled words", "doubled patterns", "positional", "array",
	"trim", "trims", "replacements", "substrings", "loops in loops", "brace loops", "while in while", "whiles",
	"counting in counting", "case of a known word", "choices and reads", "backquotes", "evals in evals",
	"printing loop", "upwards",
}
