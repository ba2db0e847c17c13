package symbolic

import (
	"math/big"
	"math/bits"
)

// naturals are numbers of a fixed number of 64-bit words, the lowest first, in one array.
type naturals struct {
	width int
	words []uint64
}

// add appends the number 0 and returns its index.
func (n *naturals) add() uint32 {
	i := len(n.words) / n.width
	n.words = append(n.words, make([]uint64, n.width)...)
	return uint32(i)
}

// at returns number i. It is valid until the next add.
func (n *naturals) at(i uint32) []uint64 { return n.words[int(i)*n.width:][:n.width:n.width] }

// increase adds factor times x to sum, which is at most as wide and does not overflow.
func increase(sum, x []uint64, factor uint64) {
	var carry uint64
	for i := range sum {
		hi, lo := bits.Mul64(x[i], factor)
		lo, c := bits.Add64(lo, carry, 0)
		hi += c
		sum[i], c = bits.Add64(sum[i], lo, 0)
		carry = hi + c
	}
}

// bigInt returns the number that x is.
func bigInt(x []uint64) *big.Int {
	n := new(big.Int)
	for i := len(x) - 1; i >= 0; i-- {
		n.Lsh(n, 64)
		n.Or(n, new(big.Int).SetUint64(x[i]))
	}
	return n
}
