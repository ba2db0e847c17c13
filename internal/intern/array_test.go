package intern_test

import (
	"testing"

	"ringcheck/internal/intern"
)

// TestArraySegments checks that every element has a place of its own that does not change.
func TestArraySegments(t *testing.T) {
	var a intern.Array[uint32]
	var indices []uint32
	for i := range uint32(1 << 17) {
		indices = append(indices, i)
	}
	for s := 17; s < 24; s++ { // where segments begin, and before
		for quarter := range uint32(4) {
			at := uint32(1)<<s + quarter<<(s-2) - 16
			indices = append(indices, at-1, at, at+1)
		}
	}
	places := make(map[uint32]*uint32)
	for _, i := range indices {
		places[i] = a.At(i)
		*places[i] = i
	}
	for _, i := range indices {
		if a.At(i) != places[i] || *a.At(i) != i {
			t.Fatalf("element %d is %d, at another place: %t", i, *a.At(i), a.At(i) != places[i])
		}
	}
	if least := int64(4 << 24); a.Bytes() > least {
		t.Errorf("%d bytes for elements up to 2^24", a.Bytes())
	}
}
