package store

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// The errors of a store.
var (
	ErrFull     = errors.New("the disk is full")
	ErrLocked   = errors.New("another process uses the store")
	ErrDamaged  = errors.New("the store is damaged")
	ErrExists   = errors.New("the folder holds a store already")
	ErrNotEmpty = errors.New("the folder holds other files")
	ErrMissing  = errors.New("there is no store")
	ErrFormat   = errors.New("the store has another format")
)

// reason describes a panic.
func reason(r any) string {
	if _, ok := r.(interface{ Addr() uintptr }); ok { // see debug.SetPanicOnFault
		return "a file was truncated while it was in use, or the disk returns other data than were written"
	}
	return firstLine(fmt.Sprint(r))
}

// classify adds the operation to err, and wraps the corresponding error of this package.
func classify(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case is(err, syscall.ENOSPC), is(err, syscall.EDQUOT), is(err, syscall.EFBIG):
		return fmt.Errorf("%s: %w: %w", doing, ErrFull, err)
	case is(err, syscall.EWOULDBLOCK):
		return fmt.Errorf("%s: %w", doing, ErrLocked)
	}
	if text := err.Error(); strings.Contains(text, "\n") { // badger adds stack traces to some errors
		err = fmt.Errorf("%w: %s", ErrDamaged, firstLine(text))
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// firstLine returns the first line of a text that is not empty.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\n= "), "\n")
	return line
}

// is reports whether number caused err. Badger keeps only the text of the errors that it passes on.
func is(err error, number syscall.Errno) bool {
	return errors.Is(err, number) || strings.Contains(err.Error(), number.Error())
}
