// Package wheels gives Go programs the table of platforms that wheels are
// built for. The table itself is targets.json, which the Python side reads too;
// this package only decodes it and holds no list of its own.
package wheels

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed targets.json
var table []byte

// Target is one row of the table.
type Target struct {
	// Name is what people and manifests call the target: the system and the
	// machine as `uname -m` prints it there, e.g. "linux-aarch64".
	Name string `json:"target"`
	// GOOS and GOARCH are what the Go compiler is asked for.
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	// NPMPackage carries ripgrep for this target.
	NPMPackage string `json:"npmPackage"`
	// PlatformTags are joined by dots into the last part of the wheel's name.
	PlatformTags []string `json:"platformTags"`
	// MacOSMinimum is the oldest macOS that the executables accept ("12.0");
	// nil for other systems.
	MacOSMinimum *string `json:"macosMinimum"`
}

// Targets decodes the table. It fails on a field that it does not know and on
// a row without a name, so that a typing slip cannot pass as a default.
func Targets() ([]Target, error) {
	dec := json.NewDecoder(bytes.NewReader(table))
	dec.DisallowUnknownFields()
	var doc struct {
		Targets []Target `json:"targets"`
	}
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("wheels/targets.json: %w", err)
	}
	for i, t := range doc.Targets {
		if t.Name == "" || t.GOOS == "" || t.GOARCH == "" || t.NPMPackage == "" || len(t.PlatformTags) == 0 {
			return nil, fmt.Errorf("wheels/targets.json: row %d is incomplete", i)
		}
	}
	return doc.Targets, nil
}
