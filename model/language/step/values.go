package step

import (
	"math/big"
	"math/bits"
	"slices"

	"ringcheck/model/language/ir"
)

// A weighted value is a possible result of a draw with its probability.
type weighted struct {
	value  int64
	weight *big.Rat
}

// values returns the values of d with their probabilities, ascending or in the order of the text.
func values(d *ir.Draw, env *ir.Env) []weighted {
	switch {
	case d.Weights != nil:
		var all []weighted
		for _, x := range d.Weights {
			all = append(all, weighted{x.Value, big.NewRat(int64(x.Num), int64(x.Den))})
		}
		return all
	case d.Among != nil && d.Among.Type().Wide:
		stop(d.Pos, "%s has too many possible elements to list what can be drawn", d.Among.Type())
	case d.Among != nil:
		set := must(d.Among.Eval(env))
		switch {
		case d.Size != nil:
			return subsets(d, set, env)
		case d.Permuted:
			return permutations(d, set)
		}
		return uniform(slices.Collect(d.Among.Type().Elements(set)))
	}
	return uniform(d.Values)
}

// uniform gives values equal probabilities.
func uniform(values []int64) []weighted {
	all := make([]weighted, len(values))
	for i, v := range values {
		all[i] = weighted{v, big.NewRat(1, int64(len(values)))}
	}
	return all
}

// permutations returns the arrays of the elements of a set in any order, in lexicographic order.
func permutations(d *ir.Draw, set int64) []weighted {
	elems := slices.Collect(d.Among.Type().Elements(set))
	length, _ := d.Var.Type.Index.Size()
	if uint64(len(elems)) != length {
		from := d.Among.Type().Format(set)
		stop(d.Pos, "the permutations of %s do not fill an array of %d elements", from, length)
	}
	return uniform(slices.Collect(d.Var.Type.Permutations(elems)))
}

// maxSubsets bounds the number of subsets to draw from.
const maxSubsets = 1 << 16

// subsets returns the subsets of a set with d.Size elements, in ascending order of their masks.
func subsets(d *ir.Draw, set int64, env *ir.Env) []weighted {
	size := must(d.Size.Eval(env))
	n := int64(bits.OnesCount64(uint64(set)))
	if size < 0 || size > n {
		stop(d.Pos, "a set of %d elements has no subset of %d", n, size)
	}
	if new(big.Int).Binomial(n, size).Cmp(big.NewInt(maxSubsets)) > 0 {
		stop(d.Pos, "a set of %d elements has too many subsets of %d to draw from", n, size)
	}
	var masks []int64
	var extend func(mask, rest, left int64)
	extend = func(mask, rest, left int64) {
		if left == 0 {
			masks = append(masks, mask)
			return
		}
		for rest != 0 {
			low := rest & -rest
			rest &^= low
			extend(mask|low, rest, left-1)
		}
	}
	extend(0, set, size)
	slices.Sort(masks)
	return uniform(masks)
}

// canDraw reports whether d can give a value. It tests membership directly if the possible values are too many to list.
func canDraw(d *ir.Draw, value int64, env *ir.Env) bool {
	if d.Among == nil || !d.Among.Type().Wide || d.Permuted {
		return slices.ContainsFunc(values(d, env), func(x weighted) bool { return x.value == value })
	}
	from := env.Members(d.Among.Type(), must(d.Among.Eval(env)))
	in := func(x int32) bool { _, found := slices.BinarySearch(from, x); return found }
	if d.Size == nil {
		return value == int64(int32(value)) && in(int32(value))
	}
	size := must(d.Size.Eval(env))
	subset := env.Members(d.Var.Type, value)
	return int64(len(subset)) == size && !slices.ContainsFunc(subset, func(x int32) bool { return !in(x) })
}
