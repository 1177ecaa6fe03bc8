package resolve

import (
	"context"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// Resolver resolves paths in one environment, for the text of one command. Nothing
// is remembered between two questions.
type Resolver struct {
	// Streams is what the text does to the standard streams.
	Streams Streams

	env   execenv.Env
	links execenv.LinkReader // nil: links cannot be read
	caps  execenv.Capabilities
}

// New returns a Resolver. It asks the environment nothing.
func New(env execenv.Env) *Resolver {
	r := &Resolver{env: env, caps: env.Capabilities()}
	r.links, _ = env.(execenv.LinkReader)
	return r
}

// gone returns the error when it says that the call was given up: it tells nothing
// about the file system then.
func gone(ctx context.Context, err error) error {
	if execenv.Cancelled(ctx, err) {
		return err
	}
	return nil
}
