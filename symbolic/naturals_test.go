package symbolic

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestIncrease compares with package big.
func TestIncrease(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	limit := new(big.Int).Lsh(big.NewInt(1), 256)
	for range 10_000 {
		n := naturals{width: 4}
		sum, x := n.add(), n.add()
		want := new(big.Int)
		for i := range 3 { // so that nothing overflows at first
			n.at(sum)[i], n.at(x)[i] = r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64)
		}
		factor := r.Uint64() >> r.IntN(64)
		want.Mul(bigInt(n.at(x)), new(big.Int).SetUint64(factor))
		want.Add(want, bigInt(n.at(sum)))
		increase(n.at(sum), n.at(x), factor)
		if got := bigInt(n.at(sum)); want.Cmp(limit) < 0 && got.Cmp(want) != 0 {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
