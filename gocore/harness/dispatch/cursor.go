package dispatch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// MaxPageBytes bounds the results in one answer. A frame of 8 MiB holds them
// with what is around them; the rest is fetched with a cursor.
const MaxPageBytes = 7 << 20

// itemOverhead is what the keys and numbers of one result take in JSON.
const itemOverhead = 80

// item is one result as its size and identity go into a cursor.
type item struct {
	text  []string
	exact []byte
}

// size is at least the size of the item in JSON.
func (i item) size() int {
	n := itemOverhead + 2*len(i.exact)
	for _, text := range i.text {
		n += jsonSize(text)
	}
	return n
}

// jsonSize is at least the size of a string in JSON, where the worst byte takes
// six: it counts those that are not plain.
func jsonSize(s string) int {
	n := len(s)
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == 0xe2 { // U+2028 and U+2029 begin with it
			n += 5
		}
	}
	return n
}

// cursor says how many results came before a page, and which: a page of another
// search, or of a tree that has changed, must not be taken for the next.
type cursor struct {
	before int
	digest string
}

// digestBytes is how much of a SHA-256 a cursor holds: chance shall not match.
const digestBytes = 12

func parseCursor(text string) (cursor, error) {
	if text == "" {
		return cursor{}, nil
	}
	count, digest, ok := strings.Cut(text, "-")
	n, err := strconv.Atoi(count)
	if !ok || err != nil || n < 0 || len(digest) != 2*digestBytes {
		return cursor{}, &tool.ArgumentError{Argument: "cursor", Message: "it is not a cursor; pass the nextCursor of the page before"}
	}
	return cursor{n, digest}, nil
}

func (c cursor) String() string { return fmt.Sprintf("%d-%s", c.before, c.digest) }

// span is one page: the results from and to, and the cursor of the next.
type span struct {
	from, to int
	next     string
}

// cut takes the page behind a cursor. Nothing is kept between pages: the search
// is made again, and gives the same order when nothing has changed. The error
// is a *search.Error when something has.
func cut(at cursor, total int, of func(i int) item) (span, error) {
	sum := sha256.New()
	add := func(it item) {
		for _, text := range it.text {
			fmt.Fprintf(sum, "%d:%s", len(text), text)
		}
		fmt.Fprintf(sum, "%d:%s", len(it.exact), it.exact)
	}
	digest := func() string { return hex.EncodeToString(sum.Sum(nil)[:digestBytes]) }
	for i := range min(at.before, total) {
		add(of(i))
	}
	if at.before > total || at.before > 0 && digest() != at.digest {
		return span{}, &search.Error{
			Code:    search.Failed,
			Details: search.Details{Reason: reasonChanged, Found: total},
			Message: "the results have changed since the page before; start again without a cursor",
		}
	}
	page := span{from: at.before, to: at.before}
	for bytes := 0; page.to < total; page.to++ {
		it := of(page.to)
		if bytes += it.size(); bytes > MaxPageBytes && page.to > page.from {
			page.next = cursor{page.to, digest()}.String()
			break
		}
		add(it)
	}
	return page, nil
}

// reasonChanged is the reason of a search whose pages do not belong together.
const reasonChanged = "changed"
