package symmetry

import (
	"maps"
	"slices"

	"ringcheck/model/language/ir"
)

// A renaming exists if an exchange of directions changes only names in the text of a spec, and the order of things
// without an order. It maps local states: a control point with values of variables becomes another control point with
// values of other variables. Names that it does not mention remain.
type renaming struct {
	points    map[*ir.Point]*ir.Point
	equations map[*ir.Equation]*ir.Equation
	vars      map[*ir.Var]*ir.Var
}

// renamings has the renaming for every exchange of directions.
type renamings map[string]*renaming

// has reports whether the exchange of directions of a permutation has a renaming.
func (all renamings) has(p permutation) bool { return p.directions == "" || all[p.directions] != nil }

// imageIn returns the image of x, which is x itself if names has none.
func imageIn[T comparable](names map[T]T, x T) T {
	if to, ok := names[x]; ok {
		return to
	}
	return x
}

// local returns the image of a local state with the images of values. The renaming may be nil: the identity.
func (r *renaming) local(l ir.Local) ir.Local {
	if r == nil {
		return l
	}
	to := ir.Local{Point: imageIn(r.points, l.Point), Env: make([]int64, len(l.Env))}
	for i, v := range l.Point.Live {
		to.Env[slices.Index(to.Point.Live, imageIn(r.vars, v))] = l.Env[i]
	}
	return to
}

// orbits returns the least control point and the least variable to which renamings map each of them, by their IDs.
func (all renamings) orbits(p *ir.Protocol) (points, vars []int) {
	points, vars = make([]int, len(p.Points)), make([]int, p.EnvSize)
	for i := range points {
		points[i] = i
	}
	for i := range vars {
		vars[i] = i
	}
	for _, r := range all {
		for from, to := range r.points {
			if from.ID >= 0 {
				points[from.ID] = min(points[from.ID], to.ID)
			}
		}
		for from, to := range r.vars {
			vars[from.ID] = min(vars[from.ID], to.ID)
		}
	}
	return points, vars
}

// closed reports whether the renamings compose as the exchanges do, and the products of exchanges have one.
func (all renamings) closed() bool {
	for p, first := range all {
		for q, second := range all {
			product := permutation{directions: p}.then(permutation{directions: q})
			both, ok := all[product.directions]
			if product.directions == "" {
				both, ok = &renaming{}, true
			}
			if !ok || !composes(first.points, second.points, both.points) ||
				!composes(first.equations, second.equations, both.equations) ||
				!composes(first.vars, second.vars, both.vars) {
				return false
			}
		}
	}
	return true
}

// composes reports whether first, followed by second, is equal to both.
func composes[T comparable](first, second, both map[T]T) bool {
	for _, names := range []map[T]T{first, second, both} {
		for x := range names {
			if imageIn(second, imageIn(first, x)) != imageIn(both, x) {
				return false
			}
		}
	}
	return true
}

// renamingsOf returns the renamings of a protocol for a set of exchanges that is closed under products, or for a subset
// of them; and why it has not all of them.
func renamingsOf(p *ir.Protocol, exchanges []permutation) (all renamings, breaks []Break) {
	all = make(renamings)
	for _, e := range exchanges {
		m := newMatching(p, e)
		if m.behaviour() {
			all[e.directions] = &m.renaming
		} else if !slices.ContainsFunc(breaks, func(b Break) bool { return b.Pos == m.why.Pos }) {
			breaks = append(breaks, m.why)
		}
	}
	if all.closed() {
		return all, breaks
	}
	for _, d := range slices.Sorted(maps.Keys(all)) {
		if one := (renamings{d: all[d]}); one.closed() {
			return one, breaks
		}
	}
	return nil, breaks
}
