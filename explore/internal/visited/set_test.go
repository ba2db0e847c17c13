package visited

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ringcheck/internal/test/testlevel"
)

// A reference is a plain set beside a Set, through one inserter.
type reference struct {
	set   *Set
	in    *Inserter
	plain map[uint64]bool
}

func newReference() *reference {
	s := New()
	return &reference{s, s.Inserter(), map[uint64]bool{}}
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// put puts state IDs, growing whenever it must, and compares what was added.
func (r *reference) put(t failer, ids []uint64) {
	t.Helper()
	var want, got []uint64
	for _, id := range ids {
		if !r.plain[id] {
			r.plain[id] = true
			want = append(want, id)
		}
	}
	for rest := ids; ; {
		before := len(rest)
		got, rest = r.in.Put(rest, got)
		if len(rest) == 0 {
			break
		}
		if !r.set.ShouldGrow() {
			t.Fatalf("of %d state IDs %d are left, and the set is not crowded", before, len(rest))
		}
		r.grow(t)
	}
	slices.Sort(got) // those without room come last
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("of %x\n%x were added, want\n%x", ids, got, want)
	}
}

// grow enlarges the set and compares the memory with what was foretold.
func (r *reference) grow(t failer) {
	t.Helper()
	need := r.set.Need()
	r.set.Grow(2)
	if r.set.Bytes() > need {
		t.Fatalf("the set grew to %d bytes, needing %d", r.set.Bytes(), need)
	}
}

// check compares the whole contents.
func (r *reference) check(t failer) {
	t.Helper()
	if r.set.Len() != uint64(len(r.plain)) {
		t.Fatalf("the set has %d state IDs, want %d", r.set.Len(), len(r.plain))
	}
	for id := range r.plain {
		if !r.set.Contains(id) {
			t.Fatalf("%#x was added but is not found (%+v)", id, r.set.geometry)
		}
		for _, other := range []uint64{id + 1, id ^ 1<<32, id ^ 1<<15, id ^ 1<<40} {
			if r.set.Contains(other) != r.plain[other] {
				t.Fatalf("%#x: %v, want %v (%+v)", other, !r.plain[other], r.plain[other], r.set.geometry)
			}
		}
	}
}

// TestSetAgainstPlain puts batches whose numbers grow like those of a search, or jump; lets the set grow when it
// must, when it is crowded, or for no reason.
func TestSetAgainstPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newReference()
		defer r.set.Close()
		left, right := uint64(4), uint64(4) // what halves are below
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				seed := rapid.Uint64().Draw(t, "seed")
				random := rand.New(rand.NewPCG(seed, 0))
				ids := make([]uint64, rapid.IntRange(0, 3000).Draw(t, "size"))
				for i := range ids {
					ids[i] = random.Uint64N(left)<<32 | random.Uint64N(right)
				}
				r.put(t, ids)
			},
			"left":  func(t *rapid.T) { left = min(left*rapid.Uint64Range(2, 64).Draw(t, "factor"), 1<<19) },
			"right": func(t *rapid.T) { right = min(right*rapid.Uint64Range(2, 64).Draw(t, "factor"), 1<<19) },
			"grow": func(t *rapid.T) {
				if r.set.ShouldGrow() {
					r.grow(t)
				}
			},
			"expect": func(t *rapid.T) {
				n := rapid.Uint64Range(0, 1<<20).Draw(t, "ids")
				last := rapid.Bool().Draw(t, "last")
				r.set.Expect(n, last)
				before := r.set.geometry
				if g := r.set.larger(); g.width() == before.width() && g.capacity(r.set.load) < float64(n) &&
					g.lines < 2*before.lines && r.set.needsLines() {
					t.Fatalf("%d state IDs are expected, and room is made for %.0f (%+v after %+v)", n,
						g.capacity(r.set.load), g, before)
				}
			},
			"grow early": func(t *rapid.T) {
				if r.set.geometry.lines < 1<<12 {
					r.set.full.Store(true)
					r.grow(t)
				}
			},
			"": func(t *rapid.T) {
				if r.set.Len() != uint64(len(r.plain)) {
					t.Fatalf("the set has %d state IDs, want %d", r.set.Len(), len(r.plain))
				}
			},
		})
		r.check(t)
	})
}

// TestReserve puts as many state IDs as there is room for, without growth, and then more.
func TestReserve(t *testing.T) {
	for _, c := range []struct{ ids, last uint64 }{
		{1, 0}, {1, 1<<16 - 1}, {5000, 1<<16 - 1}, {300_000, 1<<20 - 1}, {300_000, 1<<40 | 1<<20},
	} {
		r := newReference()
		need := r.set.ReservedBytes(c.ids, c.last)
		r.set.Reserve(c.ids, c.last)
		if r.set.Bytes() != need {
			t.Errorf("%+v: %d bytes, want %d", c, r.set.Bytes(), need)
		}
		ids := []uint64{c.last}
		for i := range c.ids - 1 {
			lefts := c.last>>32 + 1
			ids = append(ids, i%lefts<<32|i/lefts)
		}
		slices.Sort(ids)
		if different := len(slices.Compact(slices.Clone(ids))); different != len(ids) {
			t.Fatalf("%+v: %d different state IDs", c, different)
		}
		fresh, rest := r.set.Inserter().Put(ids, nil)
		if len(rest) > 0 || len(fresh) != len(ids) || r.set.ShouldGrow() {
			t.Errorf("%+v: %d of %d state IDs do not fit (%+v)", c, len(rest), len(ids), r.set.geometry)
		}
		for _, id := range ids {
			r.plain[id] = true
		}
		r.put(t, []uint64{c.last, 1 << 40, 1<<40 + 1<<18})
		if r.set.Len() != uint64(len(r.plain)) {
			t.Errorf("%+v: the set has %d state IDs, want %d", c, r.set.Len(), len(r.plain))
		}
		r.set.Close()
	}
}

// inShard returns n state IDs that a new set keeps in shard 5, spread over its hashes.
func inShard(n int) []uint64 {
	g := newGeometry(firstBits, firstBits)
	ids := make([]uint64, n)
	for i := range ids {
		ids[i] = g.id(5<<g.bitsInShard() | uint64(i)<<g.bitsInShard()/uint64(n))
	}
	return ids
}

// TestFullShard: Put puts what there is room for, says what is left, both in order, and goes on after Grow.
func TestFullShard(t *testing.T) {
	s := New()
	defer s.Close()
	in := s.Inserter()
	ids := inShard(3000)
	rand.New(rand.NewPCG(1, 0)).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	place := make(map[uint64]int)
	for i, id := range ids {
		place[id] = i
	}
	inOrder := func(some []uint64) bool {
		return slices.IsSortedFunc(some, func(a, b uint64) int { return place[a] - place[b] })
	}
	fresh, rest := in.Put(ids, nil)
	if len(rest) == 0 || !s.ShouldGrow() {
		t.Fatalf("3000 state IDs fitted into a shard of %d slots", len(s.shards[5].lines)*lineSlots)
	}
	all := slices.Clone(fresh)
	for rounds := 0; len(rest) > 0; rounds++ {
		if len(all)+len(rest) != len(ids) || !inOrder(fresh) || !inOrder(rest) {
			t.Fatalf("of %d state IDs %d were added and %d are left, or not in order", len(ids), len(all), len(rest))
		}
		if got := s.Len(); got != uint64(len(all)) {
			t.Fatalf("Len = %d after %d were added", got, len(all))
		}
		if slices.ContainsFunc(rest, s.Contains) || !s.Contains(all[len(all)-1]) {
			t.Fatal("removed state IDs are found, or added ones are not")
		}
		if again, left := in.Put(rest, nil); len(again) > 0 || !slices.Equal(left, rest) {
			t.Fatalf("%d more were added without growing", len(again))
		}
		s.Grow(1 + rounds)
		fresh, rest = in.Put(rest, nil)
		all = append(all, fresh...)
	}
	slices.Sort(all)
	if slices.Sort(ids); !slices.Equal(all, ids) {
		t.Errorf("%d of %d state IDs were added", len(all), len(ids))
	}
}

// TestNoRoomInALargerShard: when a set grows by a quarter, more state IDs can be at home in one line than there is room
// for in all the lines where they may be, since they were at home in two lines before. They get into a set that is
// larger still.
func TestNoRoomInALargerShard(t *testing.T) {
	s := &Set{geometry: newGeometry(manyBits, manyBits), load: maxLoad}
	s.allocate(0, shards)
	r := &reference{s, s.Inserter(), map[uint64]bool{}}
	defer s.Close()
	old, larger := s.geometry, s.geometry.next(false).next(false)
	if old.lines*shards < manyLines {
		t.Fatalf("a set of %d lines doubled its size", old.lines)
	}
	const shard, n = 3, 1800
	border := old.first(1) // is within line 1 of the larger set
	var ids []uint64
	for i := range uint64(n) {
		ids = append(ids, old.id(old.hashAt(shard, 0, 0)+border-n/2+i))
	}
	r.put(t, ids)
	if s.geometry != old {
		t.Fatalf("the set grew although %d state IDs have room on two lines", n)
	}
	if _, line, _ := larger.locate(old.hash(ids[0])); line != 1 {
		t.Fatalf("the home of the state IDs is line %d", line)
	}
	s.full.Store(true)
	s.Grow(2)
	r.check(t)
	if s.geometry.lines <= larger.lines {
		t.Errorf("the set did not grow for %d state IDs with one home line", n)
	}
}

// TestLinesApart: a line and the distance from home give back the home line.
func TestLinesApart(t *testing.T) {
	for n := leastScale; n < 5000; n += 1 + n/3 {
		sh := shard{lines: make([]line, n)}
		for line := range n {
			for distance := range maxDistance + 1 {
				at := sh.at(line, distance)
				if back := homeLine(n, at, uint32(distance+1)<<remainderBits|5); at < 0 || at >= n || back != line {
					t.Fatalf("line %d of %d, at distance %d from line %d, is at home in %d", at, n, distance, line,
						back)
				}
			}
		}
	}
}

// TestFullAndTooNarrow: a set that is short of lines when it must be widened gets both.
func TestFullAndTooNarrow(t *testing.T) {
	r := newReference()
	defer r.set.Close()
	r.put(t, append(inShard(1500), 1<<50|3, 1<<20))
	r.check(t)
}

// TestGreatestRoots: the halves use all their 32 bits. Such a set would be too large to be made; it says so.
func TestGreatestIDs(t *testing.T) {
	const greatest = (1<<32-1)<<32 | (1<<32 - 2)
	s := New()
	defer s.Close()
	in := s.Inserter()
	fresh, rest := in.Put([]uint64{7, greatest, 8}, nil)
	if !slices.Equal(fresh, []uint64{7}) || !slices.Equal(rest, []uint64{greatest, 8}) {
		t.Errorf("%x were added and %x were returned", fresh, rest)
	}
	if s.Contains(greatest) || !s.Contains(7) || s.Contains(8) {
		t.Error("the set does not hold what was added")
	}
	if need := s.Need(); !s.ShouldGrow() || need < 1<<40 {
		t.Errorf("for the greatest state IDs the set needs %d bytes", need)
	}
}

// TestWidenTwice: halves outgrow what a set was widened for.
func TestWidenTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 256 MB")
	}
	r := newReference()
	defer r.set.Close()
	var ids []uint64
	for i := range uint64(5000) {
		ids = append(ids, i<<32|1<<17, (1<<23-1-i*i/8)<<32|i%4, i<<32)
	}
	r.put(t, ids)
	r.check(t)
	if g := r.set.geometry; g.leftBits <= manyBits {
		t.Errorf("state IDs of 23 and 18 bits are kept in a set of %d and %d", g.leftBits, g.rightBits)
	}
}

// TestFinder: every state ID has a slot of its own.
func TestFinder(t *testing.T) {
	r := newReference()
	defer r.set.Close()
	var ids []uint64
	for i := range uint64(20_000) {
		ids = append(ids, i/100<<32|i%100)
	}
	r.put(t, ids)
	slots := r.set.Finder().Find(ids, nil)
	owner := map[uint64]uint64{}
	for i, slot := range slots {
		if other, taken := owner[slot]; taken || slot >= r.set.Slots() {
			t.Fatalf("slot %d of %d for %#x; taken by %#x: %v", slot, r.set.Slots(), ids[i], other, taken)
		}
		owner[slot] = ids[i]
	}
}

// TestBytesPerRoot: a large set takes 10 bytes a state ID or less, a very large one 7.5.
func TestBytesPerID(t *testing.T) {
	if !testlevel.Gate() {
		t.Skip("puts 14 million state IDs")
	}
	s := New()
	defer s.Close()
	in := s.Inserter()
	var fresh, rest []uint64
	batch := make([]uint64, 1<<12)
	const n = 14_000_000
	for i := uint64(0); i < n; i += uint64(len(batch)) {
		for j := range batch {
			k := i + uint64(j)
			batch[j] = k>>11<<32 | k&(1<<11-1)
		}
		for rest = batch; len(rest) > 0 || s.ShouldGrow(); {
			s.Grow(2)
			fresh, rest = in.Put(rest, fresh[:0])
		}
		perID, limit := float64(s.Bytes())/float64(s.Len()), 10.1
		switch {
		case s.Len() < 6_800_000:
			continue // the least size of a set with wide halves
		case s.Len() > 13_600_000:
			limit = 7.6
		}
		if perID > limit {
			t.Fatalf("%.2f bytes for each of %d state IDs", perID, s.Len())
		}
	}
	if s.Len() < n {
		t.Errorf("%d state IDs, want %d at least", s.Len(), n)
	}
}

func TestPutAllocatesNothing(t *testing.T) {
	s := New()
	defer s.Close()
	in := s.Inserter()
	ids := inShard(500)
	fresh := make([]uint64, 0, len(ids))
	put := func() { fresh, _ = in.Put(ids, fresh[:0]) }
	put()
	if n := testing.AllocsPerRun(100, put); n != 0 {
		t.Errorf("%v allocations to put a batch", n)
	}
}
