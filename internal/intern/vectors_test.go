package intern_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"ringcheck/internal/intern"
)

// TestVectors compares the numbers of random vectors, found as a whole and as changes of others, with a map.
func TestVectors(t *testing.T) {
	for _, length := range []int{1, 2, 3, 7, 18} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(length), 2))
			s := intern.NewVectors(length)
			numbers := map[string]uint32{}
			v := make([]uint32, length)
			id := s.Number(v)
			numbers[fmt.Sprint(v)] = id
			for range 3000 {
				var slots []int
				var values []uint32
				for i := range v {
					if r.IntN(length) < 2 {
						v[i] = r.Uint32N(3)
						slots, values = append(slots, i), append(values, v[i])
					}
				}
				id = s.Replace(id, slots, values)
				if whole := s.Number(v); whole != id {
					t.Fatalf("%v has numbers %d and %d", v, id, whole)
				}
				if old, ok := numbers[fmt.Sprint(v)]; ok && old != id {
					t.Fatalf("%v has numbers %d and %d", v, old, id)
				}
				numbers[fmt.Sprint(v)] = id
				read := make([]uint32, length)
				if s.Read(id, read); !slices.Equal(read, v) {
					t.Fatalf("number %d is %v, want %v", id, read, v)
				}
			}
			if s.Len() != len(numbers) {
				t.Errorf("%d numbers for %d vectors", s.Len(), len(numbers))
			}
		})
	}
}

func TestVectorsConcurrently(t *testing.T) {
	s := intern.NewVectors(5)
	found := make([][]uint32, 4)
	var wg sync.WaitGroup
	for g := range found {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, 1))
			for range 2000 {
				v := []uint32{r.Uint32N(4), r.Uint32N(4), r.Uint32N(4), r.Uint32N(4), r.Uint32N(4)}
				found[g] = append(found[g], s.Number(v))
			}
		})
	}
	wg.Wait()
	for _, other := range found[1:] {
		if !slices.Equal(found[0], other) {
			t.Fatal("equal vectors got different numbers")
		}
	}
}
