package verify

import (
	"fmt"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify/product"
)

// instance returns the values of binders for which an LTL property is false of a lasso: binders of the quantifiers over
// temporal formulas, and binders that the first deciding state determines.
func (c *checker) instance(t *temporal, l *product.Lasso, g *graph) ([]Binding, error) {
	x := &lassoExplainer{of: t, view: c.verifier.System.NewView(), back: len(l.Stem)}
	for _, s := range slices.Concat(l.Stem, l.Cycle) {
		state, err := g.State(s.From)
		if err != nil {
			return nil, err
		}
		x.states, x.kinds = append(x.states, c.verifier.decode(state)), append(x.kinds, s.Kind)
	}
	list := x.explain(t.property.Temporal.Formula, 0, false)
	return list, x.err
}

// instanceOfPrefix is instance for a run that violates the property however it continues. It explains the value that
// the formula would have if the run repeated its last state, with a transition that is possible there.
func (c *checker) instanceOfPrefix(t *temporal, moves []explore.Move) ([]Binding, error) {
	x := &lassoExplainer{of: t, view: c.verifier.System.NewView(), back: len(moves) - 1}
	sys := c.verifier.searched()
	if c.verifier.runQuotient() != nil { // the moves are lifted
		sys = c.verifier.runSystem()
	}
	for i, m := range moves {
		if i > 0 {
			x.kinds = append(x.kinds, kindOf(sys.Label(m.Step.Label)))
		}
		x.states = append(x.states, c.verifier.decode(m.State))
	}
	next := product.Kind{Process: environment, Action: product.Over}
	// A state with a model error has no transition that can be taken.
	_ = model.Each(sys, moves[len(moves)-1].State, func(_ int, step model.Step, _ []model.Value) bool {
		next = kindOf(sys.Label(step.Label))
		return false
	})
	x.kinds = append(x.kinds, next)
	list := x.explain(t.property.Temporal.Formula, 0, false)
	return list, x.err
}

// A lassoExplainer explains the values of formulas at the positions of a lasso, which leads from its last position back
// to an earlier one.
type lassoExplainer struct {
	of     *temporal
	view   *compile.View
	states [][]model.Value // by position
	kinds  []product.Kind  // by position: of the step from there
	back   int
	err    error // the first
}

// values returns the values of a formula by position.
func (x *lassoExplainer) values(f *ir.Formula) []bool {
	p := *x.of.property
	p.Temporal = &ir.Temporal{Formula: f}
	t, err := newTemporal(&p, x.of.protocol)
	word := make([]uint64, len(x.states))
	for i := 0; i < len(word) && err == nil; i++ {
		x.view.Show(x.states[i])
		word[i], err = t.letter(x.view, x.of.protocol)
		word[i] |= t.events(x.kinds[i])
	}
	if err != nil {
		if x.err == nil {
			x.err = fmt.Errorf("explaining a lasso: %w", err)
		}
		return make([]bool, len(word))
	}
	return t.formula.Values(word, x.back)
}

// explain returns the values of binders that decide the value that a formula has at a position.
func (x *lassoExplainer) explain(f *ir.Formula, at int, value bool) []Binding {
	return append(bindingsOf(f), x.explainParts(f, at, value)...)
}

func (x *lassoExplainer) explainParts(f *ir.Formula, at int, value bool) []Binding {
	switch f.Op {
	case ir.StateAtom:
		return x.explainState(f.State, at)
	case ir.Negation:
		return x.explain(f.X, at, !value)
	case ir.Conjunction, ir.Disjunction:
		for _, part := range []*ir.Formula{f.X, f.Y} {
			if value == (f.Op == ir.Disjunction) && x.values(part)[at] == value {
				return x.explain(part, at, value)
			}
		}
	case ir.Implication:
		if !value {
			return x.explain(f.Y, at, false)
		}
	case ir.Next:
		return x.explain(f.X, x.next(at), value)
	case ir.EventAtom, ir.TerminalAtom: // without values of binders
	case ir.Until, ir.Unless, ir.Releases: // several positions decide
	case ir.Always, ir.Eventually:
		values := x.values(f.X)
		for range len(values) {
			if value == (f.Op == ir.Eventually) && values[at] == value {
				return x.explain(f.X, at, value)
			}
			at = x.next(at)
		}
	}
	return nil
}

// next returns the next position.
func (x *lassoExplainer) next(at int) int {
	if at+1 == len(x.states) {
		return x.back
	}
	return at + 1
}

// explainState returns the values of binders that decide a predicate of states at a position.
func (x *lassoExplainer) explainState(e ir.Expr, at int) []Binding {
	x.view.Show(x.states[at])
	why, err := ExplainView(x.of.protocol, &ir.Property{Name: x.of.property.Name, Body: e}, x.view, nil)
	if err != nil {
		x.err = err
		return nil
	}
	return why.Bindings
}

// bindingsOf returns the bindings for which a part of a quantifier was written out.
func bindingsOf(f *ir.Formula) (list []Binding) {
	for _, b := range f.Bindings {
		list = append(list, bindingOf(b.Var, b.Value))
	}
	return list
}
