//go:build !linux

package index

// background does nothing: no index is made on this system.
func background() {}
