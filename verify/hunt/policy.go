package hunt

// A policy chooses the transitions of random runs.
type policy struct {
	h      *hunter
	kind   int
	rank   []float64 // by actor: its priority
	change float64   // the probability that a step changes a priority
}

// The kinds of policy.
const (
	uniform    = iota
	priorities // of the processes: Burckhardt, Kothari, Musuvathi, Nagarakatte 2010
	rare       // prefers labels that were rarely taken
	mixed      // another policy for each run
)

func newPolicy(h *hunter) policy {
	return policy{h: h, kind: h.rng.IntN(mixed + 1), change: 1 / float64(int(2)<<h.rng.IntN(6))}
}

// begin begins a run.
func (p *policy) begin() {
	p.rank = p.rank[:0]
	for range p.h.sys.Protocol().N + 1 {
		p.rank = append(p.rank, p.h.rng.Float64())
	}
}

// next chooses one of the transitions that are enabled.
func (p *policy) next() (chosen edge) {
	h, kind := p.h, p.kind
	if kind == mixed {
		kind = int(p.rank[0] * mixed)
	}
	pick := func() edge { return h.enabled[h.rng.IntN(len(h.enabled))] }
	chosen = pick()
	switch kind {
	case priorities:
		if h.rng.Float64() < p.change {
			p.rank[h.rng.IntN(len(p.rank))] = h.rng.Float64()
		}
		best, n := -1, 0
		for _, e := range h.enabled {
			actor := h.actor(e)
			if best < 0 || p.rank[actor] > p.rank[best] {
				best, n = actor, 0
			}
			if actor == best {
				if n++; h.rng.IntN(n) == 0 {
					chosen = e
				}
			}
		}
	case rare:
		for range 2 {
			if e := pick(); *at(&h.actionCounts, h.step(e).Label) < *at(&h.actionCounts, h.step(chosen).Label) {
				chosen = e
			}
		}
	}
	return chosen
}
