package hunt

import (
	"math/rand/v2"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A hunter is a worker: what its strategies share.
type hunter struct {
	*walker
	*gauge
	hunt   *hunt
	starts [][]model.Value
	focus  int      // the property that guides the strategy, -1 if none does
	seen   []uint32 // by label: how often the strategy has taken it

	found   *find
	by      string // the strategy that found it
	err     error  // why the hunt cannot go on
	visited uint64
	deepest int // the length of the longest run that was followed
	tried   []Tried
}

func newHunter(h *hunt, rng *rand.Rand) *hunter {
	return &hunter{walker: newWalker(h.sys, rng), gauge: newGauge(h.ctx, h.sys, h.goals), hunt: h, starts: h.starts,
		tried: make([]Tried, len(kinds))}
}

// A find is a run that ends in a state that breaks a property or shows a fault of the model.
type find struct {
	goal  *ir.Property // nil for a fault
	fault error
	start int
	edges []edge
}

// over reports whether the strategy has to stop where it is.
func (h *hunter) over() bool { return h.found != nil || h.err != nil || h.hunt.over.Load() }

// arrive looks at the state where the hunter is, at the end of a run of some length. It returns how far it is from a
// violation, and what tells it from others for the focus. If it is one, run says how it was reached.
func (h *hunter) arrive(length int, run func() (start int, edges []edge)) (far distance, profile uint64) {
	h.visited++
	h.deepest = max(h.deepest, length)
	r := h.gauge.of(h.state, h.focus)
	for i, p := range h.goals {
		if r.broken&(1<<i) != 0 && (p.Kind == ir.Invariant || h.own == 0) {
			h.found = &find{goal: p}
		}
	}
	if h.found == nil && r.invalid != nil && h.quiescent() {
		effort.Try(r.invalid)
	}
	if h.found == nil && h.fault != nil {
		h.found = &find{fault: h.fault}
	}
	if h.found != nil {
		h.found.start, h.found.edges = run()
	}
	if h.focus >= 0 && h.goals[h.focus].Kind == ir.Terminal {
		return r.far + distance(min(h.own, 64)), r.profile
	}
	return r.far, r.profile
}

// take takes a transition, whose label is counted.
func (h *hunter) take(e edge) {
	*at(&h.seen, h.step(e).Label)++
	h.walker.take(e)
}

// An abstraction maps states to numbers. States with the same number are alike.
type abstraction struct {
	parts     int  // of the local states
	channels  bool // and what is in the channels
	profile   bool // and what the properties compare
	symmetric bool // whoever of the processes it is
	salt      uint64
	classes   []uint64 // by local state: the number of its part, 0 if it is not known yet
}

// The parts of local states.
const (
	nothing = iota
	points
	registers
	whole
	both // points and registers
	ways
)

func newAbstraction(rng *rand.Rand) abstraction {
	a := abstraction{parts: rng.IntN(ways), channels: rng.IntN(4) == 0, profile: rng.IntN(2) == 0,
		symmetric: rng.IntN(2) == 0, salt: rng.Uint64()}
	a.profile = a.profile || a.parts == nothing
	return a
}

// of returns the number of the state where the hunter is.
func (a *abstraction) of(h *hunter, profile uint64) uint64 {
	key, sum := a.salt, uint64(0)
	if a.profile {
		key = mix(key, profile)
	}
	for i, s := range h.slots {
		part := uint64(h.state[i])
		switch {
		case s.Kind == model.ProcessSlot:
			part = a.class(h, h.state[i])
		case s.Kind == model.ChannelSlot && !a.channels:
			continue
		}
		if a.symmetric {
			sum += mix(part, uint64(s.Kind)+1)
		} else {
			key = mix(key, part)
		}
	}
	return mix(key, sum)
}

func (a *abstraction) class(h *hunter, v model.Value) uint64 {
	if a.parts == whole {
		return uint64(v)
	}
	c := at(&a.classes, v)
	if *c == 0 {
		l := h.sys.Local(v)
		*c = 1
		if a.parts == points || a.parts == both {
			*c = mix(*c, uint64(l.Point.ID+2))
		}
		for i, x := range l.Point.Live {
			if x.Lasting() && (a.parts == registers || a.parts == both) {
				*c = mix(*c, uint64(l.Env[i]))
			}
		}
		*c |= 1
	}
	return *c
}

// at returns the place of v in a list, which grows to hold it.
func at[T any, I ~uint32](list *[]T, v I) *T {
	if more := int(v) + 1 - len(*list); more > 0 {
		*list = append(*list, make([]T, more)...)
	}
	return &(*list)[v]
}
