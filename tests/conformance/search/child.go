package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// childVariable makes this program the driver, which calls the Go API unless
// serveVariable names a server.
const childVariable = "HYDRA_CONFORMANCE_CHILD"

// runIfChild answers one question and ends the process, when it is the driver.
func runIfChild() {
	if os.Getenv(childVariable) == "" {
		return
	}
	runtimePath := os.Getenv(serveVariable)
	os.Unsetenv(childVariable)
	os.Unsetenv(serveVariable)
	var q question
	if err := json.NewDecoder(os.Stdin).Decode(&q); err != nil {
		fatal(err)
	}
	var a answer
	if runtimePath == "" {
		a = ask(q)
	} else {
		a = askServer(q, runtimePath)
	}
	if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
		fatal(err)
	}
	os.Exit(0)
}

func ask(q question) answer {
	text, err := json.Marshal(q.Config)
	if err != nil {
		return answer{Kind: "driver", Message: err.Error()}
	}
	config, err := harness.ParseConfig(text)
	if err != nil {
		return answer{Kind: "config", Message: err.Error()}
	}
	rt, err := harness.Open(harness.Options{RuntimePath: q.Runtime, Config: config, Environ: os.Environ()})
	if err != nil {
		return answer{Kind: "config", Message: err.Error()}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if q.PreAborted {
		cancel()
	}
	if q.AbortAfterMs > 0 {
		time.AfterFunc(time.Duration(q.AbortAfterMs)*time.Millisecond, cancel)
	}
	args, err := json.Marshal(q.Args)
	if err != nil {
		return answer{Kind: "driver", Message: err.Error()}
	}
	if q.Indexed && q.Workdir != nil {
		indexed(func() (*search.IndexUse, error) {
			r, err := rt.Grep(context.Background(), *q.Workdir, search.GrepRequest{Pattern: indexPattern})
			if err != nil {
				return nil, err
			}
			return r.Stats.Index, nil
		})
	}
	s := tool.Session{Owner: q.Owner, Nested: q.Nested}
	if q.Workdir != nil {
		s.Workdir = *q.Workdir
	}
	return answerOf(rt.Call(ctx, s, q.Tool, args))
}

// indexPattern is what is searched for until there is an index.
const indexPattern = "nothing at all"

// maxAsked bounds how often a search is made for an index to be there.
const maxAsked = 10_000

// indexed searches until an index answers, or says why none will.
func indexed(search func() (*search.IndexUse, error)) {
	for range maxAsked {
		use, err := search()
		if err != nil || use == nil {
			return
		}
		switch use.Reason {
		case "off", "building", "ignore-changed":
			runtime.Gosched()
		default:
			return
		}
	}
}

func answerOf(r tool.Result) answer {
	a := answer{Text: r.Text}
	if r.Failure != nil {
		a.Kind, a.Code, a.Message = "search", r.Failure.Code, r.Failure.Message
		if r.Failure.Code == "TOOL_ARGUMENT" {
			a.Kind = "argument"
		}
		return a
	}
	if err := errors.Join(convert(r.Value, &a.Canonical), convert(r.Page, &a.Page)); err != nil {
		return answer{Kind: "driver", Message: err.Error()}
	}
	return a
}

// convert carries a value over through its JSON.
func convert(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}
