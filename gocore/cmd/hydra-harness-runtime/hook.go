package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// exitBlocks is the status by which both hosts take a hook's word for no. Any
// other failure status would let the command run.
const exitBlocks = 2

// The dialects of hooks.
const (
	dialectClaudeCode = "claude-code"
	dialectCodex      = "codex"
)

// maxEventBytes bounds a hook event: a command and what is around it.
const maxEventBytes = 8 << 20

// hookEvent is a PreToolUse event, reduced to what decides.
type hookEvent struct {
	Event     string         `json:"hook_event_name"`
	Tool      string         `json:"tool_name"`
	Cwd       string         `json:"cwd"`
	ToolInput strictjson.Raw `json:"tool_input"`
}

// hookAnswer is what both hosts read on standard output.
type hookAnswer struct {
	Output struct {
		Event    string         `json:"hookEventName"`
		Decision judge.Decision `json:"permissionDecision"`
		Reason   string         `json:"permissionDecisionReason"`
		// Input is the tool's input with the command to run in place of its own.
		Input json.RawMessage `json:"updatedInput,omitempty"`
	} `json:"hookSpecificOutput"`
}

// shellTools are the names of the hosts' shell tools.
var shellTools = map[string]bool{"Bash": true, "shell": true, "local_shell": true, "exec_command": true, "shell_command": true}

// answering are the commands whose statuses 0 to 2 are answers.
var answering = []string{"gate", "plan", "establish"}

// asksHook reports whether these are the arguments of a hook, however wrong they
// are otherwise: they may never be read as flags, and what stands behind --root
// when its variable is not set is --dialect. Of the commands whose errors do not
// end with status 2, no other flag begins with a d: that is --dialect misspelt.
func asksHook(root *cobra.Command, args []string) bool {
	cmd, _, err := root.Find(args)
	if err != nil || !slices.Contains(answering, cmd.Name()) {
		return false
	}
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		return strings.HasPrefix(arg, "--d") || strings.HasPrefix(arg, "-d")
	})
}

// errNotJudged is a hook whose arguments are good for something, but no question.
var errNotJudged = errors.New("its arguments do not ask about an event; write gate --dialect claude-code or codex, and give every flag its value")

// judged is the end of a hook that has looked at its event. Nothing else lets the
// command run.
type judged struct{}

func (judged) Error() string { return "the event was answered" }

// hookStatus is the exit status of a hook: whatever went wrong blocks the command.
func hookStatus(w io.Writer, err error) int {
	var code status
	switch {
	case errors.As(err, new(judged)):
		return exitAllow
	case err == nil, errors.As(err, &code):
		err = errNotJudged
	}
	fmt.Fprintf(w, "hydra-harness-runtime: the gate could not judge the command, so it is blocked: %v\n", err)
	return exitBlocks
}

// hook answers one event.
func (f *gateFlags) hook(ctx context.Context) error {
	answer, err := within(ctx, judgeTime, errHookTime, f.answerHook)
	if err == nil && answer != nil {
		err = printJSON(f.std.out, answer)
	}
	if err != nil {
		return err
	}
	return judged{}
}

func (f *gateFlags) answerHook(ctx context.Context) (*hookAnswer, error) {
	if f.dialect != dialectClaudeCode && f.dialect != dialectCodex {
		return nil, fmt.Errorf("the dialect %q is not known; write %s or %s", f.dialect, dialectClaudeCode, dialectCodex)
	}
	text, err := io.ReadAll(io.LimitReader(f.input(ctx), maxEventBytes))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	var event hookEvent
	if err := strictjson.UnmarshalForeign(text, &event); err != nil {
		return nil, fmt.Errorf("the event cannot be read: %w", err)
	}
	if event.Event != "" && event.Event != "PreToolUse" || event.Tool != "" && !shellTools[event.Tool] {
		return nil, nil // not a shell command: nothing to say
	}
	asked, err := event.questions(f)
	if err != nil {
		return nil, err
	}
	rt, err := f.gateRuntime()
	if err != nil {
		return nil, err
	}
	var strictest *harness.Gate
	for _, line := range asked {
		req, err := f.question(line)
		if err != nil {
			return nil, err
		}
		g, err := rt.Gate(ctx, req)
		if err != nil {
			return nil, err
		}
		if strictest == nil || g.Decision < strictest.Decision {
			strictest = g
		}
	}
	return f.dialectAnswer(strictest, &event, len(asked))
}

// dialectAnswer is the decision in the host's form. Codex takes no ask, and reads
// silence as consent.
func (f *gateFlags) dialectAnswer(g *harness.Gate, event *hookEvent, asked int) (*hookAnswer, error) {
	answer := &hookAnswer{}
	answer.Output.Event = "PreToolUse"
	answer.Output.Decision, answer.Output.Reason = g.Decision, summary(g)
	codex := f.dialect == dialectCodex
	switch {
	case g.Confinement != nil && asked == 1 && (!codex || f.rewrite):
		input, err := event.withCommand(g.Confinement.Command)
		if err != nil {
			return nil, err
		}
		answer.Output.Decision, answer.Output.Input = judge.Allow, input
		return answer, nil
	case g.Decision == judge.Confine:
		// A host that runs what the model wrote, or that may run it elsewhere.
		answer.Output.Decision = judge.Ask
		if asked == 1 {
			answer.Output.Reason += "\nrun it with: " + g.Confinement.Command
		}
	case codex && g.Decision == judge.Allow:
		return nil, nil
	}
	if codex {
		answer.Output.Decision = judge.Deny
	}
	return answer, nil
}

// hookWords tell a person what to change. The model reads them too, and cannot:
// the settings are not its to write.
var hookWords = judge.Words{
	ReadRoot:  "the hook's own command allows it with --root %s",
	WriteRoot: "the hook's own command allows it with --write-root %s",
	Trust:     "or the hook's own command trusts it, with %s in the list of its --trust FILE",
}

// maxHookReasons is how many reasons a host is told: a person reads no more.
const maxHookReasons = 5

func summary(g *harness.Gate) string {
	if len(g.Reasons) == 0 {
		if g.Unconfined != "" {
			return "everything that the command names lies inside the roots; it cannot be confined: " + g.Unconfined
		}
		return "everything that the command names lies inside the roots"
	}
	var lines []string
	for i, r := range g.Reasons {
		if i == maxHookReasons {
			lines = append(lines, fmt.Sprintf("and %d more reasons", len(g.Reasons)-i))
			break
		}
		lines = append(lines, hookWords.Tell(r))
	}
	return strings.Join(lines, "\n")
}
