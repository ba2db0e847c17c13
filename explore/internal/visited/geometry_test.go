package visited

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// shapes draws geometries of all widths, in the sizes through which a set grows.
func shapes(t *rapid.T) geometry {
	g := newGeometry(
		uint(rapid.IntRange(8, 32).Draw(t, "left bits")),
		uint(rapid.IntRange(8, 32).Draw(t, "right bits")))
	for range rapid.IntRange(0, 12).Draw(t, "steps") {
		if next := g.next(rapid.Bool().Draw(t, "double")); next.shift+2 <= next.bitsInShard() {
			g = next
		}
	}
	return g
}

// check tests all claims about one state ID.
func check(t interface{ Fatalf(string, ...any) }, g *geometry, id uint64) (hash uint64) {
	hash = g.hash(id)
	if hash>>1>>(g.width()-1) != 0 {
		t.Fatalf("%+v: the hash %#x of state ID %#x is too wide", g, hash, id)
	}
	if back := g.id(hash); back != id {
		t.Fatalf("%+v: state ID %#x came back as %#x", g, id, back)
	}
	shard, line, remainder := g.locate(hash)
	if uint(shard) >= shards || uint(line) >= uint(g.lines) || remainder>>remainderBits != 0 {
		t.Fatalf("%+v: hash %#x is placed at shard %d, line %d, remainder %#x", g, hash, shard, line, remainder)
	}
	if back := g.hashAt(shard, line, remainder); back != hash {
		t.Fatalf("%+v: hash %#x came back as %#x", g, hash, back)
	}
	return hash
}

func TestGeometryRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := shapes(t)
		left := rapid.Uint64Range(0, 1<<g.leftBits-1).Draw(t, "left")
		right := rapid.Uint64Range(0, 1<<g.rightBits-1).Draw(t, "right")
		id := left<<32 | right
		if !g.contains(id) {
			t.Fatalf("%+v does not contain %#x", g, id)
		}
		check(t, &g, id)
	})
}

// TestGeometryExhaustive goes through all hashes of small geometries: no two state IDs have the same, every hash is
// of a state ID, and within a shard home lines and then remainders ascend.
func TestGeometryExhaustive(t *testing.T) {
	for _, bits := range [][2]uint{{5, 6}, {8, 8}, {1, 12}, {13, 2}, {7, 10}} {
		g := newGeometry(bits[0], bits[1])
		for ; g.shift+2 <= g.bitsInShard(); g = g.next(false) {
			seen := make([]bool, 1<<g.width())
			for left := range uint64(1) << g.leftBits {
				for right := range uint64(1) << g.rightBits {
					h := check(t, &g, left<<32|right)
					if seen[h] {
						t.Fatalf("%+v: hash %#x of two state IDs", g, h)
					}
					seen[h] = true
				}
			}
			monotone(t, &g)
		}
	}
}

func monotone(t *testing.T, g *geometry) {
	t.Helper()
	for h := uint64(1); h < 1<<g.width(); h++ {
		s1, l1, r1 := g.locate(h - 1)
		s2, l2, r2 := g.locate(h)
		switch {
		case s2 == s1+1 && l2 == 0 && r2 == 0:
		case s2 == s1 && l2 > l1 && r2 == 0:
		case s2 == s1 && l2 == l1 && r2 == r1+1:
		default:
			t.Fatalf("%+v: hash %#x is at %d, %d, %d and the next at %d, %d, %d", g, h-1, s1, l1, r1, s2, l2, r2)
		}
	}
}

// TestGeometryOfAllWidths: remainders fit whatever the number of bits, up to the greatest state ID.
func TestGeometryOfAllWidths(t *testing.T) {
	for left := uint(8); left <= 32; left++ {
		for right := uint(8); right <= 32; right++ {
			g := newGeometry(left, right)
			last := (uint64(1)<<left-1)<<32 | (uint64(1)<<right - 1)
			top := ^uint64(0) >> (64 - g.width())
			for range 6 {
				check(t, &g, 0)
				check(t, &g, last)
				check(t, &g, last-1)
				check(t, &g, g.id(top))
				check(t, &g, g.id(top>>1))
				check(t, &g, g.id(top-top>>1))
				if g.shift+2 >= g.bitsInShard() {
					break
				}
				g = g.next(false)
			}
		}
	}
}

// TestGrowthSteps: the number of lines grows by an eighth, a ninth, up to a fifteenth, or doubles.
func TestGrowthSteps(t *testing.T) {
	g := newGeometry(16, 16)
	for range 20 {
		small, double := g.next(false), g.next(true)
		if 8*small.lines > 9*g.lines || 15*small.lines < 16*g.lines || double.lines != 2*g.lines {
			t.Errorf("%d lines become %d, or %d if they are to double", g.lines, small.lines, double.lines)
		}
		g = small
	}
}

// TestWider: the wider geometry contains the state ID that did not fit, and all that did.
func TestWider(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := shapes(t)
		id := rapid.Uint64Range(0, 1<<64-2).Draw(t, "id")
		w := g.wider(id)
		if !w.contains(id) || w.leftBits < g.leftBits || w.rightBits < g.rightBits || w.lines < g.lines || !w.fits() {
			t.Fatalf("%+v becomes %+v for state ID %#x", g, w, id)
		}
	})
}

// TestHashSpreads: state IDs that count up, as those of a search do, fall evenly on shards and lines.
func TestHashSpreads(t *testing.T) {
	g := newGeometry(16, 16)
	for g.lines < 1<<10 {
		g = g.next(true)
	}
	const n = 1 << 20 // 16 to a line
	for name, id := range map[string]func(i uint64) uint64{
		"left":   func(i uint64) uint64 { return i>>4<<32 | i&15 },
		"right":  func(i uint64) uint64 { return i>>16<<32 | i&(1<<16-1) },
		"square": func(i uint64) uint64 { return i>>10<<32 | i&(1<<10-1) },
	} {
		count := make([]int, shards*g.lines)
		for i := range uint64(n) {
			shard, line, _ := g.locate(g.hash(id(i)))
			count[shard*g.lines+line]++
		}
		variance := 0.0
		for _, c := range count {
			variance += float64(c-16) * float64(c-16) / float64(len(count))
		}
		// Chance gives a variance of 16; the mean of 65,536 such is within a few per cent.
		if variance > 20 {
			t.Errorf("%s: the state IDs of a line have a variance of %.1f, want about 16", name, variance)
		}
	}
}

// TestInverses: the multipliers and their inverses belong together.
func TestInverses(t *testing.T) {
	one := func(a, b uint64) bool { _, lo := bits.Mul64(a, b); return lo == 1 }
	if !one(multiply1, inverse1) || !one(multiply2, inverse2) {
		t.Error("a multiplier times its inverse is not 1")
	}
}
