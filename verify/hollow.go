package verify

import (
	"slices"

	"ringcheck/explore"
	"ringcheck/model/language/ir"
)

// hollow returns, for each conjunct of a terminal property that is a forall over a range that depends on the state, the
// property that this range is empty wherever a run ends: then the conjunct says nothing, even if the range has elements
// in other states. A conjunct that claims this itself is left out.
func hollow(p *ir.Property) (list []*ir.Property) {
	var visit func(e ir.Expr, within func(ir.Expr) ir.Expr)
	visit = func(e ir.Expr, within func(ir.Expr) ir.Expr) {
		switch x := e.(type) {
		case *ir.Apply:
			visit(instantiate(x), within)
		case *ir.Binary:
			if x.Op == ir.And {
				visit(x.X, within)
				visit(x.Y, within)
			}
		case *ir.Quantifier:
			around := func(body ir.Expr) ir.Expr {
				q := *x
				q.Body = body
				return within(&q)
			}
			never, claimed := x.Body.(*ir.Const)
			switch {
			case x.Op != ir.ForAll || claimed && never.Value == 0:
			case fixed(x):
				visit(x.Body, around)
			default:
				empty := &ir.Property{Kind: p.Kind, Name: p.Name, Pos: ir.PosOf(x), Body: around(truth(false))}
				list = append(list, empty)
			}
		}
	}
	visit(p.Body, func(e ir.Expr) ir.Expr { return e })
	return list
}

// hollows returns hollow of each terminal property.
func hollows(properties []*ir.Property) (list []*ir.Property) {
	for _, p := range properties {
		if p.Kind.OfEnds() && p.Size() <= maxSize {
			list = append(list, hollow(p)...)
		}
	}
	return list
}

// warnHollow adds warnings about the terminal properties that hold. The function holds is asked about those in hollows
// of all properties, by number.
func (s Verifier) warnHollow(r *Result, holds func(i int, p *ir.Property) (bool, error)) error {
	if s.System == nil || !r.Search.Complete() || r.Search.TerminalStates+r.Search.EnvironmentOnly == 0 {
		return nil
	}
	number := 0
	for i := range r.Judgments {
		v := &r.Judgments[i]
		for _, p := range hollows([]*ir.Property{v.Property}) {
			if v.Outcome == Holds {
				switch is, err := holds(number, p); {
				case err != nil:
					return err
				case is:
					v.warn([]ir.Warning{{Pos: p.Pos, Text: "this range is empty wherever a run ends" + silent}})
					slices.SortStableFunc(v.Warnings, func(x, y ir.Warning) int { return byPosition(x.Pos, y.Pos) })
				}
			}
			number++
		}
	}
	return nil
}

// atEnds reports whether a run ends only in states where expression i is true, of the expressions that the observer
// evaluates besides properties.
func (c *checker) atEnds(result *explore.Result, i int) bool {
	for class := range result.Classes {
		if result.Classes[class].Quiescent.Count > 0 {
			if o := c.observer.outcomes(uint32(class))[len(c.properties)+i]; o.err != nil || o.value == 0 {
				return false
			}
		}
	}
	return true
}
