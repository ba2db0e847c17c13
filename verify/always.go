package verify

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/model/ltl"
	"ringcheck/verify/product"
)

// The safety part of many LTL properties is "always g" for a g without operators of time in which events occur only
// negated, such as "always not (leader happens)". A state violates such a property if its letter violates g, whatever
// happens next, and a step does if an event makes it so. If processes act on their own, their local states tell which
// events can happen next. So the class of a state tells whether the property is violated there, as with an invariant:
// the search that finds the states finds a shortest violation, and can end with it. No product is searched.

// maxOccurrences is the maximum number of events of a property that are observed in states.
const maxOccurrences = 16

// observeEvents sets t.always and t.occurrences if the safety part of the formula has that form. Processes must
// act alone.
func (t *temporal) observeEvents() {
	g := t.formula.Safety().Invariant()
	if g == nil {
		return
	}
	var list []*occurrence
	for _, s := range t.steps {
		switch {
		case g.Atoms()>>s.atom&1 == 0:
			continue
		case s.event == nil || s.event == ir.Tick || occurs(g, s.atom, true):
			return // local states do not tell whether time can advance
		}
		for process := range t.protocol.N {
			kind := product.Kind{Process: process, Action: actionOf(s.event)}
			letter := t.events(kind)
			i := slices.IndexFunc(list, func(o *occurrence) bool { return o.letter == letter })
			if i < 0 {
				i, list = len(list), append(list, &occurrence{letter: letter, action: kind.Action})
			}
			if !slices.Contains(list[i].processes, process) {
				list[i].processes = append(list[i].processes, process)
			}
		}
	}
	if len(list) <= maxOccurrences {
		t.always, t.occurrences = g, list
	}
}

// stops reports whether a violation of t.always refutes the property even in a system with draws.
func (t *temporal) stops() bool {
	return t != nil && t.always != nil && t.property.Temporal.Chance != ir.PositiveProbability
}

// violatedBy reports whether a letter violates t.always.
func (t *temporal) violatedBy(letter uint64) bool { return t.always.Progress(letter) == ltl.False }

// refuted reports whether the states of a class with some outcomes violate t.always, or a step from each of them does.
func (t *temporal) refuted(outcomes []outcome) (state, step bool) {
	letter, defined := t.letterOf(outcomes)
	if !defined {
		return false, false
	}
	if t.violatedBy(letter) {
		return true, false
	}
	happens := outcomes[t.bodies+len(t.predicates()):]
	for i, o := range t.occurrences {
		step = step || happens[i].value != 0 && t.violatedBy(letter|o.letter)
	}
	return false, step
}

// judgeAlways judges the LTL properties with an always, as far as the states that were found decide them. It marks
// those as safe that are not violated in any state.
func (c *checker) judgeAlways(ctx context.Context, r *Result, space *explore.Space, k *kinds) error {
	for i, t := range c.temporal {
		v := &r.Judgments[i]
		if t == nil || t.always == nil || v.EvalError != nil || r.Search.Stop == explore.ModelFailure ||
			!t.stops() && (!r.Search.Complete() || hasDraws(k.kindList())) {
			continue
		}
		w := c.firstRefutation(r, t)
		if w == nil {
			t.safe = r.Search.Complete()
			continue
		}
		if err := c.refute(ctx, v, t, space, k, w); err != nil {
			return err
		}
	}
	return nil
}

// A refutation is a shortest run that violates a property: to a state of a level, and in addition by a step if that is
// set. An event that violates the property belongs to the run.
type refutation struct {
	state  []model.Value
	level  int
	letter uint64 // of the state
	byStep bool
}

// length returns the number of steps.
func (w *refutation) length() int {
	if w.byStep {
		return w.level + 1
	}
	return w.level
}

// firstRefutation returns a shortest violation of t.always, nil if there is none.
func (c *checker) firstRefutation(r *Result, t *temporal) (first *refutation) {
	for class := range r.Search.Classes {
		seen := relevant(property.LTL, &r.Search.Classes[class])
		outcomes := c.observer.outcomes(uint32(class))
		state, step := t.refuted(outcomes)
		if seen.Count == 0 || !state && !step {
			continue
		}
		w := &refutation{state: seen.State, level: seen.Level, byStep: !state}
		w.letter, _ = t.letterOf(outcomes)
		if first == nil || w.precedes(first, c.verifier.searched()) {
			first = w
		}
	}
	return first
}

// precedes reports whether w is shorter than another one; of equally short ones the level and the order of the states
// decide.
func (w *refutation) precedes(other *refutation, sys model.System) bool {
	if c := cmp.Or(cmp.Compare(w.length(), other.length()), cmp.Compare(w.level, other.level)); c != 0 {
		return c < 0
	}
	return model.Compare(sys, w.state, other.state) < 0
}

// refute records a violation, and the run to it.
func (c *checker) refute(
	ctx context.Context, v *Judgment, t *temporal, space *explore.Space, k *kinds, w *refutation,
) error {
	v.Outcome, v.Level, v.searched, v.Prefix = Violated, w.length(), w.state, &Prefix{}
	var last *explore.Move
	if w.byStep {
		var err error
		if last, err = t.violatingStep(c.verifier.System, w); err != nil {
			return err
		}
		v.searched = last.State
	}
	v.State = c.verifier.decode(v.searched)
	if ctx.Err() != nil && !space.Result().Complete() {
		return nil // the verdict is all that there is time for
	}
	moves, err := space.Path(ctx, w.state, w.level)
	if err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	if last != nil {
		moves = append(moves, *last)
	}
	if err := t.checkPrefix(c.verifier.System, moves); err != nil {
		return err
	}
	return c.showPrefix(v, t, moves, hasDraws(k.kindList()))
}

// violatingStep returns the first step from a state that violates t.always.
func (t *temporal) violatingStep(sys model.System, w *refutation) (move *explore.Move, err error) {
	err = model.Each(sys, w.state, func(_ int, step model.Step, to []model.Value) bool {
		if t.violatedBy(w.letter | t.events(kindOf(sys.Label(step.Label)))) {
			move = &explore.Move{Step: step, State: slices.Clone(to)}
		}
		return move == nil
	})
	if move == nil {
		return nil, cmp.Or(err, errors.New("a state has no step that its class promises"))
	}
	return move, nil // the state may have other steps with a model error
}
