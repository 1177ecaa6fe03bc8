package establish

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// oracleCount is how many cases an oracle runs: small in every test run, as
// many as the variable says by hand.
func oracleCount(t testing.TB, variable string, normal int) int {
	s := os.Getenv(variable)
	if s == "" {
		return normal
	}
	n, err := strconv.Atoi(s)
	require.NoError(t, err, variable)
	return n
}

// oracleSeed makes the cases of a run others than those of the last one.
func oracleSeed(t testing.TB) uint64 { return uint64(oracleCount(t, "ESTABLISH_ORACLE_SEED", 11)) }
