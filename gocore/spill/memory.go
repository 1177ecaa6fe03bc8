package spill

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// MemoryStore keeps saved results in the process. It is for tests, and for a host
// that must not write to a disk; texts are gone with the process.
type MemoryStore struct {
	opts Options

	mu    sync.Mutex
	texts map[string]map[string]*memoryText // by owner key, then by file part of the id
	used  int64
	swept int64 // time of the last sweep, in microseconds
}

type memoryText struct {
	result Result
	body   []byte
}

var _ Store = (*MemoryStore)(nil)

// NewMemoryStore refuses negative limits other than Unlimited and Forever.
func NewMemoryStore(opts Options) (*MemoryStore, error) {
	filled, err := opts.filled(func(id, _ string) string {
		return "The complete text is readable as the resource " + URIScheme + id + ", by byte or by line range."
	})
	if err != nil {
		return nil, err
	}
	return &MemoryStore{opts: filled, texts: map[string]map[string]*memoryText{}}, nil
}

// SaveText is Store's. The content runs outside the lock.
func (m *MemoryStore) SaveText(ctx context.Context, meta Meta, content Content) (Result, error) {
	if err := saveChecked(meta, content); err != nil {
		return Result{}, err
	}
	if err := stopped(ctx, "save"); err != nil {
		return Result{}, err
	}
	var body bytes.Buffer
	sink := newSink(ctx, &body, m.opts.MaxBytes)
	if err := sink.fill(content); err != nil {
		return Result{}, failed("save", "the text was not kept", err)
	}
	if err := stopped(ctx, "save"); err != nil {
		return Result{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.opts.now()
	due := m.opts.MaxAge != Forever && now.UnixMicro()-m.swept >= m.opts.sweepEvery().Microseconds()
	if due || !m.opts.fits(m.used, sink.size) {
		m.sweep(AllSessions())
	}
	if !m.opts.fits(m.used, sink.size) {
		return Result{}, overQuota("save", sink.size, m.used, m.opts.MaxBytes, nil)
	}
	owner := ownerKey(meta.Owner)
	kept := meta.normal()
	if m.texts[owner] == nil {
		m.texts[owner] = map[string]*memoryText{}
	}
	file := newRandom() + "-" + kept.Name
	for m.texts[owner][file] != nil {
		file = newRandom() + "-" + kept.Name
	}
	id := owner + "/" + file
	// The clone is as long as the text; the buffer may be twice that.
	text := &memoryText{body: bytes.Clone(body.Bytes()), result: Result{
		Ref: m.opts.ref(id, URIScheme+id), Meta: kept,
		Bytes: sink.size, Lines: sink.lines(), Created: now,
	}}
	m.texts[owner][file] = text
	m.used += sink.size
	return text.result, nil
}

// find returns a text that the scope sees. A text never changes once kept, so
// the caller may use it without the lock.
func (m *MemoryStore) find(op string, scope Scope, id string) (*memoryText, error) {
	owner, file, ok := splitID(id, "")
	if ok && scope.sees(owner) {
		// The key is a part of the hash: the name itself decides.
		if text := m.texts[owner][file]; text != nil && (scope.all || text.result.Owner == scope.session) {
			return text, nil
		}
	}
	return nil, notFound(op, id)
}

// Read is Store's.
func (m *MemoryStore) Read(ctx context.Context, scope Scope, id string, r Range, w io.Writer) (Extent, error) {
	if err := r.check(); err != nil {
		return Extent{}, err
	}
	if err := stopped(ctx, "read"); err != nil {
		return Extent{}, err
	}
	m.mu.Lock()
	text, err := m.find("read", scope, id)
	m.mu.Unlock()
	if err != nil {
		return Extent{}, err
	}
	return copyRange(ctx, bytes.NewReader(text.body), int64(len(text.body)), r, w)
}

// Stat is Store's.
func (m *MemoryStore) Stat(ctx context.Context, scope Scope, id string) (Result, error) {
	if err := stopped(ctx, "stat"); err != nil {
		return Result{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	text, err := m.find("stat", scope, id)
	if err != nil {
		return Result{}, err
	}
	return text.result, nil
}

// List is Store's.
func (m *MemoryStore) List(ctx context.Context, scope Scope) ([]Result, error) {
	if err := stopped(ctx, "list"); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []Result{}
	m.each(scope, func(_, _ string, text *memoryText) { list = append(list, text.result) })
	sortResults(list)
	return list, nil
}

// Delete is Store's.
func (m *MemoryStore) Delete(ctx context.Context, scope Scope, id string) error {
	if err := stopped(ctx, "delete"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.find("delete", scope, id); err != nil {
		return err
	}
	owner, file, _ := splitID(id, "")
	m.drop(owner, file)
	return nil
}

// Sweep is Store's.
func (m *MemoryStore) Sweep(ctx context.Context, scope Scope) (Swept, error) {
	if err := stopped(ctx, "sweep"); err != nil {
		return Swept{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sweep(scope), nil
}

func (m *MemoryStore) sweep(scope Scope) Swept {
	var swept Swept
	now := m.opts.now()
	if scope.all {
		m.swept = now.UnixMicro()
	}
	m.each(scope, func(owner, file string, text *memoryText) {
		if m.opts.expired(text.result.Created, now) {
			swept.Removed++
			swept.RemovedBytes += text.result.Bytes
			m.drop(owner, file)
			return
		}
		swept.Kept++
		swept.KeptBytes += text.result.Bytes
	})
	return swept
}

func (m *MemoryStore) each(scope Scope, visit func(owner, file string, text *memoryText)) {
	for owner, files := range m.texts {
		if !scope.sees(owner) {
			continue
		}
		for file, text := range files {
			if scope.all || text.result.Owner == scope.session {
				visit(owner, file, text)
			}
		}
	}
}

func (m *MemoryStore) drop(owner, file string) {
	m.used -= m.texts[owner][file].result.Bytes
	delete(m.texts[owner], file)
	if len(m.texts[owner]) == 0 {
		delete(m.texts, owner)
	}
}
