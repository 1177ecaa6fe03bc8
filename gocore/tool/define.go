package tool

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// overCap says how a glob result is ordered, and what becomes of one that does
// not fit. In the default order these are the words of the contract.
func overCap(policy render.Policy) string {
	order := render.OrderPhrase(policy.Order)
	fits := "a result that fits comes back in " + order + ", while a larger one "
	if policy.Sample {
		return fits + "is sampled across top-level entries, so it spans the tree instead of one subtree."
	}
	return fits + "keeps the " + strings.ReplaceAll(order, " order", "-ordered") + " head."
}

// direction tells which end of the default order comes first: its name does not.
func direction(order search.Order) string {
	if order == search.OrderModified || order == "" {
		return " Modification-time order is oldest first."
	}
	return ""
}

// GlobGuidance is what a system prompt says of glob.
func GlobGuidance(policy render.Policy) string {
	return `Use the glob tool — not shell find — to discover files by path pattern. ` +
		`A pattern with no "/" matches basenames at any depth, so "*" matches every file in the tree rather than its top level. ` +
		`Results are files only, never directories, and include hidden and ignored files: ` + overCap(policy)
}

// GrepGuidance is what a system prompt says of grep.
func GrepGuidance() string {
	return `Use the grep tool — not shell grep or rg — to search file contents. ` +
		`Use read on a matched file when you need surrounding context.`
}

func (s *Set) define(name string) Definition {
	policy := s.policy
	switch name {
	case ReadResult:
		return s.defineRead()
	case Glob:
		return Definition{
			Name:  Glob,
			Title: "Find files",
			Description: `Find files by path pattern. Returns one path per line, files only, including hidden and ignored files but not version-control metadata: ` +
				overCap(policy) + direction(policy.Order) +
				fmt.Sprintf(" At most %d paths are shown.", policy.GlobMaxResults),
			InputSchema: schema([]property{
				{Pattern, "string", `Glob in ripgrep's dialect, such as "**/*.go" or "src/**/*.{ts,tsx}". Without a "/" it matches basenames at any depth; with one it is relative to the directory searched.`},
				{Path, "string", `Directory to search, absolute or relative to the working directory. Leave it out to search the working directory.`},
			}),
			OutputSchema: globSchema,
		}
	}
	return Definition{
		Name:  Grep,
		Title: "Search file contents",
		Description: fmt.Sprintf(`Search file contents with a regular expression. Returns the matching lines grouped by file as "Line N: text", skipping hidden, ignored and binary files. At most %d matches are shown.`,
			policy.GrepMaxMatches),
		InputSchema: schema([]property{
			{Pattern, "string", `Regular expression in ripgrep's dialect, matched within one line. Case-sensitive; "(?i)" in front ignores case. Escape what is meant literally: "foo\(" finds "foo(".`},
			{Path, "string", `File or directory to search, absolute or relative to the working directory; a hidden or ignored one is searched when it is named here. Leave it out to search the working directory.`},
			{Include, "string", `One glob that the searched files must match, such as "*.go" or "*.{ts,tsx}". With a "/" it is relative to the directory searched.`},
		}),
		OutputSchema: grepSchema,
	}
}

// property is an argument in a schema.
type property struct{ name, kind, description string }

// schema describes an object whose first member is required.
//
// It uses the five keywords that the schema dialects of all model vendors share:
// type, properties, required, description, enum. Another one breaks a converter
// somewhere (google-genai's fails on additionalProperties), and none is needed:
// an argument that is not described is refused whatever the schema says.
func schema(of []property) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i, p := range of {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%s:{"type":%s,"description":%s}`, text(p.name), text(p.kind), text(p.description))
	}
	fmt.Fprintf(&b, `},"required":[%s]}`, text(of[0].name))
	return json.RawMessage(b.String())
}

func text(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// factsSchema describes Facts.
const factsSchema = `"shown":{"type":"integer"},"total":{"type":"integer"},"truncated":{"type":"boolean"},` +
	`"sampled":{"type":"object","properties":{"reached":{"type":"integer"},"total":{"type":"integer"}},"required":["reached","total"]},` +
	`"locator":{"type":"string"},"hint":{"type":"string"},` +
	`"warnings":{"type":"array","items":{"type":"object","properties":{"code":{"type":"string"},"count":{"type":"integer"},"paths":{"type":"array","items":{"type":"string"}},"message":{"type":"string"}},"required":["code","count","message"]}},` +
	`"notes":{"type":"array","items":{"type":"object","properties":{"code":{"type":"string"},"message":{"type":"string"}},"required":["code","message"]}},` +
	`"incomplete":{"type":"object","properties":{"reason":{"type":"string"},"message":{"type":"string"}},"required":["reason","message"]}`

var (
	globSchema = json.RawMessage(`{"type":"object","properties":{"root":{"type":"string"},"paths":{"type":"array","items":{"type":"string"}},` +
		factsSchema + `},"required":["root","paths","shown","total","truncated"]}`)
	grepSchema = json.RawMessage(`{"type":"object","properties":{"matches":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"lineNumber":{"type":"integer"},"line":{"type":"string"}},"required":["path","lineNumber","line"]}},` +
		factsSchema + `},"required":["matches","shown","total","truncated"]}`)
)
