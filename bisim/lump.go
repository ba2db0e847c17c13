package bisim

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
	adjacency "ringcheck/internal/graph"
)

// A Process is a finite probabilistic process whose states Lump lumps. State s has the branches Rows[s] to Rows[s+1]-1;
// apart from its target, a branch is one of few Terms.
type Process struct {
	Rows  []uint32
	To    []uint32
	Class []uint16 // by branch, an index of Terms
	Terms []Term
	// Chain says that each choice of a state is equally likely, so that only the sum of all its branches matters.
	Chain bool
	// Block is the initial partition, which is refined. It is overwritten.
	Block []uint32
}

// A Term is a branch without its target.
type Term struct {
	Weight *big.Rat // the probability
	First  bool     // the first branch of its choice
	Mark   uint32   // branches with different marks are different; ignored in a Chain
}

// Lump returns the coarsest refinement of the initial partition that is a probabilistic bisimulation (Larsen and Skou
// 1991, Segala and Lynch 1995): states of one block have the same choices, where two choices are the same if they lead
// into each block with the same marks with equal probability; in a Chain, if they go to each block with equal
// probability. It returns the number of blocks, and overwrites p.Block. Nothing is rounded.
//
// The partition is refined as for transition systems, see refiner.
func Lump(ctx context.Context, p *Process) (blocks int, err error) {
	defer effort.Catch(&err)
	l := &lumper{Process: p}
	l.scale()
	f := &effort.Effort{Context: ctx}
	initial := canonical(f, p.Block, int(slices.Max(append([]uint32{0}, p.Block...)))+1)
	before := adjacency.Group(f, len(p.Block), len(p.To), func(yield func(list, element uint32)) {
		for s := range uint32(len(p.Block)) {
			f.Tick()
			for _, t := range p.To[p.Rows[s]:p.Rows[s+1]] {
				yield(t, s)
			}
		}
	})
	r := newRefiner(f, l, before, p.Block, initial.Blocks)
	r.run(func() bool { return false })
	return len(r.blocks), nil
}

// A lumper is the signer of a process. It adds up weights as integers if they have a small common denominator, and
// otherwise as fractions, which are numbered in order to be compared.
type lumper struct {
	*Process
	weight []uint64          // by term, as a multiple of the common denominator; nil if that is 2^63 or more
	factor []uint64          // of a chain, by number of choices of a state: the factor of its weights
	number map[string]uint64 // of each sum of weights, as a fraction, if there is no small common denominator

	parts          []part
	encodedChoices []lts.Edge // concatenated choices
	choices        [][]lts.Edge
}

// A part is the weight of the branches of a choice into one block with one mark.
type part struct {
	block, mark uint32
	weight      uint64
	exact       *big.Rat // replaces weight if there is no small common denominator
}

// scale makes the weights of all states comparable: in a chain a state with c choices divides its weights by c.
func (l *lumper) scale() {
	total, divisor, most := new(big.Int).SetUint64(1), uint64(1), uint64(0)
	if l.Chain {
		divisor, most = l.divisor()
	}
	for i := 0; divisor > 0 && i < len(l.Terms) && total.BitLen() <= 63; i++ {
		d := l.Terms[i].Weight.Denom()
		total.Mul(total, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, total, d)))
	}
	if divisor == 0 || new(big.Int).Mul(total, new(big.Int).SetUint64(divisor)).BitLen() > 63 {
		l.number = make(map[string]uint64)
		return
	}
	for _, t := range l.Terms {
		w := new(big.Int).Quo(total, t.Weight.Denom())
		l.weight = append(l.weight, w.Mul(w, t.Weight.Num()).Uint64())
	}
	l.factor = make([]uint64, most+1)
	for c := uint64(1); c <= most; c++ {
		l.factor[c] = divisor / c
	}
}

// divisor returns the least common multiple of the numbers of choices of the states, 0 if it is large, and the greatest
// of these numbers.
func (l *lumper) divisor() (least, most uint64) {
	least = 1
	seen := []bool{true}
	for s := range l.Block {
		c := l.choicesOf(uint32(s))
		for c >= uint64(len(seen)) {
			seen = append(seen, false)
		}
		if most = max(most, c); !seen[c] {
			seen[c] = true
			if least = least / gcd(least, c) * c; least > 1<<31 {
				return 0, most
			}
		}
	}
	return least, most
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (l *lumper) choicesOf(s uint32) uint64 {
	n := uint64(0)
	for _, c := range l.Class[l.Rows[s]:l.Rows[s+1]] {
		if l.Terms[c].First {
			n++
		}
	}
	return n
}

// includes implements signer.
func (l *lumper) includes(_, _ uint32) bool { return false }

// sign implements signer. The signature of a state is the set of its choices, each with its length; in a Chain all of
// them added up.
func (l *lumper) sign(r *refiner, s uint32, row []lts.Edge) []lts.Edge {
	if l.Chain {
		return l.chain(r.blockOf, s, row)
	}
	l.encodedChoices, l.choices = l.encodedChoices[:0], l.choices[:0]
	for i := l.Rows[s]; i < l.Rows[s+1]; {
		l.parts = l.parts[:0]
		for first := true; i < l.Rows[s+1] && (first || !l.Terms[l.Class[i]].First); i++ {
			t := &l.Terms[l.Class[i]]
			l.parts = append(l.parts, l.part(r.blockOf[l.To[i]], t.Mark, l.Class[i], 1))
			first = false
		}
		start := len(l.encodedChoices)
		l.encodedChoices = l.encode(l.encodedChoices)
		l.choices = append(l.choices, l.encodedChoices[start:])
	}
	compare := func(a, b []lts.Edge) int { return slices.CompareFunc(a, b, compareEdges) }
	slices.SortFunc(l.choices, compare)
	l.choices = slices.CompactFunc(l.choices, func(a, b []lts.Edge) bool { return compare(a, b) == 0 })
	for _, c := range l.choices {
		row = append(row, lts.Edge{To: uint32(len(c))})
		row = append(row, c...)
	}
	return row
}

func (l *lumper) chain(block []uint32, s uint32, row []lts.Edge) []lts.Edge {
	l.parts = l.parts[:0]
	choices := l.choicesOf(s)
	for i := l.Rows[s]; i < l.Rows[s+1]; i++ {
		l.parts = append(l.parts, l.part(block[l.To[i]], 0, l.Class[i], choices))
	}
	return l.encode(row)
}

// part returns the part of one branch, given its class and the number of choices that its weight is divided by.
func (l *lumper) part(block, mark uint32, class uint16, choices uint64) part {
	if l.number != nil {
		c := new(big.Rat).SetInt(new(big.Int).SetUint64(choices))
		return part{block: block, mark: mark, exact: c.Quo(l.Terms[class].Weight, c)}
	}
	w := l.weight[class]
	if l.Chain {
		w *= l.factor[choices]
	}
	return part{block: block, mark: mark, weight: w}
}

// encode adds up the parts with equal block and mark, and appends each sum as mark and block and the two halves of the
// weight.
func (l *lumper) encode(row []lts.Edge) []lts.Edge {
	slices.SortFunc(l.parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.mark, b.mark))
	})
	for i := 0; i < len(l.parts); {
		p := l.parts[i]
		for i++; i < len(l.parts) && l.parts[i].block == p.block && l.parts[i].mark == p.mark; i++ {
			p.weight += l.parts[i].weight
			if p.exact != nil {
				p.exact.Add(p.exact, l.parts[i].exact)
			}
		}
		if p.exact != nil {
			p.weight = l.numberOf(p.exact)
		}
		row = append(row, lts.Edge{Label: lts.Label(p.mark), To: p.block},
			lts.Edge{Label: lts.Label(p.weight >> 32), To: uint32(p.weight)})
	}
	return row
}

// numberOf returns the number of a fraction.
func (l *lumper) numberOf(r *big.Rat) uint64 {
	key := r.String()
	n, ok := l.number[key]
	if !ok {
		n = uint64(len(l.number))
		l.number[key] = n
	}
	return n
}
