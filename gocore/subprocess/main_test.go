package subprocess

import (
	"os"
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

func TestMain(m *testing.M) {
	coretest.RunIfFake()
	os.Exit(m.Run())
}
