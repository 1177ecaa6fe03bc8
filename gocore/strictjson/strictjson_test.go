package strictjson

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// colour is a value that reads itself from a text.
type colour string

func (c *colour) UnmarshalText(text []byte) error {
	if string(text) != "red" {
		return errors.New("it is none of red")
	}
	*c = "red"
	return nil
}

// inner reads itself from any JSON, by this package.
type inner struct{ list []string }

func (i *inner) UnmarshalJSON(text []byte) error {
	var w struct {
		List []string `json:"list"`
	}
	if err := Unmarshal(text, &w); err != nil {
		return err
	}
	i.list = w.List
	return nil
}

type words struct {
	Raw string `json:"raw"`
}

type format struct {
	words
	Text   string            `json:"text"`
	Exact  []byte            `json:"textBytes"`
	On     bool              `json:"on"`
	N      int               `json:"n"`
	From   *uint64           `json:"from"`
	List   []string          `json:"list"`
	Env    map[string]string `json:"env"`
	Colour colour            `json:"colour"`
	Own    inner             `json:"own"`
	Deep   []struct {
		Items []words `json:"items"`
	} `json:"deep"`
}

func TestUnmarshal(t *testing.T) {
	for _, c := range []struct {
		text string
		path string
		kind Kind
		says string
	}{
		{text: `{"raw":"r","text":"a","textBytes":"/w==","on":true,"n":-3,"from":9007199254740991,"list":["x"],"env":{"A":"B"},"colour":"red","own":{"list":["y"]},"deep":[{"items":[{"raw":"z"}]}]}`},
		{text: ` {"text":"\ud83d\ude00"} `},
		{`{"TEXT":"a"}`, "TEXT", Unknown, "there is no such member; write text"},
		{`{"colour ":"red"}`, `"colour "`, Unknown, "there is no such member; there are raw, text, textBytes, on, n, from, list, env, colour, own, deep"},
		{`{"deep":[{"items":[{"raw":"a"},{"Raw":"b"}]}]}`, "deep[0].items[1].Raw", Unknown, "there is no such member; write raw"},
		{`{"text":"a","text":"b"}`, "text", Twice, "it is given twice; give it once"},
		{`{"n":1,"env":{"A":"1","B":"2","A":"3"}}`, "env.A", Twice, "it is given twice; give it once"},
		{`{"deep":[{"items":[]},{"items":[{"raw":"a","raw":"b"}]}]}`, "deep[1].items[0].raw", Twice, "it is given twice; give it once"},
		{`{"text":null}`, "text", Null, "it is null; leave it out, or write a value"},
		{`{"env":{"A":null}}`, "env.A", Null, "it is null; leave it out, or write a value"},
		{`{"list":["a",null]}`, "list[1]", Null, "it is null; leave it out, or write a value"},
		{`{"text":1}`, "text", Type, "it is a number; write a string"},
		{`{"text":["a"]}`, "text", Type, "it is an array; write a string"},
		{`{"list":"a"}`, "list", Type, "it is a string; write an array"},
		{`{"list":["a",{}]}`, "list[1]", Type, "it is an object; write a string"},
		{`{"env":["A=B"]}`, "env", Type, "it is an array; write an object"},
		{`{"env":{"A":1}}`, "env.A", Type, "it is a number; write a string"},
		{`{"on":"true"}`, "on", Type, "it is a string; write true or false"},
		{`{"n":1.5}`, "n", Type, "it is 1.5; write a whole number"},
		{`{"n":1e3}`, "n", Type, "it is 1e3; write a whole number"},
		{`{"n":"1"}`, "n", Type, "it is a string; write a whole number"},
		{`{"from":-1}`, "from", Type, "it is -1; write a whole number from 0 on"},
		{`{"n":9007199254740993}`, "n", Inexact, "it is 9007199254740993, which not every reader of JSON takes exactly; write a whole number of at most 9007199254740991"},
		{`{"n":-99999999999999999999}`, "n", Inexact, "it is -99999999999999999999, which not every reader of JSON takes exactly; write a whole number of at most 9007199254740991"},
		{`{"textBytes":"/w"}`, "textBytes", Type, "it is not base64; write the bytes in the standard alphabet, padded"},
		{`{"textBytes":[1]}`, "textBytes", Type, "it is an array; write a string in base64"},
		{`{"colour":7}`, "colour", Type, "it is a number; write a string"},
		{`{"colour":"blue"}`, "colour", Type, "it is none of red"},
		{`{"own":{"list":["a",5]}}`, "own.list[1]", Type, "it is a number; write a string"},
		{`{"own":{"LIST":[]}}`, "own.LIST", Unknown, "there is no such member; write list"},
		{"{\"text\":\"l\xff\"}", "text", NotUnicode, "it holds bytes that are not UTF-8"},
		{`{"on":true,"list":["l\udcff"]}`, "list[0]", NotUnicode, `it holds half of a surrogate pair, such as "\ud83d" alone, which is no character; write the character itself`},
		{`{"text":"\ud83dx"}`, "text", NotUnicode, `it holds half of a surrogate pair, such as "\ud83d" alone, which is no character; write the character itself`},
		{`[1]`, "", Type, "it is an array; write an object"},
		{`null`, "", Null, "it is null; leave it out, or write a value"},
		{``, "", Syntax, "it ends before its JSON does"},
		{`{"text":"a"`, "", Syntax, "it ends before its JSON does"},
		{`{"text":"a"} {}`, "", Syntax, "there is more behind its end"},
		{`{"text":'a'}`, "text", Syntax, `it is not JSON: invalid character '\'' at start of value`},
		{`{"deep":` + strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1) + `}`, "deep" + strings.Repeat("[0]", MaxDepth-1), TooDeep, "it nests deeper than 256 levels; write less at once"},
	} {
		name := c.text
		if len(name) > 60 {
			name = name[:60]
		}
		t.Run(name, func(t *testing.T) {
			var into format
			err := Unmarshal([]byte(c.text), &into)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.path, e.Path)
			assert.Equal(t, c.kind, e.Kind)
			assert.Equal(t, c.says, e.Message)
		})
	}
}

func TestValuesArriveAsTheyWere(t *testing.T) {
	var into format
	require.NoError(t, Unmarshal([]byte(`{"raw":"r","text":"a\u0000b","textBytes":"/w==","from":0,"env":{"A":""},"own":{"list":["y"]},"deep":[{"items":[{"raw":"z"}]}]}`), &into))
	assert.Equal(t, "r", into.Raw)
	assert.Equal(t, "a\x00b", into.Text)
	assert.Equal(t, []byte{0xff}, into.Exact)
	require.NotNil(t, into.From)
	assert.Zero(t, *into.From)
	assert.Equal(t, map[string]string{"A": ""}, into.Env)
	assert.Equal(t, []string{"y"}, into.Own.list)
	assert.Equal(t, "z", into.Deep[0].Items[0].Raw)
}

func TestNullIsAbsentOnlyWhereItIsSaid(t *testing.T) {
	var into format
	require.NoError(t, Unmarshal([]byte(`{"from":null,"text":null,"own":null,"env":null}`), &into, NullIsAbsent))
	assert.Equal(t, format{}, into)
	var e *Error
	require.ErrorAs(t, Unmarshal([]byte(`{"list":[null]}`), &into, NullIsAbsent), &e)
	assert.Equal(t, "list[0]", e.Path)
}

func TestUnmarshalForeign(t *testing.T) {
	type event struct {
		Tool string `json:"tool_name"`
		Args Raw    `json:"args"`
	}
	var got event
	require.NoError(t, UnmarshalForeign([]byte(`{"tool_name":"Bash","args":null,"more":[null,1e400,9007199254740993]}`), &got))
	assert.Equal(t, "Bash", got.Tool)
	assert.Equal(t, "null", string(got.Args))
	for text, path := range map[string]string{
		`{"tool_name":"a","Tool_Name":"b"}`:      "Tool_Name",
		`{"TOOL_NAME":"b"}`:                      "TOOL_NAME",
		`{"tool_name":"a","tool_name":"b"}`:      "tool_name",
		`{"tool_name":1}`:                        "tool_name",
		`{"tool_name":"a","more":{"a":1,"a":2}}`: "more.a",
		`{"tool_name":"\udcff"}`:                 "tool_name",
		`{"more":"\udcff"}`:                      "more",
	} {
		var e *Error
		require.ErrorAs(t, UnmarshalForeign([]byte(text), &got), &e, text)
		assert.Equal(t, path, e.Path, text)
	}
}

func TestMembers(t *testing.T) {
	got, err := Members([]byte(`{"b":[1, 2],"a":null}`))
	require.NoError(t, err)
	assert.Equal(t, []Member{{"b", Raw(`[1, 2]`)}, {"a", Raw(`null`)}}, got)
	for text, kind := range map[string]Kind{
		`[]`: NotObject, `"a"`: NotObject, `{"a":1,"a":2}`: Twice, `{"a":{"b":1,"b":2}}`: Twice, `{`: Syntax, ``: Syntax, `{} x`: Syntax,
	} {
		_, err := Members([]byte(text))
		var e *Error
		require.ErrorAs(t, err, &e, text)
		assert.Equal(t, kind, e.Kind, text)
	}
}

func TestOutlineLeavesTheValuesUnread(t *testing.T) {
	got, err := Outline([]byte("{\"id\":1,\"params\":{\"a\":1,\"a\":\"\\udcff\xff\"}}"))
	require.NoError(t, err)
	assert.Equal(t, "id", got[0].Name)
	assert.Error(t, Check(got[1].Value))
	for _, text := range []string{`{"id":1,"id":2}`, "{\"\xff\":1}", `{"\udcff":1}`, `{"a":}`} {
		_, err := Outline([]byte(text))
		assert.Error(t, err, text)
	}
}

func TestUnmarshalEnvelope(t *testing.T) {
	type envelope struct {
		Method string `json:"method"`
		Params Raw    `json:"params"`
	}
	var got envelope
	require.NoError(t, UnmarshalEnvelope([]byte(`{"params":{"a":null,"a":9007199254740993},"method":"m"}`), &got))
	assert.Equal(t, envelope{"m", Raw(`{"a":null,"a":9007199254740993}`)}, got)
	for text, path := range map[string]string{
		`{"method":null}`: "method", `{"METHOD":"m"}`: "METHOD", `{"params":1,"params":2}`: "params", `{"method":1}`: "method", `{"Params":{}}`: "Params",
	} {
		var e *Error
		require.ErrorAs(t, UnmarshalEnvelope([]byte(text), &got), &e, text)
		assert.Equal(t, path, e.Path, text)
	}
}

func TestTypeName(t *testing.T) {
	for text, want := range map[string]string{` {}`: "an object", `[]`: "an array", `"a"`: "a string", `true`: "a boolean", `null`: "null", `-1`: "a number", ``: "no JSON"} {
		assert.Equal(t, want, TypeName([]byte(text)), text)
	}
	assert.True(t, IsNull(nil))
	assert.True(t, IsNull([]byte(" null ")))
	assert.False(t, IsNull([]byte(`"null"`)))
}
