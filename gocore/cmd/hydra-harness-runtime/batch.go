package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// batchError is the answer to a line that could not be judged: never an allow.
type batchError struct {
	Decision judge.Decision `json:"decision"`
	Error    string         `json:"error"`
}

// batchLine is one question of a batch.
type batchLine struct {
	Command    string            `json:"command"`
	Cwd        string            `json:"cwd"`
	Roots      []string          `json:"roots"`
	WriteRoots []string          `json:"writeRoots"`
	Home       string            `json:"home"`
	Env        map[string]string `json:"env"`
	Shell      string            `json:"shell"`
}

func parseBatchLine(text []byte) (batchLine, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return batchLine{}, errors.New("it is empty")
	}
	var line batchLine
	return line, strictjson.Unmarshal(text, &line)
}

// runBatch answers each line in order. A bad line gets an ask with its error,
// and the batch goes on.
func (f *gateFlags) runBatch(ctx context.Context) error {
	rt, err := f.gateRuntime()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f.std.out)
	in := bufio.NewReader(f.input(ctx))
	for {
		line, err := readLine(in)
		if err == nil || len(line) > 0 { // an empty line is one as well
			if err := printJSON(out, f.answerLine(ctx, rt, line)); err != nil {
				return err
			}
		}
		if in.Buffered() == 0 { // whoever waits for an answer gets it
			if err := out.Flush(); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return out.Flush()
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		}
	}
}

// readLine reads one line without its end. One that is too long is cut: it is
// then no JSON, and answered so.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, more, err := in.ReadLine()
		if len(line) <= 2*harness.MaxCommandBytes {
			line = append(line, part...)
		}
		if !more || err != nil {
			return line, err
		}
	}
}

func (f *gateFlags) answerLine(ctx context.Context, rt *harness.Runtime, text []byte) any {
	line, err := parseBatchLine(text)
	if err != nil {
		return batchError{judge.Ask, fmt.Sprintf("the line is not a question: %v", err)}
	}
	req, err := f.question(line)
	if err != nil {
		return batchError{judge.Ask, err.Error()}
	}
	g, err := judgeOne(ctx, rt, req)
	if err != nil {
		return batchError{judge.Ask, err.Error()}
	}
	return g
}

// question completes a line with the flags of the command.
func (f *gateFlags) question(line batchLine) (harness.GateRequest, error) {
	if line.Cwd == "" {
		line.Cwd = f.cwd
	}
	cwd, err := workdirOf(line.Cwd)
	if err != nil {
		return harness.GateRequest{}, err
	}
	if line.Shell == "" {
		line.Shell = f.shell
	}
	if line.Env == nil {
		if line.Env, err = environ(f.env); err != nil {
			return harness.GateRequest{}, err
		}
	}
	b := establish.Boundary{Cwd: cwd}
	if b.Home, err = homeOf(cmp.Or(line.Home, f.home), line.Env); err != nil {
		return harness.GateRequest{}, err
	}
	if b.ReadRoots, err = rootsOf("roots", line.Roots, "--root", f.roots); err != nil {
		return harness.GateRequest{}, err
	}
	if len(b.ReadRoots) == 0 && line.Roots == nil {
		b.ReadRoots = []string{cwd}
	}
	if b.WriteRoots, err = rootsOf("writeRoots", line.WriteRoots, "--write-root", f.writeRoots); err != nil {
		return harness.GateRequest{}, err
	}
	if err := f.apart(b.WriteRoots); err != nil {
		return harness.GateRequest{}, err
	}
	return f.request(harness.ShellCommand{Command: line.Command, Shell: line.Shell, Cwd: cwd, Env: line.Env}, b), nil
}

// rootsOf are the roots of a line, or else of the flags.
func rootsOf(member string, inLine []string, flag string, inFlags []string) ([]string, error) {
	if inLine == nil {
		return absoluteAll(flag, inFlags)
	}
	return absoluteAll(member, inLine)
}

// absoluteAll makes roots absolute, from the current directory on. An empty one is
// a variable that was not set: the current directory is not what it meant.
func absoluteAll(name string, dirs []string) ([]string, error) {
	var all []string
	for _, dir := range dirs {
		if dir == "" {
			return nil, fmt.Errorf("%s is empty; give a directory", name)
		}
		abs, err := workdirOf(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, abs)
	}
	return all, nil
}
