package dispatch

import (
	"bytes"
	"encoding/json"
)

// Marshal is json.Marshal without the escapes for HTML, which make source code
// half as long again. A value with a JSON method writes itself and is not read
// through again.
func Marshal(value any) (json.RawMessage, error) {
	if own, ok := value.(interface {
		JSON() (json.RawMessage, error)
	}); ok {
		return own.JSON()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
