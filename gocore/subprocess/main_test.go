package subprocess

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// parentVariable makes the test binary a process that runs one child and waits:
// the parent that tests kill. Its value is the executable of the child.
const parentVariable, watchedVariable = "SUBPROCESS_TEST_PARENT", "SUBPROCESS_TEST_WATCHED"

func TestMain(m *testing.M) {
	coretest.RunIfFake()
	if path := os.Getenv(parentVariable); path != "" {
		local := Local{watched: os.Getenv(watchedVariable) != ""}
		out, err := local.Run(context.Background(), Spec{Path: path})
		fmt.Println("the child ended before its parent:", out, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
