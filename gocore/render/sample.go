package render

// pick is one sampled item.
type pick struct{ index, group int }

// group groups n items by their top-level entry, in order of first appearance.
func group(n int, head func(i int) string) [][]int {
	index := map[string]int{}
	var groups [][]int
	for i := range n {
		name := head(i)
		g, seen := index[name]
		if !seen {
			g = len(groups)
			index[name] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// sample chooses at most limit items: one of each group in turn, in the order of
// the groups, until the groups are used up.
func sample(groups [][]int, limit int) []pick {
	var picked []pick
	for round, more := 0, true; more; round++ {
		more = false
		for g, members := range groups {
			if round >= len(members) {
				continue
			}
			if len(picked) >= limit {
				return picked
			}
			picked = append(picked, pick{members[round], g})
			more = true
		}
	}
	return picked
}
