package intern_test

import (
	"sync"
	"testing"

	"ringcheck/internal/intern"
)

// TestValues checks that numbers are dense, the same for all goroutines, and lead back to the values.
func TestValues(t *testing.T) {
	type pair struct{ a, b int }
	const n, workers = 1000, 4
	var values intern.Values[pair]
	var numbers [workers][n]uint32
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range n {
				v := (i*7 + w) % n
				numbers[w][v] = values.Number(pair{v, -v})
			}
		})
	}
	wg.Wait()
	seen := make([]bool, n)
	for v := range n {
		number := numbers[0][v]
		for w := range workers {
			if numbers[w][v] != number {
				t.Fatalf("worker %d calls %d number %d, worker 0 number %d", w, v, numbers[w][v], number)
			}
		}
		if number >= n || seen[number] {
			t.Fatalf("number %d of %d is not dense", number, v)
		}
		seen[number] = true
		if got := *values.At(number); got != (pair{v, -v}) {
			t.Errorf("number %d is %v, not %d", number, got, v)
		}
	}
}
