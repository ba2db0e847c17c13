package visited

import "math/bits"

const (
	shardBits = 6
	shards    = 1 << shardBits

	lineSlots = 16 // slots of 4 bytes in a cache line

	remainderBits = 26
	// maxDistance is the largest distance from the home line, see shard.at. A slot holds distance+1 above the
	// remainder, so no filled slot is 0.
	maxDistance = 62
)

// A geometry maps state IDs to shards, lines and remainders.
type geometry struct {
	leftBits, rightBits uint   // widths of the two halves of a state ID
	lines               int    // per shard: scale << shift
	scale               uint64 // at least leastScale and below twice that
	shift               uint
	inverse             uint64 // of scale, see first
}

// width returns the number of bits of a hash.
func (g *geometry) width() uint { return g.leftBits + g.rightBits }

// bitsInShard returns the number of bits of a hash that do not select the shard.
func (g *geometry) bitsInShard() uint { return g.width() - shardBits }

func newGeometry(leftBits, rightBits uint) geometry {
	g := geometry{leftBits: leftBits, rightBits: rightBits}
	g = g.withLines(leastScale, min(leastShift, leftBits+rightBits-shardBits))
	for !g.fits() {
		g = g.next(true)
	}
	return g
}

// withLines returns the geometry with another number of lines.
func (g geometry) withLines(scale uint64, shift uint) geometry {
	g.scale, g.shift = scale, shift
	g.lines = int(scale) << shift
	g.inverse, _ = bits.Div64(4, scale-1, scale)
	return g
}

// fits reports whether every remainder has at most remainderBits bits.
func (g *geometry) fits() bool {
	return (1<<(g.bitsInShard()-g.shift)+g.scale-1)/g.scale <= 1<<remainderBits
}

// A shard has leastScale possible sizes per doubling and at least leastScale << leastShift lines.
const (
	leastScale = 8
	leastShift = 3
)

// next returns the geometry with the next larger number of lines, 8 to 15 times a power of two, or with twice the lines
// if double is set.
func (g geometry) next(double bool) geometry {
	switch {
	case double:
		return g.withLines(g.scale, g.shift+1)
	case g.scale+1 < 2*leastScale:
		return g.withLines(g.scale+1, g.shift)
	}
	return g.withLines(leastScale, g.shift+1)
}

// contains reports whether both halves of a state ID fit into their widths.
func (g *geometry) contains(id uint64) bool {
	return id>>32>>(g.leftBits&63)|id&(1<<32-1)>>(g.rightBits&63) == 0
}

// Multipliers of the bijection, from SplitMix64, and their inverses modulo 2^64 (and so modulo any 2^w).
const (
	multiply1 = 0xbf58476d1ce4e5b9
	multiply2 = 0x94d049bb133111eb
	inverse1  = 0x96de1b173f119089
	inverse2  = 0x319642b2d24d8ec3
)

// hash is a bijection from state IDs to numbers of width bits. XORing a number with itself shifted by at least half the
// width is its own inverse.
func (g *geometry) hash(id uint64) uint64 {
	w := g.width()
	half, mask := (w+1)/2&63, ^uint64(0)>>((64-w)&63) // &63 saves a comparison per shift
	x := id>>32<<(g.rightBits&63) | id&(1<<32-1)
	x ^= x >> half
	x = x * multiply1 & mask
	x ^= x >> half
	x = x * multiply2 & mask
	return x ^ x>>half
}

// id is the inverse of hash.
func (g *geometry) id(hash uint64) uint64 {
	w := g.width()
	half, mask := (w+1)/2, ^uint64(0)>>(64-w)
	x := hash ^ hash>>half
	x = x * inverse2 & mask
	x ^= x >> half
	x = x * inverse1 & mask
	x ^= x >> half
	return x>>g.rightBits<<32 | x&(1<<g.rightBits-1)
}

// locate splits a hash into shard, home line and remainder.
func (g *geometry) locate(hash uint64) (shard, line int, remainder uint32) {
	rest := g.bitsInShard() & 63
	h := hash & (1<<rest - 1)
	line = int(h * g.scale >> ((rest - g.shift) & 63))
	return int(hash >> rest), line, uint32(h - g.first(line))
}

// first returns the least hash, without its shard, whose home line is line: line<<s / scale, rounded up. Instead of
// dividing it multiplies by inverse = (2^66 + e) / scale, where e < scale < 16. So n * inverse exceeds n / scale * 2^66
// by less than n * 16 / scale, which is less than 2^66 / scale since n < 2^62: rounding down gives the same quotient.
func (g *geometry) first(line int) uint64 {
	n := uint64(line)<<((g.bitsInShard()-g.shift)&63) + g.scale - 1
	q, _ := bits.Mul64(n, g.inverse)
	return q >> 2
}

// hashAt is the inverse of locate.
func (g *geometry) hashAt(shard, line int, remainder uint32) uint64 {
	return uint64(shard)<<g.bitsInShard() | (g.first(line) + uint64(remainder))
}
