package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// The tree of many files: tops directories with subs in each and files in each
// of those.
const (
	tops, subs, files = 40, 50, 50
	// needleEvery is how many files share one that holds the word "needle".
	needleEvery = 100
	// rarityEvery and handlerEvery are the same for words of 11 and of 2,000 files.
	rarityEvery, handlerEvery = 9_000, 50
)

// makeMany makes tops*subs*files small files in tops*subs directories, with
// modification times in no order. A divisor makes fewer of them.
func makeMany(root string, divisor int) error {
	random := rand.New(rand.NewPCG(1, 2)) // the same tree every time
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	n := 0
	for top := range tops {
		for sub := range subs / divisor {
			dir := filepath.Join(root, fmt.Sprintf("top%02d", top), fmt.Sprintf("directory%02d", sub))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			for f := range files {
				word := "hay"
				if n++; n%needleEvery == 0 {
					word = "needle"
				}
				path := filepath.Join(dir, fmt.Sprintf("file-%03d.txt", f))
				first := ""
				if n%rarityEvery == 0 {
					first = " rarity"
				}
				if n%handlerEvery == 0 {
					first += " handler"
				}
				text := fmt.Sprintf("first line of %d%s\nsome %s here\nlast line\n", n, first, word)
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					return err
				}
				when := start.Add(time.Duration(random.Int64N(int64(365 * 24 * time.Hour))))
				if err := os.Chtimes(path, when, when); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// makeFew makes ten files in three directories.
func makeFew(root string) error {
	for i := range 10 {
		dir := filepath.Join(root, []string{"", "src", "docs"}[i%3])
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		text := fmt.Sprintf("package main\n\n// needle %d\nfunc main() {}\n", i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.go", i)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
