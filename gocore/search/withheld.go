package search

import (
	"context"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/supervise"
)

// withheld keeps a search out of the folder of saved results, wherever it lies
// (Config.Withheld): what one session saved is not found by another. path is
// the file or directory that is searched, and shown how messages spell it. The
// arguments that come back leave the folder out of a search that starts above
// it; a search inside it is refused.
//
// Both are compared as the kernel resolves them. A folder that does not exist,
// or cannot be reached, holds nothing that a search could find.
func (s *Searcher) withheld(ctx context.Context, path, shown string) ([]string, error) {
	folder := s.withheldFolder(ctx)
	if folder == "" {
		return nil, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, nil // which the search will say
	}
	if _, inside := under(real, folder); inside {
		return nil, fail(Failed, Details{Path: shown, Reason: ReasonWithheld}, nil,
			"%s lies in the folder of saved results, which is never searched; read a saved result by its locator: open the file, or run hydra-harness-runtime spill read LOCATOR", quote(shown))
	}
	rel, below := under(folder, real)
	if !below {
		return nil, nil
	}
	if !utf8.ValidString(rel) { // an argument of ripgrep has to be UTF-8
		return nil, fail(Failed, Details{Path: shown, Reason: ReasonWithheld}, nil,
			"the folder of saved results, %s, cannot be left out of a search above it, since its name is not UTF-8; configure another spillRoot", quote(folder))
	}
	return []string{"--glob=" + ripgrep.CleanGlob("!/"+escapeGlob(rel))}, nil
}

// folderTime is how long the folder of saved results may take to say where it
// lies. It takes microseconds; one that hangs must not hold up what is searched
// elsewhere, and is then taken by its spelling.
const folderTime = 200 * time.Millisecond

// withheldFolder is where the folder lies, "" for nowhere. One look at a time:
// while one hangs the spelling stands for every search, and no other thread is
// lost.
func (s *Searcher) withheldFolder(ctx context.Context) string {
	if s.config.Withheld == "" {
		return ""
	}
	spelled := filepath.Clean(s.config.Withheld)
	ctx, cancel := context.WithTimeout(ctx, folderTime)
	defer cancel()
	select {
	case s.looking <- struct{}{}:
	case <-ctx.Done():
		return spelled
	}
	folder, err := supervise.Run(ctx, s.pool, supervise.Within(0), func() (string, error) {
		defer func() { <-s.looking }()
		folder, err := filepath.EvalSymlinks(spelled)
		if err != nil {
			return "", nil
		}
		return folder, nil
	})
	if err != nil { // it did not answer
		return spelled
	}
	return folder
}
