//go:build linux

package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// keepNamespaces has, of all rights, the one to make namespaces in force again,
// in this thread. A program that is started has none.
func keepNamespaces() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	data := [2]unix.CapUserData{{Effective: 1 << unix.CAP_SYS_ADMIN, Permitted: 1 << unix.CAP_SYS_ADMIN}}
	if err := unix.Capset(&head, &data[0]); err != nil {
		return fmt.Errorf("keep the right to make namespaces: %w", err)
	}
	return nil
}
