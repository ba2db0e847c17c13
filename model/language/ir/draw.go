package ir

import (
	"math/big"
	"math/bits"
	"slices"
)

// Support returns the values that d can give, with their probabilities, ascending or in the order of the text. The
// error is an *Error: there are too many, for example.
func (d *Draw) Support(env *Env) ([]Weighted, error) {
	switch {
	case d.Weights != nil:
		return d.Weights, nil
	case d.Among != nil && d.Among.Type().Wide:
		return nil, errorAt(d.Pos, "%s has too many possible elements to list what can be drawn", d.Among.Type())
	case d.Among != nil:
		set, err := d.Among.Eval(env)
		if err != nil {
			return nil, err
		}
		if d.Size != nil {
			return d.subsets(set, env)
		}
		return uniform(slices.Collect(d.Among.Type().Elements(set))), nil
	}
	return uniform(d.Values), nil
}

// uniform gives values equal probabilities.
func uniform(values []int64) []Weighted {
	all := make([]Weighted, len(values))
	for i, v := range values {
		all[i] = Weighted{Value: v, Num: 1, Den: uint32(len(values))}
	}
	return all
}

// maxSubsets bounds the number of subsets to draw from.
const maxSubsets = 1 << 16

// subsets returns the subsets of a set with Size elements, in ascending order of their masks.
func (d *Draw) subsets(set int64, env *Env) ([]Weighted, error) {
	size, err := d.Size.Eval(env)
	if err != nil {
		return nil, err
	}
	n := int64(bits.OnesCount64(uint64(set)))
	if size < 0 || size > n {
		return nil, errorAt(d.Pos, "a set of %d elements has no subset of %d", n, size)
	}
	if new(big.Int).Binomial(n, size).Cmp(big.NewInt(maxSubsets)) > 0 {
		return nil, errorAt(d.Pos, "a set of %d elements has too many subsets of %d to draw from", n, size)
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
	return uniform(masks), nil
}
