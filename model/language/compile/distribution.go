package compile

import (
	"fmt"
	"math/big"
	"slices"

	"ringcheck/model"
)

// A move is what a transition does to its process, and what it sends.
type move struct {
	action  uint32
	next    model.Value
	choice  uint32 // numbers the distributions of a list of moves
	weight  model.Weight
	port    int64 // of a send: the target
	message uint32
	place   string // of a send: for faults
}

// A distribution is an alternative: the outcomes of the draws that lead to an action, with probabilities that
// add up to 1; one outcome if nothing was drawn.
type distribution []outcome

type outcome struct {
	move
	probability *big.Rat
}

// same reports whether two outcomes are the same transition: what is sent is part of the action.
func (o outcome) same(p outcome) bool { return o.action == p.action && o.next == p.next }

// scaled returns the outcomes of d with their probabilities multiplied by weight.
func (d distribution) scaled(weight *big.Rat) distribution {
	scaled := slices.Clone(d)
	for i := range scaled {
		scaled[i].probability = new(big.Rat).Mul(d[i].probability, weight)
	}
	return scaled
}

// merged adds up the probabilities of outcomes that are the same.
func (d distribution) merged() distribution {
	var set distribution
	for _, o := range d {
		i := slices.IndexFunc(set, o.same)
		if i < 0 {
			set = append(set, o)
			continue
		}
		set[i].probability = new(big.Rat).Add(set[i].probability, o.probability)
	}
	return set
}

// equal reports whether two merged distributions are the same but for their order.
func (d distribution) equal(e distribution) bool {
	return len(d) == len(e) && !slices.ContainsFunc(d, func(o outcome) bool {
		i := slices.IndexFunc(e, o.same)
		return i < 0 || e[i].probability.Cmp(o.probability) != 0
	})
}

// distinct returns the different ones of some distributions, in their order.
func distinct(all []distribution) []distribution {
	var set []distribution
	for _, d := range all {
		d = d.merged()
		if !slices.ContainsFunc(set, d.equal) {
			set = append(set, d)
		}
	}
	return set
}

// moves appends the outcomes of d to a list, as its next choice.
func (d distribution) moves(list []move) ([]move, error) {
	choice := choices(list)
	for _, o := range d {
		num, den := o.probability.Num(), o.probability.Denom()
		if den.BitLen() > 32 {
			return nil, fmt.Errorf("the probability %s does not fit in two numbers of 32 bits", o.probability)
		}
		o.choice = choice
		o.weight = model.Weight{Num: uint32(num.Uint64()), Den: uint32(den.Uint64())}
		list = append(list, o.move)
	}
	return list, nil
}

// choices returns how many choices there are in a list.
func choices(list []move) uint32 {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].choice + 1
}
