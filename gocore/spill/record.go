package spill

import (
	"bytes"
	"encoding/json"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// recordAttribute is where a DirStore keeps what the file itself cannot
	// tell. Linux wants the "user." in front; macOS takes any name.
	recordAttribute = "user.hydra-harness.spill"
	// maxAttributeBytes is the room of the narrowest file systems (ext4: one block
	// for all attributes of a file). A record of full fields is below 2 KiB.
	maxAttributeBytes = 4096
)

// record travels with a file. It is advice: a file without one is a saved result
// all the same, a record that does not fit its file is not believed.
type record struct {
	OwnerSum string `json:"ownerSum"` // full hash of the session's name, in hex
	Owner    string `json:"owner"`    // for people; clipped
	Tool     string `json:"tool,omitempty"`
	CallID   string `json:"callId,omitempty"`
	Label    string `json:"label,omitempty"`
	Bytes    int64  `json:"bytes"`
	Lines    int64  `json:"lines"`
	Created  int64  `json:"created"` // microseconds since 1970
}

// attach is best effort: not every file system has attributes, and a text is
// worth keeping without them.
func (r record) attach(f *os.File) { setAttribute(f, recordAttribute, r) }

func readRecord(f *os.File) (r record, ok bool) {
	ok = getAttribute(f, recordAttribute, &r)
	return r, ok
}

func setAttribute(f *os.File, name string, value any) bool {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // six bytes for a '<' would burst the room
	if enc.Encode(value) != nil || text.Len() > maxAttributeBytes {
		return false
	}
	return again(func() error { return unix.Fsetxattr(int(f.Fd()), name, text.Bytes(), 0) }) == nil
}

func getAttribute(f *os.File, name string, value any) bool {
	text := make([]byte, maxAttributeBytes)
	n := 0
	err := again(func() (err error) {
		n, err = unix.Fgetxattr(int(f.Fd()), name, text)
		return err
	})
	return err == nil && json.Unmarshal(text[:n], value) == nil
}

// describe puts together what a file and its record say.
func (s *DirStore) describe(scope Scope, owner, file string, st *unix.Stat_t, r record, known bool) Result {
	id := owner + "/" + file
	a := Result{
		Ref:   s.opts.ref(id, s.locator(owner, file)),
		Meta:  Meta{Owner: scope.session, Name: resultName(file)},
		Bytes: st.Size, Lines: UnknownLines,
		Created: time.UnixMicro(modMicro(st)).UTC(),
	}
	if !known {
		return a
	}
	if scope.all {
		a.Owner = clip(r.Owner)
	}
	a.Tool, a.CallID, a.Label = clip(r.Tool), clip(r.CallID), clip(r.Label)
	if r.Bytes == st.Size && r.Created == modMicro(st) && r.Lines >= 0 {
		a.Lines = r.Lines // nobody wrote to the file since
	}
	return a
}
