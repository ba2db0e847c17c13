package ir

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/model/language/topology"
)

func setOf(t *testing.T, elem *Type) *Type {
	t.Helper()
	s, err := SetType(elem)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func arrayOf(t *testing.T, index, elem *Type) *Type {
	t.Helper()
	a, err := ArrayType(index, elem)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTypes(t *testing.T) {
	for _, tt := range []struct {
		typ    *Type
		name   string
		values []string
	}{
		{AbsentType(), "absent", []string{"-"}},
		{BoolType(), "bool", []string{"false", "true"}},
		{DirType(topology.Sides), "dir", []string{"left", "right"}},
		{IntType(-1, 1), "-1..1", []string{"-1", "0", "1"}},
		{NodeType(3), "0..2", []string{"0", "1", "2"}},
		{EnumType("a", "b"), "a | b", []string{"a", "b"}},
		{setOf(t, IntType(2, 4)), "set of 2..4", []string{"{}", "{2}", "{3}", "{2,3}", "{4}", "{2,4}", "{3,4}",
			"{2,3,4}"}},
		{setOf(t, DirType(topology.Sides)), "set of dir", []string{"{}", "{left}", "{right}", "{left,right}"}},
		{arrayOf(t, IntType(5, 6), IntType(1, 3)), "array 5..6 of 1..3",
			[]string{"[1,1]", "[2,1]", "[3,1]", "[1,2]", "[2,2]", "[3,2]", "[1,3]", "[2,3]", "[3,3]"}},
		{arrayOf(t, IntType(0, 0), setOf(t, BoolType())), "array 0..0 of set of bool", []string{"[{}]", "[{false}]",
			"[{true}]", "[{false,true}]"}},
		{arrayOf(t, IntType(0, 2), IntType(7, 7)), "array 0..2 of 7..7", []string{"[7,7,7]"}},
	} {
		var formatted []string
		var values []int64
		for v := range tt.typ.Values() {
			values = append(values, v)
			formatted = append(formatted, tt.typ.Format(v))
			if !tt.typ.Contains(v) {
				t.Errorf("%s does not contain %d", tt.typ, v)
			}
		}
		if !slices.Equal(formatted, tt.values) || !slices.IsSorted(values) {
			t.Errorf("%s: values %q (%d), want %q", tt.typ, formatted, values, tt.values)
		}
		if n, ok := tt.typ.Size(); !ok || n != uint64(len(tt.values)) {
			t.Errorf("%s: size %d, %t", tt.typ, n, ok)
		}
		if got := tt.typ.String(); got != tt.name {
			t.Errorf("got %s, want %s", got, tt.name)
		}
		if last := values[len(values)-1]; tt.typ.Contains(values[0]-1) || tt.typ.Contains(last+1) ||
			!tt.typ.Contains(tt.typ.Zero()) {
			t.Errorf("%s contains a value outside its range, or lacks one of its own", tt.typ)
		}
	}
	if a := arrayOf(t, IntType(5, 6), IntType(1, 3)); a.Contains(3) || a.Contains(12) {
		t.Error("an array contains an element out of range")
	}
}

func TestLargeTypes(t *testing.T) {
	for _, tt := range []*Type{NatType(), IntType(math.MinInt64, math.MaxInt64)} {
		if n, ok := tt.Size(); ok {
			t.Errorf("%s has %d values", tt, n)
		}
	}
	if n, ok := IntType(0, math.MaxInt64).Size(); !ok || n != 1<<63 {
		t.Errorf("0..2^63-1 has %d values, %t", n, ok)
	}
	s := setOf(t, IntType(-31, 31))
	if n, ok := s.Size(); !ok || n != 1<<63 || s.Format(math.MinInt64|s.Hi) == "" || !s.Contains(math.MaxInt64) {
		t.Errorf("the sets of 63 elements are %d, %t", n, ok)
	}
	if _, err := SetType(IntType(0, 63)); err == nil {
		t.Error("a set type with 64 elements was accepted")
	}
	arrayOf(t, IntType(0, 62), BoolType())
	arrayOf(t, IntType(0, 20), IntType(0, 7))
	for _, tt := range []struct{ index, elem *Type }{{IntType(0, 63), BoolType()}, {IntType(0, 20), IntType(0, 8)},
		{IntType(0, 1), NatType()}} {
		if a, err := ArrayType(tt.index, tt.elem); err == nil {
			t.Errorf("%s", a)
		}
	}
	// Values ends at the greatest 64-bit integer.
	n := 0
	for v := range IntType(math.MaxInt64-1, math.MaxInt64).Values() {
		if n++; v < 0 {
			t.Fatal("overflow")
		}
	}
	if n != 2 {
		t.Errorf("%d values", n)
	}
}

func TestWithin(t *testing.T) {
	ints := func(lo, hi int64) *Type { return IntType(lo, hi) }
	for _, tt := range []struct {
		a, b *Type
		want bool
	}{
		{ints(1, 2), ints(0, 2), true},
		{ints(0, 2), ints(1, 2), false},
		{ints(0, 2), NodeType(3), true},
		{NodeType(3), NatType(), true},
		{AbsentType(), AbsentType(), true},
		{ints(0, 0), AbsentType(), false},
		{AbsentType(), ints(0, 0), false},
		{setOf(t, ints(0, 1)), setOf(t, ints(0, 2)), true},
		{setOf(t, ints(1, 2)), setOf(t, ints(0, 2)), false}, // equal sets have different masks
		{arrayOf(t, ints(0, 1), ints(0, 2)), arrayOf(t, ints(0, 1), ints(0, 2)), true},
		{arrayOf(t, ints(0, 1), ints(0, 1)), arrayOf(t, ints(0, 1), ints(0, 2)), false},
	} {
		if got := tt.a.SubtypeOf(tt.b); got != tt.want {
			t.Errorf("%s within %s: %t", tt.a, tt.b, got)
		}
	}
}

// TestWideRanges counts and draws values of ranges whose length does not fit in an int64.
func TestWideRanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		lo, hi int64
		values float64
	}{
		{-3, -3, 1},
		{0, math.MaxInt64, 1 << 63},
		{-2, math.MaxInt64, 1 << 63},
		{-math.MaxInt64, math.MaxInt64, 1 << 64},
		{math.MinInt64, math.MaxInt64, 1 << 64},
	} {
		wide := IntType(c.lo, c.hi)
		low := 0
		for range 64 {
			v := wide.Random(rng)
			if !wide.Contains(v) {
				t.Fatalf("%d..%d: a random value is %d", c.lo, c.hi, v)
			}
			if v < 0 {
				low++
			}
		}
		if c.lo < -2 && c.hi > 2 && (low < 16 || low > 48) {
			t.Errorf("%d..%d: %d of 64 random values are negative", c.lo, c.hi, low)
		}
		p := &Protocol{N: 1, Start: Start{Assignments: []*Assignment{{Values: wide}}}}
		if n := p.Combinations(); n != c.values {
			t.Errorf("%d..%d: %g combinations, want %g", c.lo, c.hi, n, c.values)
		}
	}
}
