package spill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"time"
)

// Store keeps texts for sessions. Every method may be called by any number of
// goroutines, stops early when its context ends, and returns only *Error.
//
// Where an id is asked for, a Result's ID, its URI and its Locator all do.
type Store interface {
	// SaveText runs content once and keeps exactly the bytes that it writes.
	// Nothing is visible before everything is safe; on an error nothing stays.
	SaveText(ctx context.Context, meta Meta, content Content) (Result, error)
	// Read writes a range of a saved result to w and says what it wrote. A range
	// that begins behind the end writes nothing and is no error.
	Read(ctx context.Context, scope Scope, id string, r Range, w io.Writer) (Extent, error)
	// Stat describes a saved result, with its lines counted.
	Stat(ctx context.Context, scope Scope, id string) (Result, error)
	// List describes the scope's saved results, oldest first, then by id. Lines is
	// UnknownLines where counting would mean reading the text.
	List(ctx context.Context, scope Scope) ([]Result, error)
	// Delete removes a saved result. A read in progress still ends well.
	Delete(ctx context.Context, scope Scope, id string) error
	// Sweep removes the scope's saved results that reached Options.MaxAge, never a
	// younger one, and what saves that died left behind.
	Sweep(ctx context.Context, scope Scope) (Swept, error)
}

// UnknownLines is the Lines of a saved result whose lines were not counted.
const UnknownLines = -1

// URIScheme begins a saved result's address as a resource; the id follows.
const URIScheme = "hydra-spill:///"

// Meta is what the caller says of a text. Only Owner is needed. Tool, CallID
// and Label come back as one line of valid UTF-8 of at most maxMetaBytes.
type Meta struct {
	Owner  string `json:"owner"`  // the session that owns the text; any bytes
	Tool   string `json:"tool"`   // the tool that made it, such as "grep"
	CallID string `json:"callId"` // the call that made it
	Label  string `json:"label"`  // a few words for a list
	// Name is a suggestion on the way in ("glob-results.txt", any bytes) and
	// the cleaned name on the way out.
	Name string `json:"name"`
}

// Ref is what a page needs in order to point at a text.
type Ref struct {
	ID      string `json:"id"`      // "84097828fc31/5b0c9d7e1f42-glob-results.txt"
	Locator string `json:"locator"` // opaque; an absolute path for a DirStore
	Hint    string `json:"hint"`    // one sentence: how to read it
}

// URI is the saved result's address as a resource.
func (r Ref) URI() string { return URIScheme + r.ID }

// Result describes a saved result.
type Result struct {
	Ref
	Meta
	Bytes int64 `json:"bytes"`
	// Lines counts line feeds, plus one for a last line without one.
	Lines int64 `json:"lines"`
	// Created is the time of the save by the store's clock, in UTC and to the
	// microsecond.
	Created time.Time `json:"created"`
}

// Swept counts what a sweep did.
type Swept struct {
	Removed      int   `json:"removed"`      // results
	RemovedBytes int64 `json:"removedBytes"` //
	Temps        int   `json:"temps"`        // leftovers of saves that died
	Kept         int   `json:"kept"`         // results younger than the age
	KeptBytes    int64 `json:"keptBytes"`    //
	Foreign      int   `json:"foreign"`      // entries the store did not make; left alone
}

// Content writes a text. It must not call the store, nor keep w: when Content
// has returned, w refuses. An error of Content discards the text.
type Content func(w io.Writer) error

// Text is the Content of a string.
func Text(s string) Content {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// From is the Content of a value that can write itself.
func From(t io.WriterTo) Content {
	return func(w io.Writer) error {
		_, err := t.WriteTo(w)
		return err
	}
}

// Scope says for whom a call looks. The zero Scope sees nothing.
type Scope struct {
	session string
	all     bool
}

// Session is the scope of one session. No name, no results.
func Session(name string) Scope { return Scope{session: name} }

// AllSessions is the scope of the person who owns the store.
func AllSessions() Scope { return Scope{all: true} }

// sees reports whether the scope covers the owner of this key.
func (s Scope) sees(owner string) bool {
	return s.all || s.session != "" && ownerKey(s.session) == owner
}

const ownerKeyDigits = 12 // 48 bits: short enough for a path, and DirStore checks the full hash besides

// ownerKey is how a session's name appears in an id: it may be anything, so
// only its hash goes near a file system.
func ownerKey(session string) string { return ownerSum(session)[:ownerKeyDigits] }

func ownerSum(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:])
}
