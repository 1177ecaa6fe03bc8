package tool

import (
	"context"
	"errors"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/spill"
)

// lateSave is how long saving may take once the deadline of a call has passed: a
// search that was cut short there still saves what it found, within the time
// that a caller keeps for the answer itself.
const lateSave = 50 * time.Millisecond

// noOwner tells whoever set the runtime up what is missing; nothing is broken.
const noOwner = "the call has no owner"

// save keeps the complete result of a page that does not show all of it. A
// result that was found stays a success whatever the store says: the page then
// tells that nothing was saved.
func (s *Set) save(ctx context.Context, session Session, draft *render.Draft, meta spill.Meta, content spill.Content) (render.Saved, error) {
	if !draft.Capped() || s.store == nil || session.Nested {
		return render.Saved{}, nil
	}
	if session.Owner == "" {
		return render.Saved{Why: noOwner}, nil
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), lateSave)
		defer cancel()
	}
	meta.Owner, meta.CallID = session.Owner, session.CallID
	saved, err := s.store.SaveText(ctx, meta, content)
	if err != nil {
		return render.Saved{}, err
	}
	return render.Saved{Locator: saved.Locator, Hint: saved.Hint}, nil
}
