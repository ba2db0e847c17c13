package simulate

import (
	"fmt"
	"math"
	"time"

	"ringcheck/model"
)

// Progress is a snapshot of a running simulation.
type Progress struct {
	Runs  int    // the number of runs that ended or reached Options.MaxSteps
	Of    int    // the maximum number of runs
	Steps uint64 // including unfinished runs
	Time  time.Duration
}

// Elapsed returns the time since the simulation began.
func (p Progress) Elapsed() time.Duration { return p.Time }

// String describes the snapshot and estimates the remaining time.
func (p Progress) String() string {
	left := "no run has ended yet"
	if p.Runs > 0 {
		left = fmt.Sprintf("about %.0f s left", math.Ceil(p.Time.Seconds()/float64(p.Runs)*float64(p.Of-p.Runs)))
	}
	rate := uint64(float64(p.Steps) / max(1e-9, p.Time.Seconds()))
	return fmt.Sprintf("%s of %s runs  events %s  rate %s/s  %s", comma(uint64(p.Runs)), comma(uint64(p.Of)),
		comma(p.Steps), comma(rate), left)
}

func comma(n uint64) string { return model.Count(n).Comma() }
