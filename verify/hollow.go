package verify

import (
	"context"
	"slices"

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
			visit(applied(x), within)
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

// warnHollow adds warnings about the terminal properties that hold. Judge decides properties; those without a verdict
// give no warning.
func (s Subject) warnHollow(
	ctx context.Context, r *Report, judge func(Subject, []*ir.Property) ([]Verdict, error),
) error {
	if s.System == nil || !r.Search.Complete() || r.Search.Deadlocks+r.Search.EnvironmentOnly == 0 || ctx.Err() != nil {
		return nil
	}
	var empty []*ir.Property
	var of []*Verdict
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Property.Kind != ir.Terminal || v.Outcome != Holds {
			continue
		}
		for _, p := range hollow(v.Property) {
			if !slices.ContainsFunc(v.Warnings, func(w ir.Warning) bool { return w.Pos == p.Pos }) {
				empty, of = append(empty, p), append(of, v)
			}
		}
	}
	if empty == nil {
		return nil
	}
	s.Met, s.StopFirst = nil, false
	verdicts, err := judge(s, empty)
	for i, v := range verdicts {
		if v.Outcome == Holds {
			of[i].warn([]ir.Warning{{Pos: v.Property.Pos, Text: "this range is empty wherever a run ends" + silent}})
			slices.SortStableFunc(of[i].Warnings, func(x, y ir.Warning) int { return byPosition(x.Pos, y.Pos) })
		}
	}
	return err
}
