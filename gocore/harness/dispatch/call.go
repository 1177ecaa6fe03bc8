package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// metaPrefix is the name under which our keys stand in a _meta.
const metaPrefix = "dev.hydra-harness/"

// Keys of a request's _meta.
const (
	metaOwner      = metaPrefix + "owner"
	metaWorkdir    = metaPrefix + "workdir"
	metaDeadlineMs = metaPrefix + "deadlineMs"
	metaNested     = metaPrefix + "nested"
	// metaProgress is MCP's own.
	metaProgress = "progressToken"
)

// Keys of a result's _meta.
const (
	// MetaError carries the failure of a tool call in its result.
	MetaError = metaPrefix + "error"
	// MetaNext and MetaSize tell of a resource of which there is more: where to
	// go on, and the bytes of all of it.
	MetaNext = metaPrefix + "next"
	MetaSize = metaPrefix + "size"
	// MetaResource is the address at which the complete result of a tool call
	// can be read as a resource.
	MetaResource = metaPrefix + "resource"
)

// metaTypes are the keys that a request may have, and what they take.
var metaTypes = map[string]string{
	metaOwner:      "a string of at most 1024 bytes",
	metaWorkdir:    "a string, an absolute path",
	metaDeadlineMs: "a number of milliseconds",
	metaNested:     "true or false",
}

// MaxOwnerBytes bounds the name of a session, which is kept while it waits.
const MaxOwnerBytes = 1024

// call is what a request says about itself.
type call struct {
	tool.Session
	// deadline is when the client gives up; the zero time is never.
	deadline time.Time
	// workdir is the working directory that the request names, not looked at yet.
	workdir    string
	ownWorkdir bool
	// progress is the token to report progress under, nil for none.
	progress any
}

// call reads a request's _meta. The error is a *tool.ArgumentError.
func (d *Dispatcher) call(meta map[string]any) (call, error) {
	c := call{Session: tool.Session{Workdir: d.options.Workdir, Owner: d.options.Owner}}
	bad := func(key, format string, args ...any) (call, error) {
		return c, &tool.ArgumentError{Argument: key, Message: fmt.Sprintf(format, args...)}
	}
	for key, value := range meta {
		takes, known := metaTypes[key]
		switch {
		case !strings.HasPrefix(key, metaPrefix):
		case !known:
			return bad(failure.Clip(key), "there is no such key; there are %s", strings.Join(MetaKeys(), ", "))
		case !c.set(key, value):
			return bad(key, "it is %s; write %s", typeNameOf(value), takes)
		}
	}
	if len(c.Owner) > MaxOwnerBytes {
		return bad(metaOwner, "it has %d bytes, at most %d are accepted; write a shorter one", len(c.Owner), MaxOwnerBytes)
	}
	if ms, given := meta[metaDeadlineMs].(float64); given {
		if ms <= 0 || ms > harness.MaxTimerMs {
			return bad(metaDeadlineMs, "it is %v; give the milliseconds that are left, more than 0 and at most %d", ms, harness.MaxTimerMs)
		}
		c.deadline = time.Now().Add(time.Duration(ms * float64(time.Millisecond)))
	}
	c.workdir, _ = meta[metaWorkdir].(string)
	_, c.ownWorkdir = meta[metaWorkdir].(string)
	switch token := meta[metaProgress].(type) {
	case nil, string, float64:
		c.progress = token
	default:
		return bad(metaProgress, "it is %s; write a string or a whole number", typeNameOf(token))
	}
	return c, nil
}

// checkWorkdir looks at the directory that a call names. It is part of the
// call's work: the file system may not answer.
func (d *Dispatcher) checkWorkdir(c *call) error {
	if !c.ownWorkdir {
		return nil
	}
	checked, err := d.runtime.Workdir(c.workdir)
	if err == nil {
		c.Workdir = checked
	}
	return err
}

// CheckMeta looks a _meta through before anybody reads it: another reader of JSON
// must not find another owner, or another token, in it. Its other keys are their
// host's. The error is a *tool.ArgumentError that names the key.
func CheckMeta(text json.RawMessage) error {
	if strictjson.IsNull(text) {
		return nil
	}
	members, err := strictjson.Members(text)
	if err != nil {
		return argumentError(metaMember, err)
	}
	for _, m := range members {
		for _, key := range append(MetaKeys(), metaProgress) {
			if m.Name != key && strings.EqualFold(m.Name, key) {
				return &tool.ArgumentError{Argument: failure.Clip(m.Name), Message: "there is no such key; write " + key}
			}
		}
		if m.Name == metaProgress {
			var token any
			switch m.Value.Kind() {
			case '"':
				token = new(string)
			case '0':
				token = new(int64)
			default:
				return &tool.ArgumentError{Argument: metaProgress, Message: "it is " + strictjson.TypeName(m.Value) + "; write a string or a whole number"}
			}
			if err := strictjson.Unmarshal(m.Value, token); err != nil {
				return argumentError(metaProgress, err)
			}
		}
	}
	return nil
}

// set takes one value; it reports whether that is of the right type.
func (c *call) set(key string, value any) (ok bool) {
	switch key {
	case metaOwner:
		c.Owner, ok = value.(string)
	case metaNested:
		c.Nested, ok = value.(bool)
	case metaWorkdir:
		_, ok = value.(string)
	case metaDeadlineMs:
		_, ok = value.(float64)
	}
	return ok
}

// MetaKeys are the keys of a _meta that are ours, sorted.
func MetaKeys() []string {
	var keys []string
	for key := range metaTypes {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func typeNameOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "of another type"
	}
	return strictjson.TypeName(text)
}

const (
	// AnswerTime is how much of a client's deadline is kept for the answer; a
	// short deadline keeps answerShare of itself.
	AnswerTime  = 200 * time.Millisecond
	answerShare = 0.2
)

// context gives ctx the deadline of the call, a little early so that the answer
// is there before the client gives up.
func (c call) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.deadline.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, c.deadline.Add(-c.reserve()))
}

func (c call) reserve() time.Duration {
	return min(AnswerTime, time.Duration(answerShare*float64(time.Until(c.deadline))))
}
