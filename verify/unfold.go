package verify

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/reduce/symmetry"
	"ringcheck/verify/product"
)

// An unfolding is a part of the full system of a quotient by permutations: some states, and the successors of those
// that were expanded. A state is the image of its representative in the graph of the quotient, and has the images of
// its transitions. Transitions that are left out lead to a state without transitions, which is on no cycle.
type unfolding struct {
	graph  *graph
	of     *temporal
	stem   []product.Step    // of the graph: all runs begin with these
	within func(uint64) bool // which places of the graph are not left out after the stem; nil means all
	search *product.Search
	from   []uint64 // the letters of the graph, by class

	initial []uint64
	states  []unfoldingState  // by place
	places  map[string]uint64 // by the values of a state after the stem
	classes map[uint64]uint32 // by letter
	kinds   []product.Kind    // the images of the kinds of the graph
	first   []uint32          // by kind of the graph: its first image
	bytes   uint64            // of states and places
}

// An unfoldingState is a state of an unfolding.
type unfoldingState struct {
	representative uint64 // a place of the graph
	at             *symmetry.Follower
	values         []model.Value
}

// omitted is the place of the state to which transitions lead that are left out.
const omitted = 0

// maxUnfolded is the number of states of an unfolding.
const maxUnfolded = 1 << 17

// newUnfolding returns the unfolding of the graph of a search, nil if there is no room for its first states. All its
// runs begin with a stem in the graph.
func (c *checker) newUnfolding(
	g *graph, t *temporal, s *product.Search, stem []product.Step, within func(place uint64) bool,
) (*unfolding, error) {
	search := *s
	search.Moves, search.Letters, search.Ends, search.RunTo = nil, nil, nil, nil
	u := &unfolding{graph: g, of: t, stem: stem, within: within, search: &search, from: s.Letters,
		states: make([]unfoldingState, 1), places: make(map[string]uint64), classes: make(map[uint64]uint32)}
	search.System = u
	for _, k := range g.kinds {
		u.first = append(u.first, uint32(len(u.kinds)))
		u.kinds = append(u.kinds, imagesOfKind(k, t.protocol.N)...)
	}
	begins := g.Initial()
	if len(stem) > 0 {
		begins = []uint64{stem[0].From}
	}
	for _, representative := range begins {
		place, err := u.add(representative, c.verifier.runQuotient().Follow(), len(stem) > 0)
		if err != nil {
			return nil, err
		}
		u.initial = append(u.initial, place)
	}
	for i, step := range stem {
		if u.States() < uint64(i+2) {
			break
		}
		at := u.states[i+1].at.Clone()
		at.Take(step.Permutation)
		if _, err := u.add(step.To, at, i+1 < len(stem)); err != nil {
			return nil, err
		}
	}
	if u.States() < uint64(len(stem)+2) { // with omitted
		return nil, nil
	}
	return u, nil
}

// imagesOfKind returns a kind with all processes of n in place of its own: the receiver changes first.
func imagesOfKind(k product.Kind, n int) (images []product.Kind) {
	senders, receivers := 1, 1
	if k.Process >= 0 {
		senders = n
	}
	if k.Receiver > 0 {
		receivers = n
	}
	for i := range senders * receivers {
		image := k
		if k.Process >= 0 {
			image.Process = i / receivers
		}
		if k.Receiver > 0 {
			image.Receiver = 1 + i%receivers
		}
		images = append(images, image)
	}
	return images
}

// Places, States, Has, Initial, Kinds and FreeBytes implement product.System.
func (u *unfolding) Places() uint64        { return maxUnfolded }
func (u *unfolding) States() uint64        { return uint64(len(u.states)) }
func (u *unfolding) Has(place uint64) bool { return place < u.States() }
func (u *unfolding) Initial() []uint64     { return u.initial }
func (u *unfolding) Kinds() []product.Kind { return u.kinds }
func (u *unfolding) FreeBytes() uint64 {
	return u.graph.FreeBytes() - min(u.bytes, u.graph.FreeBytes())
}

// Hold implements product.System.
func (u *unfolding) Hold(context.Context) error { return nil }

// Sweep implements product.System. An unfolding does not know all states.
func (u *unfolding) Sweep(context.Context, bool, explore.Selection, func(v *explore.Vertex)) error {
	return errors.New("a part of a system is swept")
}

// kind returns the image of a kind of the graph, by their numbers.
func (u *unfolding) kind(tag uint32, at *symmetry.Follower) uint32 {
	k, image, receivers := u.graph.kinds[tag], 0, 1
	if k.Receiver > 0 {
		image, receivers = at.Process(k.Receiver-1), u.of.protocol.N
	}
	if k.Process >= 0 {
		image += receivers * at.Process(k.Process)
	}
	return u.first[tag] + uint32(image)
}

// class returns the class of the image of a state of the graph with a letter. Permutations move the atoms of where a
// process is, and no others.
func (u *unfolding) class(letter uint64, at *symmetry.Follower) uint32 {
	image := letter
	for _, atom := range u.of.locationAtoms {
		image &^= 1 << atom
	}
	for l, atom := range u.of.locationAtoms {
		image |= letter >> atom & 1 << u.of.locationAtoms[location{at.Process(l.process), l.equation}]
	}
	class, ok := u.classes[image]
	if !ok {
		class = uint32(len(u.search.Letters))
		u.classes[image] = class
		u.search.Letters = append(u.search.Letters, image)
	}
	return class
}

// add returns the place of the image of a state of the graph, omitted if there is no room. A state on the stem is not
// the same as one after it.
func (u *unfolding) add(representative uint64, at *symmetry.Follower, onStem bool) (uint64, error) {
	values, err := u.graph.State(representative)
	if err != nil {
		return 0, err
	}
	s := unfoldingState{representative, at, at.State(values)}
	key := ""
	if !onStem {
		var bytes []byte
		for _, v := range s.values {
			bytes = binary.LittleEndian.AppendUint32(bytes, v)
		}
		key = string(bytes)
		if place, ok := u.places[key]; ok {
			return place, nil
		}
	}
	bytes := uint64(unfoldedBytes + 8*len(values) + 2*u.of.protocol.N)
	if len(u.states) == maxUnfolded || u.FreeBytes() < bytes {
		return omitted, nil
	}
	place := u.States()
	u.states = append(u.states, s)
	if u.bytes += bytes; !onStem {
		u.places[key] = place
	}
	return place, nil
}

// unfoldedBytes is about the memory of an unfoldingState in addition to its values and permutation.
const unfoldedBytes = 256

// Expand implements product.System.
func (u *unfolding) Expand(places []uint64, visit func(v *explore.Vertex)) error {
	for len(places) > 0 {
		n := min(len(places), expandedTogether)
		if err := u.expand(places[:n], visit); err != nil {
			return err
		}
		places = places[n:]
	}
	return nil
}

// expandedTogether is the number of states that are expanded together.
const expandedTogether = 256

func (u *unfolding) expand(places []uint64, visit func(v *explore.Vertex)) error {
	var from []uint64
	for _, place := range places {
		if place != omitted {
			from = append(from, u.states[place].representative)
		}
	}
	var vertices []explore.Vertex
	err := u.graph.Expand(from, func(v *explore.Vertex) {
		vertices = append(vertices, explore.Vertex{Class: v.Class, To: slices.Clone(v.To), Tags: slices.Clone(v.Tags),
			Permutations: slices.Clone(v.Permutations)})
	})
	for _, place := range places {
		if err != nil {
			return err
		}
		image := explore.Vertex{Place: place, Class: u.class(0, u.states[1].at)}
		if place != omitted {
			image, err = u.image(place, &vertices[0])
			vertices = vertices[1:]
		}
		visit(&image)
	}
	return err
}

// image returns the vertex of a state, the image of a vertex of the graph.
func (u *unfolding) image(place uint64, v *explore.Vertex) (explore.Vertex, error) {
	at := u.states[place].at
	image := explore.Vertex{Place: place, Class: u.class(u.from[v.Class], at)}
	for t, to := range v.To {
		target, by := at.Clone(), uint32(0)
		if len(v.Permutations) > 0 {
			by = v.Permutations[t]
		}
		target.Take(by)
		next := uint64(omitted)
		switch onStem := int(place) <= len(u.stem); {
		case onStem:
			step := u.stem[place-1]
			if step.To == to && step.Kind == u.graph.kinds[v.Tags[t]] && step.Permutation == by {
				next = place + 1
			}
		case u.within == nil || u.within(to):
			var err error
			if next, err = u.add(to, target, false); err != nil {
				return image, err
			}
		}
		image.To, image.Tags = append(image.To, next), append(image.Tags, u.kind(v.Tags[t], at))
	}
	return image, nil
}

// moves returns the moves of some steps, up to the end of the run.
func (u *unfolding) moves(c *checker, steps []product.Step) ([]explore.Move, error) {
	sys := c.verifier.runSystem()
	moves := []explore.Move{{State: u.states[steps[0].From].values}}
	for _, s := range steps {
		if s.Kind.Action == product.Over {
			break
		}
		m := explore.Move{State: u.states[s.To].values}
		var err error
		if m.Step, err = explore.StepBetween(sys, moves[len(moves)-1].State, m.State, like(sys, s.Kind)); err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// shorten replaces a lifted run that violates an LTL property by a shorter one, if there is one in a small part of the
// full system: near the initial states, as a search without symmetry would find it; else after the same stem, near its
// last state or in the orbits of the cycle.
func (c *checker) shorten(ctx context.Context, l *Lasso, t *temporal, s *product.Search, g *graph) error {
	steps := len(l.lasso.Stem) + len(l.lasso.Cycle)
	if l.Cycle == 0 || len(s.Actions) == 0 && l.Stem+l.Cycle <= steps {
		return nil
	}
	on := make(map[uint64]bool)
	for _, step := range l.lasso.Cycle {
		on[step.To] = true
	}
	inOrbits := func(place uint64) bool { return on[place] }
	for _, part := range []struct {
		stem   []product.Step
		within func(uint64) bool
	}{{}, {stem: l.lasso.Stem}, {l.lasso.Stem, inOrbits}} {
		u, err := c.newUnfolding(g, t, s, part.stem, part.within)
		if err != nil {
			return err
		}
		if u == nil {
			continue
		}
		found, err := u.search.Short(ctx)
		if found == nil && err == nil || errors.Is(err, product.ErrTooLarge) {
			continue
		}
		if err != nil {
			return err
		}
		if err := u.search.Check(found, t.violation()); err != nil {
			return err
		}
		if short := lassoOf(found); short.Stem+short.Cycle < l.Stem+l.Cycle {
			l.Stem, l.Cycle = short.Stem, short.Cycle
			if l.moves, err = u.moves(c, slices.Concat(found.Stem, found.Cycle)); err != nil {
				return err
			}
		}
		if part.stem == nil {
			break
		}
	}
	return nil
}
