package prob

import (
	"context"
	"errors"
	"slices"

	"ringcheck/internal/effort"
)

// A Path is a run of a process.
type Path struct {
	Start    uint32   // an initial state
	Branches []uint32 // by step: the index of the branch taken among all branches of its state
	// Cycle is the number of steps before the part that repeats for ever; -1 if the path is finite.
	Cycle int
	Goal  bool // whether the path ends in the goal
}

// The reasons why there is no path to show.
var (
	ErrChance = errors.New("the process draws: the value belongs to many runs together, and no single run attains it")
	ErrNoRun  = errors.New("no run reaches the goal")
)

// Witness returns a run of p, the problem of m, that attains the extreme reward until the goal, which exists if the
// process has no draws. If the maximum is infinite it returns a run that never reaches the goal, even if there are
// draws.
func (p *Problem) Witness(ctx context.Context, m *MDP, k Scheduler, reward *Reward) (_ *Path, err error) {
	defer effort.Catch(&err)
	w := &witness{fixpoint: fixpoint{&effort.Effort{Context: ctx}, p}, reward: reward}
	if k == Max {
		if path := w.endless(); path != nil {
			return path, nil
		}
	}
	if slices.ContainsFunc(p.class, func(c uint16) bool { return p.classes[c].Weight != Certain }) {
		return nil, ErrChance
	}
	w.cost, w.choice = make([]float64, p.States()), slices.Repeat([]uint32{none}, p.States())
	w.extreme(k)
	return w.follow(m, k)
}

// A witness looks for a run. Rewards of a protocol are integers, so their sums are exact.
type witness struct {
	fixpoint
	reward *Reward
	cost   []float64 // by state: the extreme reward until the goal
	choice []uint32  // by state: the branch to take, or none
}

func (w *witness) gain(branch uint32) float64 {
	f, _ := w.reward.At(w.classes[w.class[branch]].Mark).Float64()
	return f
}

// endless returns a run that never reaches the goal, through a state from which a scheduler can avoid it; nil if every
// run reaches it.
func (w *witness) endless() *Path {
	avoid := w.zero(Min)
	path, s := w.approach(avoid)
	if path == nil {
		return nil
	}
	met := map[uint32]int{}
	for {
		if at, ok := met[s]; ok {
			path.Cycle = at
			return path
		}
		met[s] = len(path.Branches)
		branch := none
		for first, end := range w.choices(s) {
			if branch == none && w.allInto(avoid, first, end) {
				branch = first
			}
		}
		if branch == none || w.ends(branch) { // a terminal state, or the choice to end here
			return path
		}
		path.Branches = append(path.Branches, branch-w.rows[s])
		s = w.to[branch]
	}
}

// approach returns a shortest run to a state of a set, and that state; nil if none is reachable.
func (w *witness) approach(x Set) (*Path, uint32) {
	const start = none - 1
	from := slices.Repeat([]uint32{none}, w.States()) // by state: the branch that reached it, start, or none
	origin := make([]uint32, w.States())
	from[w.goal()] = start
	var queue []uint32
	for _, i := range w.initial {
		if from[i.state] == none {
			from[i.state] = start
			queue = append(queue, i.state)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if x.Has(s) {
			path := &Path{Cycle: -1}
			last := s
			for ; from[s] != start; s = origin[s] {
				path.Branches = append(path.Branches, from[s]-w.rows[origin[s]])
			}
			slices.Reverse(path.Branches)
			path.Start = w.origin[s]
			return path, last
		}
		for i := w.rows[s]; i < w.rows[s+1]; i++ {
			if t := w.to[i]; from[t] == none {
				from[t], origin[t] = i, s
				queue = append(queue, t)
			}
		}
	}
	return nil, 0
}

// extreme computes the minimal or the maximal rewards. For the maximum there are no cycles, since every run reaches the
// goal; for the minimum a branch is taken only if it is strictly better, so that the choices do not form a cycle.
func (w *witness) extreme(k Scheduler) {
	w.saturate(func(s uint32) (changed bool) {
		for i := w.rows[s]; i < w.rows[s+1]; i++ {
			t := w.to[i]
			if t != w.goal() && w.choice[t] == none {
				continue
			}
			v := w.gain(i) + w.cost[t]
			if w.choice[s] == none || k == Min && v < w.cost[s] || k == Max && v > w.cost[s] {
				w.cost[s], w.choice[s], changed = v, i, true
			}
		}
		return changed
	})
}

// follow returns the run from the initial state with the extreme cost.
func (w *witness) follow(m *MDP, k Scheduler) (*Path, error) {
	best, path := none, &Path{Cycle: -1, Goal: true}
	for i, start := range w.initial {
		s := start.state
		reaches := s == w.goal() || w.choice[s] != none
		if reaches && (best == none || (w.cost[s] < w.cost[best]) == (k == Min)) {
			best, path.Start = s, m.initial[i].state
		}
	}
	if best == none {
		return nil, ErrNoRun
	}
	for s := best; s != w.goal() && !w.ends(w.choice[s]); s = w.to[w.choice[s]] {
		path.Branches = append(path.Branches, w.choice[s]-w.rows[s])
	}
	return path, nil
}

// Follow returns the states of a path, one more than its steps.
func (m *MDP) Follow(p *Path) []uint32 {
	states := []uint32{p.Start}
	s := p.Start
	for _, b := range p.Branches {
		s = m.to[m.rows[s]+b]
		states = append(states, s)
	}
	return states
}
