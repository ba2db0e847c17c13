package level

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFit: what units take is found again, however much of each there is; a sort that there is none of, or that would
// take less than nothing, takes nothing.
func TestFit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	work := make([][]float64, 4)
	var takes []float64
	for range 40 {
		level := []float64{r.Float64() * 1e6, r.Float64() * 100, 0, r.Float64()}
		for i := range work {
			work[i] = append(work[i], level[i])
		}
		takes = append(takes, 3*level[0]+500*level[1]-level[3])
	}
	units, rest := fit(takes, work...)
	if len(units) != 4 || math.Abs(units[0]-3) > 1e-3 || math.Abs(units[1]-500) > 1 || units[2] != 0 || units[3] != 0 || rest > 1 {
		t.Errorf("%v, and %v unexplained", units, rest)
	}
	if units, _ := fit(takes[:2], work[0][:2], work[1][:2], work[3][:2]); units != nil {
		t.Errorf("of too few levels: %v", units)
	}
}

// TestLaw: the law that bytes were made by is found again.
func TestLaw(t *testing.T) {
	want := Law{At: 2.5, Falls: 0.2}
	r := &measurement{slots: 5, shards: 2, last: &Manifest{Stored: 1 << 20, Shards: make([]Shard, 2)}}
	var fresh []float64
	for stored := 1 << 10; stored <= 1<<20; stored *= 2 {
		n, words := float64(stored), float64(len(fresh)%3)
		fresh = append(fresh, words)
		r.levels = append(r.levels, amounts{
			stored: n, kept: n * want.bytes(n, 5, n/2), sent: n, blocks: 4, shipped: n*want.bytes(1<<20, 5, n/4) + 30*words,
		})
		r.last.Shards[0].Runs = []Run{{Bytes: uint64(r.levels[len(r.levels)-1].kept)}}
	}
	for name, got := range map[string]Law{"sent": r.sent(fresh), "kept": r.kept()} {
		if math.Abs(got.At-want.At) > 0.01 || math.Abs(got.Falls-want.Falls) > 1e-3 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
