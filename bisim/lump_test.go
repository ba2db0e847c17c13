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

// randomProcess returns a process with few different targets, so that some states are equivalent.
func randomProcess(r *rand.Rand) *Process {
	const total = 12
	p := &Process{Rows: []uint32{0}, Total: total, Chain: r.IntN(2) == 0}
	n := 1 + r.IntN(12)
	class := func(t Term) uint16 {
		i := slices.Index(p.Terms, t)
		if i < 0 {
			i = len(p.Terms)
			p.Terms = append(p.Terms, t)
		}
		return uint16(i)
	}
	for range n {
		for range r.IntN(4) {
			first := true
			for left := uint64(total); left > 0; {
				w := min(left, []uint64{4, 6, 12}[r.IntN(3)])
				p.To = append(p.To, r.Uint32N(uint32(n)))
				p.Class = append(p.Class, class(Term{w, first, r.Uint32N(5) / 4}))
				left -= w
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
		c[key].Add(c[key], big.NewRat(int64(t.Weight), int64(p.Total)))
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
	smaller := 0
	for n := range 3000 {
		p := randomProcess(r)
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
	if smaller < 500 {
		t.Errorf("only %d processes were lumped", smaller)
	}
}

func TestLumpWeights(t *testing.T) {
	p := &Process{Rows: []uint32{0, 1}, To: []uint32{0}, Class: []uint16{0}, Terms: []Term{{1 << 63, true, 0}},
		Total: 1<<63 + 1, Block: []uint32{0}}
	if _, err := Lump(context.Background(), p); err != ErrWeights {
		t.Errorf("error %v", err)
	}
}
