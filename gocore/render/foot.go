package render

import (
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// foot says what a capped page leaves out, on what basis its items were chosen,
// and where the rest is.
func (p *Page) foot(saved Saved) string {
	if !p.Capped() {
		return ""
	}
	basis := ""
	if s := p.Sampled; s != nil {
		basis = fmt.Sprintf(", sampled across %d of %s", s.Reached, entries(s.Total))
	}
	sentences := []string{fmt.Sprintf("Showing %d of %s%s.", p.Shown, p.kind.count(p.Total), basis)}
	if s := p.Sampled; s != nil && s.Reached < s.Total {
		sentences = append(sentences, "Narrow path to see the entries that are left out.")
	}
	if saved.Locator == "" {
		sentences = append(sentences, "The complete result could not be saved; "+p.narrow()+".")
	} else {
		sentences = append(sentences, "The complete result was saved: "+saved.Locator)
		if saved.Hint != "" {
			sentences = append(sentences, saved.Hint)
		}
	}
	return "(" + strings.Join(sentences, " ") + ")"
}

func (p *Page) narrow() string {
	if p.kind == grepKind {
		return "narrow path, include or pattern to see the rest"
	}
	return "narrow path or pattern to see the rest"
}

func entries(n int) string {
	if n == 1 {
		return "1 top-level entry"
	}
	return fmt.Sprintf("%d top-level entries", n)
}

// OrderPhrase names an order in prose.
func OrderPhrase(order search.Order) string {
	switch order {
	case search.OrderModifiedDesc:
		return "newest-first modification-time order"
	case search.OrderPath:
		return "path order"
	}
	return "modification-time order"
}
