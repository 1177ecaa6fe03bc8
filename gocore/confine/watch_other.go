//go:build !linux

package confine

import (
	"fmt"
	"io/fs"
)

func stamp(info fs.FileInfo) string {
	if info.IsDir() {
		return fmt.Sprint(info.Mode())
	}
	return fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
}
