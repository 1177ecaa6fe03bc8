//go:build !linux

package live

import "errors"

// What the kernel says of processes is read from /proc, which only Linux has.

// Running is not available here.
func Running(string) ([]int, error) { return nil, errors.ErrUnsupported }

// Children is not available here.
func Children(int) ([]int, error) { return nil, errors.ErrUnsupported }

// Descriptors is not available here.
func Descriptors(int) (int, error) { return 0, errors.ErrUnsupported }

// Status is not available here.
func Status(int, string) (int, error) { return 0, errors.ErrUnsupported }

// ResetPeak is not available here.
func ResetPeak(int) error { return errors.ErrUnsupported }
