package store

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// What can be the matter with a store.
var (
	ErrFull     = errors.New("the disk is full")
	ErrLocked   = errors.New("another process uses the store")
	ErrDamaged  = errors.New("the store is damaged")
	ErrExists   = errors.New("the folder holds a store already")
	ErrNotEmpty = errors.New("the folder holds something else")
	ErrMissing  = errors.New("there is no store")
	ErrFormat   = errors.New("the store has another format")
)

// classify says what was being done, and wraps what errors.Is should find.
func classify(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return fmt.Errorf("%s: %w: %w", doing, ErrFull, err)
	case errors.Is(err, syscall.EWOULDBLOCK):
		return fmt.Errorf("%s: %w", doing, ErrLocked)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: %w: a file was cut off", doing, ErrDamaged)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
