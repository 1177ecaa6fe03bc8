package harness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/judge"
)

// ConfirmRequest looks at a judged command once more, just before it is
// started. It repeats the request of the gate and hands back its answer.
type ConfirmRequest struct {
	GateRequest
	Establishment *establish.Established
	Digest        string
}

// Confirmation is the second look. Its decision is never milder than what the
// same look would be judged at the gate, and no allow when something moved.
type Confirmation struct {
	judge.Ruling
	// Changed are the words that lead elsewhere now.
	Changed []establish.Moved
	// ChangedRoots are the paths of the boundary that do.
	ChangedRoots []establish.MovedRoot
}

// Confirm establishes again and says what moved. An answer that belongs to
// another command, directory, environment or establishment is a deny. The error
// is a *ShellError or an *establish.Error; a caller treats it as no allow.
func (r *Runtime) Confirm(ctx context.Context, req ConfirmRequest) (*Confirmation, error) {
	req.fill()
	req.trust = r.options.Config.Trust
	if req.Establishment == nil || req.Establishment.Plan == nil {
		return nil, &ShellError{"establishment", "it is missing; hand back the one that the gate answered"}
	}
	text, err := req.Establishment.JSON()
	if err != nil {
		return nil, fmt.Errorf("write the establishment down: %w", err)
	}
	digest, err := req.digest(text)
	if err != nil {
		return nil, err
	}
	if digest != req.Digest || string(req.Establishment.Plan.Source) != req.Command {
		return refused("the establishment and its digest belong to another command, directory or environment; ask the gate about this one"), nil
	}
	change, err := r.Reestablish(ctx, req.Establishment, nil)
	if err != nil {
		return nil, err
	}
	answer := &Confirmation{Ruling: req.decide(change.Now), Changed: change.Changed, ChangedRoots: change.ChangedRoots}
	if change.Any() {
		answer.Reasons = append(answer.Reasons, changedReasons(change)...)
		answer.Decision = min(answer.Decision, judge.Ask)
	}
	return answer, nil
}

func refused(message string) *Confirmation {
	return &Confirmation{Ruling: judge.Ruling{
		Decision: judge.Deny,
		Reasons:  []judge.Reason{{Code: judge.Changed, Decision: judge.Deny, Segment: -1, Message: message}},
	}}
}

// changedReasons says, one by one, what moved since the gate looked.
func changedReasons(change *establish.Change) []judge.Reason {
	var reasons []judge.Reason
	add := func(r judge.Reason) {
		r.Code, r.Decision = judge.Changed, judge.Ask
		reasons = append(reasons, r)
	}
	for _, m := range change.Changed {
		add(judge.Reason{
			Nested: m.Nested, Segment: m.Segment, Target: m.Now.Target(),
			Message: fmt.Sprintf("a word that led to %s now leads to %s; ask the gate again", place(m.Before.Target()), place(m.Now.Target())),
		})
	}
	for _, m := range change.ChangedRoots {
		add(judge.Reason{
			Segment: -1, Target: m.Now.Path,
			Message: fmt.Sprintf("%s (%s) led to %s and now leads to %s; ask the gate again", m.Now.Spelling, m.List, place(m.Before.Path), place(m.Now.Path)),
		})
	}
	for _, m := range change.ChangedChecks {
		add(judge.Reason{
			Nested: m.Nested, Segment: m.Segment, Detail: m.Now.Detail,
			Message: "a file that the command obeys has changed: " + m.Now.Detail + "; ask the gate again",
		})
	}
	return reasons
}

// place names a path in a message.
func place(path string) string {
	if path == "" {
		return "no known place"
	}
	return fmt.Sprintf("%q", path)
}

// digest binds an establishment, in its JSON form, to what was asked. It guards
// against mix-ups, not against a caller who makes one up: who runs the commands
// has no need to.
func (req *GateRequest) digest(establishment []byte) (string, error) {
	asked, err := json.Marshal(struct {
		Command    []byte
		Shell, Cwd string
		Env        map[string]string
		Policy     *judge.Policy
		Sandbox    *Sandbox
	}{[]byte(req.Command), req.Shell, req.Cwd, req.Env, req.Policy, req.Sandbox})
	if err != nil {
		return "", fmt.Errorf("write the question down: %w", err)
	}
	sum := sha256.New()
	sum.Write(asked) // a JSON object, so that its end is known
	sum.Write(establishment)
	return hex.EncodeToString(sum.Sum(nil)), nil
}
