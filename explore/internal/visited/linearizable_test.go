package visited

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"
)

// A call is Put or Contains of one state ID. Its outcome is whether the state ID was added, or is there.
type call struct {
	put bool
	id  uint64
}

// sequential is a set by definition. Histories are divided by state ID: what a set says of one does not depend on the
// others.
var sequential = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byID := map[uint64][]porcupine.Operation{}
		for _, o := range history {
			id := o.Input.(call).id
			byID[id] = append(byID[id], o)
		}
		var parts [][]porcupine.Operation
		for _, part := range byID {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return false },
	Step: func(state, input, output any) (bool, any) {
		there := state.(bool)
		if input.(call).put {
			return output.(bool) == !there, true
		}
		return output.(bool) == there, there
	},
}

// TestLinearizable: histories of single Puts and Contains, by goroutines that compete for the same slots, could
// have happened one after the other. In some of them the set grows at random moments.
func TestLinearizable(t *testing.T) {
	rounds := uint64(300)
	if testing.Short() {
		rounds = 60
	}
	for round := range rounds {
		h := newHistory(round)
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() { h.client(g) })
		}
		wg.Wait()
		h.set.Close()
		if !porcupine.CheckOperations(sequential, slices.Concat(h.operations[:]...)) {
			t.Fatalf("round %d: the history is not that of a set", round)
		}
	}
}

// TestModelCanFail: the checker finds out that a state ID was added twice, or was forgotten.
func TestModelCanFail(t *testing.T) {
	at := func(i int64, put, outcome bool) porcupine.Operation {
		return porcupine.Operation{Input: call{put, 1}, Output: outcome, Call: 2 * i, Return: 2*i + 1}
	}
	for _, history := range [][]porcupine.Operation{
		{at(0, true, true), at(1, true, true)},
		{at(0, true, true), at(1, false, false)},
		{at(0, false, true)},
	} {
		if porcupine.CheckOperations(sequential, history) {
			t.Errorf("%v is accepted as the history of a set", history)
		}
	}
}

// A history is made by several goroutines.
type history struct {
	round      uint64
	set        *Set
	ids        []uint64
	clock      atomic.Int64
	world      sync.RWMutex // is held for writing to grow
	operations [goroutines][]porcupine.Operation
}

func newHistory(round uint64) *history {
	return &history{round: round, set: New(), ids: rivals(12, round)}
}

// client makes the operations of one goroutine.
func (h *history) client(g int) {
	in := h.set.Inserter()
	random := rand.New(rand.NewPCG(h.round, uint64(g)))
	for range 40 {
		c := call{put: random.IntN(2) == 0, id: h.ids[random.IntN(len(h.ids))]}
		if h.round%3 == 0 && random.IntN(50) == 0 {
			h.grow()
		}
		h.world.RLock()
		o := porcupine.Operation{ClientId: g, Input: c, Call: h.clock.Add(1)}
		if c.put {
			fresh, _ := in.Put([]uint64{c.id}, nil)
			o.Output = len(fresh) == 1
		} else {
			o.Output = h.set.Contains(c.id)
		}
		o.Return = h.clock.Add(1)
		h.world.RUnlock()
		h.operations[g] = append(h.operations[g], o)
	}
}

func (h *history) grow() {
	h.world.Lock()
	defer h.world.Unlock()
	if h.set.geometry.lines < 1<<8 {
		h.set.full.Store(true)
		h.set.Grow(1)
	}
}
