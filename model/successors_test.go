package model_test

import (
	"sync/atomic"
	"testing"

	"ringcheck/model"
)

// TestCountIn checks that memory is counted when it is allocated, and once when it is used again.
func TestCountIn(t *testing.T) {
	const transitions, width, bytes = 1000, 100, 4
	var total atomic.Int64
	var s model.Successors
	s.CountIn(&total)
	for range 3 {
		s.Reset(width)
		for range transitions {
			s.Add(model.Step{})
		}
		if n := total.Load(); n < transitions*width*bytes || n > 3*transitions*width*bytes {
			t.Errorf("%d bytes for %d values", n, transitions*width)
		}
	}
}
