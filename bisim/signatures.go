package bisim

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/internal/effort"
	"ringcheck/lts"
)

// A signer refines a partition by signatures (S. Blom and S. Orzan, "Distributed branching bisimulation
// reduction of state spaces", ENTCS 89(1), 2003), in rounds, until the number of blocks does not grow. The
// signature of a state says what it can do, and into which block that leads, after inert transitions:
//
//	sig(s) = { (a, block(t)) | s −a→ t not inert }  ∪  sig(t) for every inert s −τ→ t.
//
// Two states are in the same block after a round if they were before and have equal signatures. In a round
// states are taken up layer by layer, so that the targets of their inert transitions come before them;
// those of one layer are divided among goroutines.
type signer struct {
	*graph
	workers int
	layers  [][]uint32 // the states, those whose τ's lead to layers before
	block   []uint32
	next    []uint32 // the blocks after this round
	sig     [][]lts.Edge
	shards  [shards]shard
	blocks  atomic.Uint32
	bytes   atomic.Uint64 // of the signatures of this round
	effort  *effort.Effort
}

// Signatures are kept in shards by their hash, each with a lock.
const shards = 64

type shard struct {
	mu   sync.Mutex
	have map[uint64][]signature // by hash
	_    [64]byte               // keep locks in different cache lines
}

// A signature stands for the states of an old block with equal signatures, a new block.
type signature struct {
	old, block uint32
	edges      []lts.Edge
}

// signatureBytes is what a signature takes beside its transitions, in a shard.
const signatureBytes = 80

// refineSignatures returns the block of each state and the number of blocks.
func refineSignatures(f *effort.Effort, g *graph, workers int) ([]uint32, int) {
	z := newSigner(f, g, workers)
	for before := uint32(1); ; {
		z.round()
		blocks := z.blocks.Load()
		if blocks == before {
			return z.block, int(blocks)
		}
		before = blocks
	}
}

// newSigner returns a signer with one block. No workers means as many as there are processors.
func newSigner(f *effort.Effort, g *graph, workers int) *signer {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	n := g.states()
	f.Hold((4 + 4 + 4 + 4 + 24) * uint64(n))
	return &signer{
		graph:   g,
		workers: workers,
		effort:  f,
		layers:  layersOf(f, g),
		block:   make([]uint32, n),
		next:    make([]uint32, n),
		sig:     make([][]lts.Edge, n),
	}
}

// layersOf divides the states by the longest sequence of τ's that they can do.
func layersOf(f *effort.Effort, g *graph) [][]uint32 {
	height := make([]uint32, g.states())
	var layers [][]uint32
	for s := range uint32(g.states()) {
		f.Tick()
		for _, e := range g.row(s) {
			if g.inert && e.Label == lts.Tau {
				height[s] = max(height[s], height[e.To]+1)
			}
		}
		if int(height[s]) == len(layers) {
			layers = append(layers, nil)
		}
		layers[height[s]] = append(layers[height[s]], s)
	}
	return layers
}

// round refines the partition once.
func (z *signer) round() {
	z.blocks.Store(0)
	before := z.bytes.Swap(0)
	for i := range z.shards {
		z.shards[i].have = make(map[uint64][]signature)
	}
	for _, layer := range z.layers {
		z.effort.Check()
		z.signAll(layer)
		if z.full(before) {
			z.effort.Hold(before + z.bytes.Load()) // stops here, with no goroutine running
		}
	}
	z.block, z.next = z.next, z.block
}

// full reports whether this round's signatures and those of the round before exceed the memory. Goroutines stop
// by it.
func (z *signer) full(before uint64) bool {
	return z.effort.Limit != 0 && z.effort.Held+before+z.bytes.Load() > z.effort.Limit
}

// signAll signs states that do not depend on each other.
func (z *signer) signAll(states []uint32) {
	const chunk = 1 << 11
	if len(states) <= chunk {
		z.signSome(states)
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range z.workers {
		wg.Go(func() {
			for {
				end := int(next.Add(chunk))
				if end-chunk >= len(states) || z.effort.Context.Err() != nil || z.full(0) {
					return
				}
				z.signSome(states[end-chunk : min(end, len(states))])
			}
		})
	}
	wg.Wait()
	z.effort.Check()
}

func (z *signer) signSome(states []uint32) {
	var edges []lts.Edge
	known := func(s uint32) []lts.Edge { return z.sig[s] }
	for _, s := range states {
		edges = z.sign(s, z.block, known, edges[:0])
		z.next[s], z.sig[s] = z.number(z.block[s], edges)
	}
}

// number returns the new block of a state and its signature, a copy of edges that equal states share.
func (z *signer) number(old uint32, edges []lts.Edge) (uint32, []lts.Edge) {
	h := mix(hashRow(edges) ^ uint64(old))
	shard := &z.shards[h%shards]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	for _, s := range shard.have[h] {
		if s.old == old && slices.Equal(s.edges, edges) {
			return s.block, s.edges
		}
	}
	z.bytes.Add(signatureBytes + 8*uint64(len(edges)))
	s := signature{old, z.blocks.Add(1) - 1, slices.Clone(edges)}
	shard.have[h] = append(shard.have[h], s)
	return s.block, s.edges
}
