package representative

import (
	"slices"

	"ringcheck/model"
)

// anywhere says that confluent τ's are possible in any group.
const anywhere = -1

// representative returns the representative of the state with number id. It overwrites w.state, which state
// may be. All confluent τ's of state are in groups that share a slot with group near, unless that is anywhere.
//
// It goes from a state to the first of its confluent successors, until one of them has a representative or
// there are none. All states met on the way, successors that it did not go to included, have the same
// representative: confluence makes their paths join.
func (w *walker) representative(id uint32, state []model.Value, near int) (uint32, error) {
	if known := w.known.At(id).Load(); known != 0 {
		return known - 1, nil
	}
	copy(w.state, state)
	w.visited, w.path = append(w.visited[:0], id), w.path[:0]
	if err := w.begin(near); err != nil {
		return 0, err
	}
	for {
		if err := w.pause(); err != nil {
			return 0, err
		}
		w.path = append(w.path, id)
		w.internal.Add(1)
		w.successors(id)
		w.visited = append(w.visited, w.next...)
		if known, ok := w.knownAmong(w.next); ok {
			return w.settle(known), nil
		}
		if len(w.next) == 0 {
			return w.settle(id), nil
		}
		id = w.next[0]
		if w.onPath(id) {
			return w.component()
		}
		w.set(w.state, w.firstGroup, w.firstValues)
		if err := w.refresh(w.beside[w.firstGroup]); err != nil {
			return 0, err
		}
	}
}

// pauseSteps is how many steps a walker takes until it asks whether to go on.
const pauseSteps = 16

// pause asks now and then whether to go on.
func (w *walker) pause() error {
	if w.steps++; w.steps%pauseSteps != 0 {
		return nil
	}
	if check := w.check.Load(); check != nil {
		return (*check)()
	}
	return nil
}

// begin finds the confluent τ's of w.state.
func (w *walker) begin(near int) error {
	for place := range w.taus {
		w.taus[place] = w.taus[place][:0]
	}
	if near != anywhere {
		return w.refresh(w.beside[near])
	}
	for place := range w.taus {
		if err := w.find(place); err != nil {
			return err
		}
	}
	return nil
}

// refresh finds the confluent τ's of w.state in some groups, given by their places: what other groups do has
// not changed.
func (w *walker) refresh(places []int) error {
	for _, place := range places {
		if err := w.find(place); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) find(place int) error {
	g := w.order[place]
	in := w.load(g, w.state)
	w.out.Reset(len(in))
	if err := w.Reduced.taus.Next(g, in, &w.out); err != nil {
		return err
	}
	w.taus[place] = w.taus[place][:0]
	for i := range w.out.Len() {
		w.taus[place] = append(w.taus[place], w.out.Values(i)...)
	}
	return nil
}

// successors makes w.next the numbers of the confluent successors of w.state, whose number is id.
func (w *walker) successors(id uint32) {
	w.next = w.next[:0]
	for place, values := range w.taus {
		if len(values) == 0 {
			continue
		}
		g := w.order[place]
		slots := w.groups[g].Slots
		if len(w.next) == 0 {
			w.firstGroup = g
			w.firstValues = append(w.firstValues[:0], values[:len(slots)]...)
		}
		for ; len(values) > 0; values = values[len(slots):] {
			w.next = append(w.next, w.vectors.Replace(id, slots, values[:len(slots)]))
		}
	}
}

// knownAmong returns the representative of the first of some states that has one.
func (w *walker) knownAmong(states []uint32) (uint32, bool) {
	for _, id := range states {
		if known := w.known.At(id).Load(); known != 0 {
			return known - 1, true
		}
	}
	return 0, false
}

// settle gives all visited states their representative.
func (w *walker) settle(representative uint32) uint32 {
	for _, id := range w.visited {
		w.known.At(id).Store(representative + 1)
	}
	return representative
}

// short is the length up to which a path is searched as it is.
const short = 32

// onPath reports whether a state is on the path.
func (w *walker) onPath(id uint32) bool {
	n := len(w.path)
	if n < short {
		return slices.Contains(w.path, id)
	}
	if n == short {
		clear(w.places)
		for _, p := range w.path {
			w.places[p] = true
		}
	}
	w.places[w.path[n-1]] = true
	return w.places[id]
}
