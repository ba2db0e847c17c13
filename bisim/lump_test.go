package bisim

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomProcess returns a process with few different targets, so that some states are equivalent. In every other one
// the weights have no common denominator below 2^63.
func randomProcess(r *rand.Rand) *Process {
	weights := []*big.Rat{big.NewRat(1, 3), big.NewRat(1, 2), big.NewRat(1, 1)}
	if r.IntN(2) == 0 {
		weights[0], weights[1] = big.NewRat(1, 1<<61-1), big.NewRat(1<<40, 1<<61-1)
		if r.IntN(2) == 0 {
			weights[0] = big.NewRat(1, 1<<31-1)
		}
	}
	p := &Process{Rows: []uint32{0}, Chain: r.IntN(2) == 0}
	n := 1 + r.IntN(12)
	class := func(t Term) uint16 {
		i := slices.IndexFunc(p.Terms, func(u Term) bool {
			return t.Weight.Cmp(u.Weight) == 0 && t.First == u.First && t.Mark == u.Mark
		})
		if i < 0 {
			i = len(p.Terms)
			p.Terms = append(p.Terms, t)
		}
		return uint16(i)
	}
	for range n {
		for range r.IntN(4) {
			first := true
			for left := big.NewRat(1, 1); left.Sign() > 0; {
				w := weights[r.IntN(3)]
				if w.Cmp(left) > 0 || len(p.To) > 100 {
					w = new(big.Rat).Set(left)
				}
				p.To = append(p.To, r.Uint32N(uint32(n)))
				p.Class = append(p.Class, class(Term{w, first, r.Uint32N(5) / 4}))
				left.Sub(left, w)
				first = false
			}
		}
		p.Rows = append(p.Rows, uint32(len(p.To)))
		p.Block = append(p.Block, r.Uint32N(5)/4)
	}
	return p
}

// naiveLump refines the partition by whole signatures, as texts with fractions, until nothing changes.
func naiveLump(p *Process, block []int) []int {
	for {
		next, known := make([]int, len(block)), map[string]int{}
		for s := range block {
			key := fmt.Sprint(block[s], naiveSignature(p, uint32(s), block))
			if _, ok := known[key]; !ok {
				known[key] = len(known)
			}
			next[s] = known[key]
		}
		if slices.Equal(block, next) {
			return next
		}
		block = next
	}
}

func naiveSignature(p *Process, s uint32, block []int) string {
	var choices []map[string]*big.Rat
	for i := p.Rows[s]; i < p.Rows[s+1]; i++ {
		t := p.Terms[p.Class[i]]
		if t.First {
			choices = append(choices, map[string]*big.Rat{})
		}
		key := fmt.Sprint(block[p.To[i]], " ", t.Mark)
		if p.Chain {
			key = fmt.Sprint(block[p.To[i]])
		}
		c := choices[len(choices)-1]
		if c[key] == nil {
			c[key] = new(big.Rat)
		}
		c[key].Add(c[key], t.Weight)
	}
	if !p.Chain {
		var texts []string
		for _, c := range choices {
			texts = append(texts, fmt.Sprint(c))
		}
		slices.Sort(texts)
		return strings.Join(slices.Compact(texts), " | ")
	}
	sum := map[string]*big.Rat{}
	for _, c := range choices {
		for key, w := range c {
			if sum[key] == nil {
				sum[key] = new(big.Rat)
			}
			sum[key].Add(sum[key], new(big.Rat).Quo(w, big.NewRat(int64(len(choices)), 1)))
		}
	}
	return fmt.Sprint(sum)
}

// TestLump: the blocks are those that naive refinement finds.
func TestLump(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	smaller, wide := 0, 0
	for n := range 3000 {
		p := randomProcess(r)
		l := &lumper{Process: p}
		if l.scale(); l.number != nil {
			wide++
		}
		var initial []int
		for _, b := range p.Block {
			initial = append(initial, int(b))
		}
		want := naiveLump(p, initial)
		blocks, err := Lump(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		pairs, left, right := map[[2]int]bool{}, map[int]bool{}, map[int]bool{}
		for s := range want {
			pairs[[2]int{want[s], int(p.Block[s])}], left[want[s]], right[int(p.Block[s])] = true, true, true
		}
		if len(pairs) != len(left) || len(pairs) != len(right) || blocks != len(right) {
			t.Fatalf("process %d: %v, want %v\n%+v", n, p.Block, want, p)
		}
		if 1 < blocks && blocks < len(want) {
			smaller++
		}
	}
	if smaller < 500 || wide < 500 {
		t.Errorf("only %d processes were lumped, and only %d had no small common denominator", smaller, wide)
	}
}
