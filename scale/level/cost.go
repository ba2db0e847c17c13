package level

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
)

// Costs is what a search takes, as measured: processor time in seconds, and bytes. States and transitions are those that are stored and followed, of a quotient
// fewer than are counted.
type Costs struct {
	About         string  `json:"about"` // of what it was measured
	PerTransition float64 `json:"seconds_per_transition"`
	PerVisited    float64 `json:"seconds_per_visited"` // state that is known, at each level
	PerBlock      float64 `json:"seconds_per_block"`   // from a task to a shard
	Sent          float64 `json:"bytes_per_transition"`
	SentPerBlock  float64 `json:"bytes_per_block"`
	Kept          float64 `json:"bytes_per_state"` // at the end
	Visited       float64 `json:"visited"`         // of all states, how many are known at a level on average
	Used          float64 `json:"used"`            // of the blocks that there could be, how many there are
}

// ErrTooSmall means that a search is over too soon to measure what it takes.
var ErrTooSmall = errors.New("the search takes too little time to be measured: take a larger one")

// A measurement is what was measured of a search, by level.
type measurement struct {
	last           *Manifest
	work           [][]float64 // transitions, blocks, states known
	seconds, bytes []float64
	tasks          int // of all levels
}

// measure searches in this process to the end, without a runner: cpu returns the processor time that was taken so far.
func (s *System) measure(ctx context.Context, cpu func() time.Duration) (*measurement, error) {
	r := &measurement{}
	m, err := s.Begin(ctx)
	for err == nil && !m.Ended() {
		begin, before := cpu(), m
		r.tasks += len(m.Tasks())
		if m, err = s.Next(ctx, m); err == nil {
			r.seconds = append(r.seconds, (cpu() - begin).Seconds())
			r.bytes = append(r.bytes, float64(m.ShuffledBytes-before.ShuffledBytes))
			r.work = append(r.work, []float64{float64(m.Transitions - before.Transitions), float64(m.Blocks - before.Blocks), float64(before.Stored)})
			err = m.Collect(ctx, s.files)
		}
	}
	if r.last = m; err == nil && m.Fault != nil {
		err = fmt.Errorf("%s: %s", m.Fault.Place, m.Fault.Message)
	}
	return r, err
}

// Calibrate searches twice and measures the second time, when it is known what halves of states lead to: in a large search most states have
// halves that were met before. What a level takes is a sum of what its transitions, its blocks and the states take that are known by then, which
// the method of least squares tells apart.
func Calibrate(ctx context.Context, s *System, cpu func() time.Duration) (Costs, error) {
	r, err := s.measure(ctx, cpu)
	if err == nil {
		r, err = s.measure(ctx, cpu)
	}
	if err != nil {
		return Costs{}, err
	}
	m, work := r.last, r.work
	known, stored := 0.0, float64(m.Stored)/float64(m.States())
	for _, w := range work {
		w[0] *= stored
		known += w[2]
	}
	time, sent := fit(work, r.seconds, 0, 1, 2), fit(work, r.bytes, 0, 1)
	c := Costs{
		PerTransition: time[0], PerBlock: time[1], PerVisited: time[2], Sent: sent[0], SentPerBlock: sent[1],
		Kept:    float64(m.KeptBytes()) / float64(m.Stored),
		Visited: known / (float64(m.Stored) * float64(m.Level)),
		Used:    float64(m.Blocks) / (float64(r.tasks) * float64(s.shards)),
	}
	if c.PerTransition <= 0 {
		return Costs{}, ErrTooSmall
	}
	return c, nil
}

// fit returns for each of three sorts of work what a unit takes, if all of it takes what is given, by level. Those that are not in
// sorts take nothing, and neither do those that would otherwise take less. How far a level is off grows with the root of what it takes, as
// that of a sum of independent parts does, and it counts the less.
func fit(work [][]float64, takes []float64, sorts ...int) [3]float64 {
	var units [3]float64
	a, b := mat.NewDense(len(work), len(sorts), nil), mat.NewVecDense(len(takes), nil)
	least := slices.Max(takes) / 1e3 // what is less is not measured well
	for i, w := range work {
		weight := 1 / math.Sqrt(max(least, takes[i]))
		for j, sort := range sorts {
			a.Set(i, j, weight*w[sort])
		}
		b.SetVec(i, weight*takes[i])
	}
	var x mat.VecDense
	if len(work) < len(sorts) || x.SolveVec(a, b) != nil {
		return units
	}
	for j, sort := range sorts {
		if x.AtVec(j) < 0 {
			return fit(work, takes, slices.Delete(slices.Clone(sorts), j, j+1)...)
		}
		units[sort] = x.AtVec(j)
	}
	return units
}

// Of returns what a larger search takes of the workers, in seconds of processor time, and how many bytes it shuffles.
func (c *Costs) Of(states, transitions, levels, shards float64) (seconds, bytes float64) {
	tasks := min(levels*shards, levels+states/float64(perTask(int(shards))))
	blocks := tasks * shards * c.Used
	return transitions*c.PerTransition + blocks*c.PerBlock + states*levels*c.Visited*c.PerVisited, transitions*c.Sent + blocks*c.SentPerBlock
}
