package confine

import (
	"fmt"
	"io/fs"
	"syscall"
)

// stamp changes whenever a file does. A folder's own times change with its names,
// which are looked at one by one.
func stamp(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.IsDir() {
		return fmt.Sprint(info.Mode())
	}
	return fmt.Sprint(info.Mode(), st.Ino, st.Size, st.Ctim)
}
