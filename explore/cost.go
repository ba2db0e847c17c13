package explore

import (
	"math"
	"time"

	"ringcheck/internal/machine"
)

// Cost is the time and memory that some work took.
type Cost struct {
	Seconds float64 `json:"seconds"` // to the millisecond
	// TransitionsPerSecond is the rate of a search that visited states one by one; nil otherwise.
	TransitionsPerSecond *uint64 `json:"transitions_per_second,omitempty"`
	PeakRSSBytes         uint64  `json:"peak_rss_bytes"` // of the process
}

// CostOf returns the cost of work that took some time.
func CostOf(took time.Duration) Cost {
	return Cost{Seconds: math.Round(took.Seconds()*1000) / 1000, PeakRSSBytes: machine.PeakRSS()}
}

// CostSince returns the cost of work that began at some time.
func CostSince(began time.Time) Cost { return CostOf(time.Since(began)) }
