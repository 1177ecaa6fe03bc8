package spill

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestASaveIsOnTheDiskBeforeItIsSeen: the kernel sees the text flushed before the
// rename that shows it, and each directory flushed behind what changed in it. A
// power cut cannot be had in a test; this is the order that survives one.
func TestASaveIsOnTheDiskBeforeItIsSeen(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("no strace on this machine: it tells what is flushed, and when:", err)
	}
	root, trace := t.TempDir()+"/spill", t.TempDir()+"/trace"
	require.NoError(t, os.Mkdir(root, dirMode))
	cmd := child(t, "saver", "ROOT="+root, "OWNER=s", "COUNT=1", "SIZE=1000", "LIMIT=0")
	cmd.Args = append([]string{strace, "-f", "-qq", "-y", "-e", "signal=none", "-e", "trace=mkdirat,write,fsync,fdatasync,renameat,renameat2", "-o", trace, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = strace
	said, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "1 0\n", string(said), "one text was kept, none refused")

	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	session := root + "/" + FolderName("s")
	results, err := filepath.Glob(session + "/*")
	require.NoError(t, err)
	require.Len(t, results, 1)
	temp := session + "/" + tempPrefix + strings.SplitN(filepath.Base(results[0]), "-", 2)[0]
	var seen []string
	for _, line := range strings.Split(string(text), "\n") {
		if m := flushedCall.FindStringSubmatch(line); m != nil && strings.HasPrefix(m[2], root) {
			seen = append(seen, m[1]+" "+m[2])
		}
	}
	assert.Equal(t, []string{
		"mkdirat " + root, "fsync " + root,
		"write " + temp, "fsync " + temp,
		"renameat " + session, "fsync " + session,
	}, seen)
}

// flushedCall is a line of strace -f -y: the call, and what its first descriptor
// leads to.
var flushedCall = regexp.MustCompile(`^\d+ +(\w+)\(\d+<([^>]*)>`)
