package explore

import "testing"

// TestForecast: from the levels of a search, the estimate of the states that are left is right within a factor of two
// once a third of the peak is reached, and there is none while the levels grow.
func TestForecast(t *testing.T) {
	for name, levels := range map[string][]uint64{
		"bell":      bell(60),
		"geometric": {1, 10, 1000, 10000, 5000, 2500, 1250, 625, 312, 156, 78, 39, 19, 9, 4, 2, 1},
	} {
		var f forecast
		peak := uint64(0)
		for level, size := range levels {
			f.add(level, size)
			peak = max(peak, size)
			left := 0.0
			for _, n := range levels[level:] {
				left += float64(n)
			}
			got := f.states()
			if size == peak && got != 0 {
				t.Errorf("%s: an estimate of %g while the levels grow", name, got)
			}
			if size < peak/3 && (got < left/2 || got > 2*left) {
				t.Errorf("%s, level %d: estimated %g states, there are %g", name, level, got, left)
			}
		}
		if f.add(0, 5); f.states() != 0 {
			t.Errorf("%s: an estimate at the beginning of another search", name)
		}
	}
}

// bell returns sizes of levels like those of a search, which grow threefold at first, and shrink after half of n.
func bell(n int) (levels []uint64) {
	size := 1.0
	for i := 0; size >= 1; i++ {
		levels = append(levels, uint64(size))
		size *= max(0.1, 3-4.2*float64(i)/float64(n))
	}
	return levels
}
