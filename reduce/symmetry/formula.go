package symmetry

import (
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
)

// A formula "forall p in node: f" is true of all runs if f is, for each process p. An automorphism maps the runs that
// violate f for one process to the runs that violate f for another process. So it suffices to check f for one process
// of each orbit, under the permutations that do not move this process.
//
// The same is true of a quantifier inside a formula C if C[f and g] is C[f] and C[g], and if no other part of C changes
// its value. Within f, only the permutations that do not move p remain.

// A side says how a formula enters the value of the property around it.
type side int

// The sides.
const (
	inner    side = iota // neither of the following is known
	positive             // the property around a conjunction is the conjunction of the properties around its operands
	negative             // so it is around a disjunction
)

// isFamily reports whether a formula on a side is written out from a quantifier over processes that means one property
// for each process.
func isFamily(f *ir.Formula, s side) bool {
	q := f.Quantifier
	return q != nil && q.Var.Type.Kind == ir.Node && (q.All && s == positive || !q.All && s == negative)
}

// operands returns the sides of the operands of a formula.
func (s side) operands(op ir.Operator) (x, y side) {
	if s == inner {
		return inner, inner
	}
	of := func(want side) side { // the operand is on the same side, if that is the one where op distributes
		if s == want {
			return s
		}
		return inner
	}
	switch op {
	case ir.Negation:
		return s.opposite(), inner
	case ir.Conjunction, ir.Disjunction:
		return s, s
	case ir.Implication:
		return s.opposite(), s
	case ir.Next:
		return s, inner
	case ir.Always:
		return of(positive), inner
	case ir.Eventually:
		return of(negative), inner
	case ir.Until, ir.Unless:
		return of(positive), of(negative)
	case ir.Releases:
		return of(negative), of(positive)
	case ir.StateAtom, ir.EventAtom, ir.TerminalAtom:
	}
	return inner, inner
}

func (s side) opposite() side {
	switch s {
	case positive:
		return negative
	case negative:
		return positive
	case inner:
	}
	return inner
}

// formula notes what permutations must satisfy so that they map the meaning of a formula to its meaning, and the
// property for one process to the property for another one. Around returns an expression within the quantifiers around
// the formula.
func (d *effects) formula(f *ir.Formula, s side, around func(ir.Expr) ir.Expr) {
	switch {
	case f == nil:
	case isFamily(f, s):
		q := f.Quantifier
		d.formula(q.Body, s, func(e ir.Expr) ir.Expr {
			bound := func(v int64) ir.Expr { return &ir.Const{T: q.Var.Type, Value: v} }
			return around(&ir.Quantifier{Op: ir.ForAll, Var: q.Var, Lo: bound(q.Lo), Hi: bound(q.Hi), Body: e,
				T: ir.BoolType(), Pos: f.Pos})
		})
	case f.Op == ir.StateAtom:
		d.value(around(f.State), f.Pos)
	case f.Op == ir.EventAtom && f.Process != nil:
		d.actor(f, around)
	default:
		x, y := s.operands(f.Op)
		d.formula(f.X, x, around)
		d.formula(f.Y, y, around)
	}
}

// actor notes what permutations must satisfy so that an event of a process remains one of it.
func (d *effects) actor(f *ir.Formula, around func(ir.Expr) ir.Expr) {
	switch f.Process.(type) {
	case *ir.Const, *ir.VarRef:
		all := ir.NodeType(d.protocol.N)
		other := &ir.Var{Name: "other", Type: all}
		d.needs(around(&ir.Quantifier{
			Op: ir.ForAll, Var: other, Lo: &ir.Const{T: all}, Hi: &ir.Const{T: all, Value: int64(d.protocol.N) - 1},
			Body: &ir.Binary{Op: ir.Eq, X: &ir.VarRef{Var: other}, Y: f.Process, T: ir.BoolType()},
			T:    ir.BoolType(), Pos: f.Pos,
		}), plain, f.Pos)
	default:
		d.breaks(f.Pos, "it is about an event of a process that a state names")
	}
}

// unquantified returns an expression without a quantifier around it.
func unquantified(e ir.Expr) ir.Expr { return e }

// stabiliser returns the subgroup that does not move a process.
func (g *group) stabiliser(p int64) *group {
	return newGroup(g.elements, g.renamings, func(e permutation) bool { return int64(e.processes[p]) == p })
}

// A representation replaces quantifiers over processes by the first process of each orbit.
type representation struct {
	fixed []int64 // the processes that must not move
}

// formula returns a formula with the verdict of f under a subgroup, and this subgroup.
func (r *representation) formula(f *ir.Formula, s side, g *group) (*ir.Formula, *group) {
	if f == nil || s == inner || f.Op < ir.Negation && !isFamily(f, s) {
		return f, g
	}
	if isFamily(f, s) {
		return r.family(f, s, g)
	}
	x, y := s.operands(f.Op)
	of := *f
	of.Quantifier = nil
	var left, right *group
	of.X, left = r.formula(f.X, x, g)
	if f.Op == ir.Conjunction && s == positive || f.Op == ir.Disjunction && s == negative {
		of.Y, right = r.formula(f.Y, y, g) // two properties
		return &of, left.intersection(right)
	}
	of.Y, right = r.formula(f.Y, y, left)
	return &of, right
}

func (r *representation) family(f *ir.Formula, s side, g *group) (*ir.Formula, *group) {
	op := ir.Conjunction
	if s == negative {
		op = ir.Disjunction
	}
	var all *ir.Formula
	remaining := g
	for p := f.Quantifier.Hi; p >= f.Quantifier.Lo; p-- {
		if int64(g.orbits[p]) != p {
			continue
		}
		if g.moves(p) {
			r.fixed = append(r.fixed, p)
		}
		one, left := r.formula(f.Quantifier.For(p), s, g.stabiliser(p))
		remaining = remaining.intersection(left)
		if all == nil {
			all = one
		} else {
			all = &ir.Formula{Op: op, X: one, Y: all, Pos: f.Pos}
		}
	}
	return all, remaining
}

// intersection returns the permutations in both of two subgroups of a group.
func (g *group) intersection(h *group) *group {
	if g == h {
		return g
	}
	in := make(map[permutation]bool)
	for _, e := range h.elements {
		in[e] = true
	}
	return newGroup(g.elements, g.renamings, func(e permutation) bool { return in[e] })
}

// represent replaces formulas by those for one process of each orbit, and restricts the group to the permutations under
// which their verdicts are the same.
func (f *finding) represent(invariant []Invariant) {
	f.formulas = make(map[*ir.Formula]*ir.Formula)
	all := f.group
	for _, i := range invariant {
		d := &effects{protocol: f.sys.Protocol(), group: all}
		if d.formula(i.Formula, positive, unquantified); i.Formula == nil || len(d.requirements) > 0 {
			continue
		}
		r := &representation{}
		one, left := r.formula(i.Formula, positive, all)
		f.formulas[i.Formula] = one
		f.group = f.group.intersection(left)
		slices.Sort(r.fixed)
		for _, p := range slices.Compact(r.fixed) {
			text := "and so for all that permutations exchange with it"
			if f.group.trivial() {
				text = "and no permutation is left that does not move it"
			}
			f.breaks = append(f.breaks, Break{i.Pos, fmt.Sprintf("%s is decided for process %d, %s", i.Text, p, text)})
		}
	}
}
