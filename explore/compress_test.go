package explore

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestKeepBatch(t *testing.T) {
	var room []byte
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		states := make([]uint64, r.IntN(20))
		for i := range states {
			states[i] = r.Uint64() >> r.IntN(64)
			if i > 0 && r.IntN(2) == 0 { // a half as before
				states[i] = states[i-1]&(1<<32-1) | states[i]>>32<<32
			}
		}
		var kept compressedBatch
		kept, room = compress(states, room)
		if got := kept.appendTo(nil); kept.states != len(states) || !slices.Equal(got, states) {
			t.Fatalf("seed %d: %x was kept as %d states, %x", seed, states, kept.states, got)
		}
	}
}
