package harness

import (
	"bytes"
	"errors"

	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// LoadRules reads a file that holds a list of rules and nothing else, in the form
// of the configuration file. The error is a *ConfigError.
func LoadRules(path string) ([]judge.Rule, error) {
	text, err := readConfig(path)
	if err != nil {
		return nil, err
	}
	rules, err := parseRules(plainJSON(bytes.TrimPrefix(text, []byte("\ufeff"))))
	if bad, ok := err.(*ConfigError); ok {
		if bad.Message = path + ": " + bad.Message; bad.Key != "" {
			bad.Key = "trust" + bad.Key
		}
	}
	return rules, err
}

func parseRules(text []byte) ([]judge.Rule, error) {
	var rules []judge.Rule
	err := strictjson.Unmarshal(text, &rules)
	var wrong *strictjson.Error
	switch {
	case errors.As(err, &wrong):
		return nil, unparsable(text, wrong)
	case err != nil:
		return nil, &ConfigError{Message: err.Error(), Err: err}
	}
	if field, err := judge.Check(rules); err != nil {
		return nil, &ConfigError{Key: field, Message: err.Error(), Err: err}
	}
	return rules, nil
}
