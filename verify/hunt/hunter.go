package hunt

import (
	"math/rand/v2"

	"ringcheck/model"
)

// A hunter is a worker: the data shared by its strategies.
type hunter struct {
	*walker
	*judge
	hunt         *hunt
	rng          *rand.Rand
	actionCounts []uint32 // by label: how often the current strategy has taken it

	result   *Find
	by       string // the strategy that found the run
	err      error  // the error that ends the hunt
	visited  uint64
	deepest  int // the length of the longest run that was followed
	attempts []Attempt
}

func newHunter(h *hunt, rng *rand.Rand) *hunter {
	return &hunter{walker: newWalker(h.sys), judge: newJudge(h.ctx, h.sys, h.goals), hunt: h, rng: rng,
		attempts: make([]Attempt, len(kinds))}
}

// arrive checks the hunter's state, the end of a run of the given length. If the state violates a property or has a
// model error, arrive calls run, which returns that run.
func (h *hunter) arrive(length int, run func() (start int, edges []edge)) {
	h.visited++
	h.deepest = max(h.deepest, length)
	v := h.judge.of(h.state)
	for i, p := range h.goals {
		if (v.broken|v.invalid)&(1<<i) == 0 || p.Kind.OfEnds() && !h.quiescent() {
			continue
		}
		if v.broken&(1<<i) != 0 {
			h.result = &Find{Property: p}
		} else if h.hunt.invalid[i].Load() == nil {
			start, edges := run()
			h.hunt.recordInvalid(i, &Find{Property: p, Invalid: h.judge.error(h.state, p), start: start, edges: edges})
		}
	}
	if h.result == nil && h.failure != nil {
		h.result = &Find{ModelError: model.AsError(h.failure)}
	}
	if h.result != nil {
		h.result.start, h.result.edges = run()
	}
}

// isDone reports whether the strategies have to stop.
func (h *hunter) isDone() bool { return h.result != nil || h.hunt.over.Load() }

// An abstraction maps states to numbers. States with the same number are similar.
type abstraction struct {
	points, registers, others bool // the parts of local states that are considered
	channels                  bool // whether channels are considered
	symmetric                 bool // whether the numbers of processes are ignored
	salt                      uint64
	classes                   []uint64 // by local state: the number of its class, 0 if it has none yet
}

// newAbstraction returns a random abstraction.
func newAbstraction(rng *rand.Rand) abstraction {
	parts := 1 + rng.IntN(4) // 4: all parts
	return abstraction{points: parts != 2, registers: parts != 1, others: parts == 4, channels: rng.IntN(4) == 0,
		symmetric: rng.IntN(2) == 0, salt: rng.Uint64()}
}

// of returns the number of a hunter's state.
func (a *abstraction) of(h *hunter) uint64 {
	key, sum := a.salt, uint64(0)
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
	c := at(&a.classes, v)
	if *c == 0 {
		l := h.sys.Local(v)
		if a.points {
			*c = mix(*c, uint64(l.Point.ID+2))
		}
		for i, x := range l.Point.Live {
			if x.Lasting() && a.registers || a.others {
				*c = mix(*c, uint64(l.Env[i]))
			}
		}
		*c |= 1
	}
	return *c
}

// at returns the element at index v, and extends the list if necessary.
func at[T any, I ~uint32](list *[]T, v I) *T {
	if more := int(v) + 1 - len(*list); more > 0 {
		*list = append(*list, make([]T, more)...)
	}
	return &(*list)[v]
}

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}
