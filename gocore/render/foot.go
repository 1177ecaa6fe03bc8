package render

import (
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// narrowHint tells how to see the top-level entries that a sample left out.
const narrowHint = "Narrow path to see the entries that are left out."

// foot says what a capped page leaves out, on what basis its items were chosen,
// and where the rest is.
func (d *Draft) foot(shown int, sampled *Sampled, saved Saved) string {
	basis := ""
	if sampled != nil {
		basis = fmt.Sprintf(", sampled across %d of %s", sampled.Reached, count(sampled.Total, "top-level entry", "top-level entries"))
	}
	sentences := []string{fmt.Sprintf("Showing %d of %s%s.", shown, d.kind.count(d.total), basis)}
	if sampled != nil && sampled.Reached < sampled.Total {
		sentences = append(sentences, narrowHint)
	}
	// A search that was cut short has no complete result: what there is, is saved.
	what := "The complete result"
	if d.report.Incomplete != nil {
		what = "What was found until then"
	}
	if saved.Locator == "" {
		why := ""
		if saved.Why != "" {
			why = ", because " + saved.Why
		}
		sentences = append(sentences, what+" could not be saved"+why+"; "+d.kind.narrow+" to see the rest.")
		return "(" + strings.Join(sentences, " ") + ")"
	}
	where := saved.Locator
	if saved.Hint != "" {
		where += " " + saved.Hint
	}
	return "(" + strings.Join(append(sentences, what+" was saved:"), " ") + "\n" + where + ")"
}

// maxFoot is at least the length of the foot, however many items are shown.
func (d *Draft) maxFoot(saved Saved) int {
	var sampled *Sampled
	n := 0
	if d.groups > 0 {
		sampled = &Sampled{Reached: d.groups, Total: d.groups}
		n = len(" ") + len(narrowHint)
	}
	return n + len(d.foot(d.total, sampled, saved))
}

func count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
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
