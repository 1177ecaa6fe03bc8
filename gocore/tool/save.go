package tool

import (
	"context"
	"errors"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/supervise"
)

const (
	// saveTime is the most that saving a result may take, and saveShare the part
	// of a call's remaining time: a result that was found must not become a
	// time-out because its folder is slow. A save takes milliseconds.
	saveTime  = 2 * time.Second
	saveShare = 0.5
	// lateSave is how long saving may take once the deadline of a call has passed: a
	// search that was cut short there still saves what it found, within the time
	// that a caller keeps for the answer itself.
	lateSave = 50 * time.Millisecond
)

// noOwner tells whoever set the runtime up what is missing; nothing is broken.
const noOwner = "the call has no owner"

// noAnswer is why nothing was saved when the folder hangs or is locked.
const noAnswer = "the folder of saved results did not answer in time"

// errNoAnswer is the cause of a save that ran out of its time.
var errNoAnswer = errors.New(noAnswer)

// save keeps the complete result of a page that does not show all of it. A
// result that was found stays a success whatever the store says: the page then
// tells that nothing was saved, and why.
func (s *Set) save(ctx context.Context, session Session, draft *render.Draft, meta spill.Meta, content spill.Content) (render.Saved, error) {
	if !draft.Capped() || s.store == nil || session.Nested {
		return render.Saved{}, nil
	}
	if session.Owner == "" {
		return render.Saved{Why: noOwner}, nil
	}
	ctx, cancel := withinSaveTime(ctx)
	defer cancel()
	meta.Owner, meta.CallID = session.Owner, session.CallID
	saved, err := supervise.Run(ctx, s.pool, supervise.Within(0), func() (spill.Result, error) {
		return s.store.SaveText(ctx, meta, content)
	})
	if err != nil {
		return render.Saved{Why: whyUnsaved(ctx, err)}, err
	}
	return render.Saved{Locator: saved.Locator, Hint: saved.Hint}, nil
}

// withinSaveTime gives a save its part of the call's time.
func withinSaveTime(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := saveTime
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		ctx, limit = context.WithoutCancel(ctx), lateSave
	} else if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Duration(saveShare*float64(time.Until(deadline))))
	}
	return context.WithTimeoutCause(ctx, limit, errNoAnswer)
}

// whyUnsaved says why nothing was saved, in words for the page.
func whyUnsaved(ctx context.Context, err error) string {
	var known *spill.Error
	switch {
	case errors.Is(context.Cause(ctx), errNoAnswer):
		return noAnswer
	case errors.As(err, &known):
		return failure.Shorten(known.Message)
	}
	return ""
}
