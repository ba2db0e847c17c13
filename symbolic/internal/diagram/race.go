//go:build race

package diagram

import (
	"runtime"
	"unsafe"
)

// The race detector ignores atomic operations on memory that is not the Go heap's, as the cache is not. So it is told that a result
// that is taken out of the cache is read after it was put there, with all that the worker knew who put it there.

func (s *Store) published() { runtime.RaceReleaseMerge(unsafe.Pointer(s)) }

func (s *Store) received() { runtime.RaceAcquire(unsafe.Pointer(s)) }
