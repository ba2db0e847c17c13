package explore

import (
	"math"
	"time"
)

// A forecast estimates how much of a search is left from the sizes of its levels. They grow and then shrink: their
// logarithms are nearly a parabola.
type forecast struct{ levels []levelSize } // the last ones that were seen, at most three

type levelSize struct {
	level int
	size  float64
}

// add takes note of the size of a level.
func (f *forecast) add(level int, size uint64) {
	n := len(f.levels)
	switch {
	case n > 0 && level < f.levels[n-1].level: // another search
		f.levels = nil
	case n > 0 && level == f.levels[n-1].level || size == 0:
		return
	case n == 3:
		f.levels = f.levels[1:]
	}
	f.levels = append(f.levels, levelSize{level, float64(size)})
}

// states estimates how many states the last level and those after it have. It is 0 if the levels do not shrink yet.
func (f *forecast) states() float64 {
	if len(f.levels) < 3 {
		return 0
	}
	a, b, c := f.levels[0], f.levels[1], f.levels[2]
	before, growth := slope(a, b), slope(b, c)
	bend := min(0, (growth-before)*2/float64(c.level-a.level))
	const least = -0.01 // a slower decrease says nothing
	if growth > least {
		return 0
	}
	total := 0.0
	for size := c.size; size >= 1; size *= math.Exp(growth) {
		total += size
		growth += bend
	}
	return total
}

// slope returns the growth of the logarithm of the size in a level.
func slope(a, b levelSize) float64 { return math.Log(b.size/a.size) / float64(b.level-a.level) }

// left estimates the time that a search still takes; 0 if that is not known.
func (f *forecast) left(now SearchProgress) time.Duration {
	if now.States == 0 {
		return 0
	}
	return time.Duration(f.states() / float64(now.States) * float64(now.Time))
}
