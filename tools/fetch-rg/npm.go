package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	// npmTimeout bounds one `npm pack` of about 2 MB. Generous, because npm
	// retries a slow registry by itself for minutes.
	npmTimeout = 5 * time.Minute
	// npmKillWait is how long a killed npm may hold our pipes open.
	npmKillWait = 2 * time.Second
	// maxDiagnostic is how much of npm's own words an error quotes.
	maxDiagnostic = 600
)

// npmPack fetches one package through the user's npm client, so that the
// user's registry, proxy and credentials settings hold, and returns the
// tarball's bytes. Only `npm pack NAME@VERSION` does: `npm install` silently
// leaves out a package that is made for another system or processor.
func npmPack(ctx context.Context, npm, spec string) ([]byte, error) {
	program, err := exec.LookPath(npm)
	if err != nil {
		return nil, fail(CodeNPMMissing, err, "fetching %s needs the npm client, which comes with Node.js; install it, or use --offline with a filled cache", spec)
	}
	if program, err = filepath.Abs(program); err != nil { // the child gets another working directory
		return nil, fail(CodeNPMMissing, err, "the npm client cannot be located")
	}
	dir, err := os.MkdirTemp("", "fetch-rg-")
	if err != nil {
		return nil, fail(CodeWrite, err, "no temporary folder can be made")
	}
	defer os.RemoveAll(dir)

	ctx, cancel := context.WithTimeout(ctx, npmTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "pack", spec, "--json", "--ignore-scripts", "--pack-destination", dir)
	cmd.Dir = dir // a package.json in the caller's directory must not count
	cmd.WaitDelay = npmKillWait
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, fail(CodePackageRefused, err, "npm did not deliver %s (%s)", spec, npmSays(stdout.Bytes(), stderr.Bytes()))
	}
	return onlyTarball(dir, spec)
}

// onlyTarball reads the one *.tgz in dir. The names in npm's answer are not
// used: their form changed between npm's versions.
func onlyTarball(dir, spec string) ([]byte, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(names) != 1 {
		return nil, fail(CodeTarballMissing, err, "npm reported success for %s but left %d tarballs instead of one", spec, len(names))
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		return nil, fail(CodeTarballMissing, err, "the tarball that npm left for %s cannot be read", spec)
	}
	return data, nil
}

// npmSays picks the useful part of npm's output: the error object that --json
// prints, else the end of its diagnostics.
func npmSays(stdout, stderr []byte) string {
	var answer struct {
		Error struct{ Code, Summary string }
	}
	if json.Unmarshal(stdout, &answer) == nil && answer.Error.Summary != "" {
		return fmt.Sprintf("%s: %s", answer.Error.Code, strings.TrimSpace(answer.Error.Summary))
	}
	text := strings.TrimSpace(string(stderr))
	if text == "" {
		return "npm gave no reason"
	}
	if len(text) > maxDiagnostic {
		text = "..." + strings.ToValidUTF8(text[len(text)-maxDiagnostic:], "")
	}
	return text
}

// rgVersion asks an executable for its version number ("15.0.0").
func rgVersion(ctx context.Context, rg string) (string, error) {
	cmd := exec.CommandContext(ctx, rg, "--no-config", "--version")
	cmd.WaitDelay = npmKillWait
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", rg, err)
	}
	fields := strings.Fields(string(out))
	if len(fields) < 2 || fields[0] != "ripgrep" {
		return "", errors.New("its first line does not begin with `ripgrep VERSION`")
	}
	return fields[1], nil
}
