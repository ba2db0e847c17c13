package visited

import "math/bits"

const (
	shardBits = 6
	shards    = 1 << shardBits

	lineSlots = 16 // of 4 bytes in a cache line

	remainderBits = 26
	maxDistance   = 62 // in lines; distance+1 is kept above the remainder, so that no stored slot is 0

	// overflow is the number of lines behind the last home line of a shard.
	overflow = maxDistance
)

// A geometry says how state IDs map to shards, lines and remainders.
type geometry struct {
	leftBits, rightBits uint   // of the two halves of a state ID
	lines               int    // home lines of a shard: scale << shift
	scale               uint64 // from leastScale up to twice that
	shift               uint
}

// width returns the number of bits of a hash.
func (g *geometry) width() uint { return g.leftBits + g.rightBits }

// rest returns the number of bits of a hash below those that choose the shard.
func (g *geometry) rest() uint { return g.width() - shardBits }

func newGeometry(leftBits, rightBits uint) geometry {
	g := geometry{leftBits: leftBits, rightBits: rightBits, scale: leastScale}
	for !g.fits() {
		g.shift++
	}
	g.lines = int(g.scale) << g.shift
	return g
}

// fits reports whether every remainder has at most remainderBits bits.
func (g *geometry) fits() bool {
	return bits.Len64((1<<(g.rest()-g.shift)+g.scale-1)/g.scale) <= remainderBits
}

// leastScale is how many sizes there are between a number of lines and its double.
const leastScale = 4

// next returns the geometry with the next larger number of lines: 4, 5, 6 or 7 times a power of two, or, if that is
// to double, the same times the next power.
func (g geometry) next(double bool) geometry {
	switch {
	case double:
		g.shift++
	case g.scale+1 < 2*leastScale:
		g.scale++
	default:
		g.scale, g.shift = leastScale, g.shift+1
	}
	g.lines = int(g.scale) << g.shift
	return g
}

// contains reports whether a state ID has bits enough in g.
func (g *geometry) contains(id uint64) bool {
	return id>>32>>g.leftBits == 0 && id&(1<<32-1)>>g.rightBits == 0
}

// Multipliers of the bijection, from SplitMix64, and their inverses modulo 2^64 (and so modulo any 2^w).
const (
	multiply1 = 0xbf58476d1ce4e5b9
	multiply2 = 0x94d049bb133111eb
	inverse1  = 0x96de1b173f119089
	inverse2  = 0x319642b2d24d8ec3
)

// hash maps state IDs one to one to the numbers of width bits. A shift by at least half the width, exclusive-ored
// to a number, undoes itself.
func (g *geometry) hash(id uint64) uint64 {
	w := g.width()
	half, mask := (w+1)/2, ^uint64(0)>>(64-w)
	x := id>>32<<g.rightBits | id&(1<<32-1)
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

// place divides a hash into shard, home line and remainder.
func (g *geometry) place(hash uint64) (shard, line int, remainder uint32) {
	h := hash & (1<<g.rest() - 1)
	s := g.rest() - g.shift
	line = int(h * g.scale >> s)
	return int(hash >> g.rest()), line, uint32(h - g.first(line))
}

// first returns the least hash, but for its shard, whose home is line: line<<s / scale, rounded up. Division by
// a constant is a multiplication.
func (g *geometry) first(line int) uint64 {
	h := uint64(line) << (g.rest() - g.shift)
	switch g.scale {
	case 5:
		return (h + 4) / 5
	case 6:
		return (h + 5) / 6
	case 7:
		return (h + 6) / 7
	}
	return h / 4
}

// hashAt is the inverse of place.
func (g *geometry) hashAt(shard, line int, remainder uint32) uint64 {
	return uint64(shard)<<g.rest() | (g.first(line) + uint64(remainder))
}
