package level

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Costs is what a search takes, as measured: processor time in seconds, and bytes. States are those that are stored, of
// a quotient fewer than are counted.
type Costs struct {
	About        string  `json:"about"`                      // of what it was measured
	PerGenerated float64 `json:"seconds_per_generated"`      // transition: those that are not asleep
	PerKnown     float64 `json:"seconds_per_known_byte"`     // of the files of known states, at each level
	PerBlock     float64 `json:"seconds_per_block"`          // from a task to a shard
	Sent         Law     `json:"bytes_per_sent"`             // state, by how many there are in a block
	Kept         Law     `json:"bytes_per_kept"`             // state, by how many there are in a shard
	Known        float64 `json:"known"`                      // of what is kept at the end, how much there is at a level on average
	Used         float64 `json:"used"`                       // of the blocks that there could be, how many there are
	Peak         float64 `json:"level_of_a_state_over_mean"` // how large the level is that a state is in, on average, compared with the mean of levels
}

// A Law says how many bytes each of some states takes that lie in order. Neighbours have in common all but the last
// slots, so that a state adds about what one slot says: the logarithm of the number of all states, divided by the
// number of slots. It is the less the more states there are, by a power that is measured.
type Law struct {
	At    float64 `json:"at_one"` // bytes for each bit that a slot says, of a state alone
	Falls float64 `json:"falls"`  // the exponent
}

func (l Law) bytes(states, slots, together float64) float64 {
	return l.At * math.Log2(max(2, states)) / slots * math.Pow(max(1, together), -l.Falls)
}

// mostFalls is larger than any exponent that was measured.
const mostFalls = 0.5

// An Extent is how large a search is. States are stored ones.
type Extent struct {
	States, Generated, Levels, Shards, Slots float64
}

// A Forecast is what a search takes of the workers.
type Forecast struct{ Seconds, Shuffled, Kept float64 }

// Of returns what a search takes.
func (c *Costs) Of(x Extent) Forecast {
	perTask := float64(perTask(int(x.Shards)))
	level := x.States / x.Levels * c.Peak
	tasks := min(x.Shards, max(1, math.Ceil(level/perTask)))
	// Of a state that several transitions lead to, a task sends one: all of them if there is no other task.
	sent := x.States + max(0, x.Generated-x.States)*(1-1/tasks)
	inBlock := level * sent / x.States / (tasks * x.Shards * c.Used)
	blocks := min(x.Levels*x.Shards, x.Levels+x.States/perTask) * x.Shards * c.Used
	kept := x.States * c.Kept.bytes(x.States, x.Slots, x.States/x.Shards)
	return Forecast{
		Seconds:  x.Generated*c.PerGenerated + blocks*c.PerBlock + kept*c.Known*x.Levels*c.PerKnown,
		Shuffled: sent * c.Sent.bytes(x.States, x.Slots, inBlock),
		Kept:     kept,
	}
}

// ErrTooSmall means that a search is over too soon to measure what it takes.
var ErrTooSmall = errors.New("the search takes too little time to be measured: take a larger one")

// A measurement is what was measured of a search, by level.
type measurement struct {
	last   *Manifest
	slots  float64
	shards float64
	levels []amounts
}

// amounts is the work on a level, and what that has taken.
type amounts struct {
	generated, sent, blocks, tasks, fresh  float64 // fresh: words
	known                                  float64 // bytes
	states, stored, kept, seconds, shipped float64 // found, and all so far; bytes that these take; bytes that were shuffled
}

// measure searches in this process, without a runner, to the end or until so many states are stored: cpu returns the
// processor time that was taken so far.
func (s *System) measure(ctx context.Context, states uint64, cpu func() time.Duration) (*measurement, error) {
	r := &measurement{slots: float64(s.slots), shards: float64(s.shards)}
	m, err := s.Begin(ctx)
	for err == nil && !m.Ended() && m.Stored < states {
		begin, before := cpu(), m
		known, err := s.manifest(ctx, m.Level)
		if err != nil {
			return nil, err
		}
		if m, err = s.Next(ctx, m); err != nil {
			return nil, err
		}
		next, err := s.manifest(ctx, m.Level)
		if err != nil {
			return nil, err
		}
		r.levels = append(r.levels, amounts{
			generated: float64(m.Generated - before.Generated), sent: float64(m.Candidates - before.Candidates),
			blocks: float64(m.Blocks - before.Blocks), tasks: float64(len(before.Tasks())), fresh: float64(next.words.count() - known.words.count()),
			known: float64(before.KeptBytes()), states: float64(m.Stored - before.Stored), stored: float64(m.Stored), kept: float64(m.KeptBytes()),
			seconds: (cpu() - begin).Seconds(), shipped: float64(m.ShuffledBytes - before.ShuffledBytes),
		})
		if err := m.Collect(ctx, s.files); err != nil {
			return nil, err
		}
	}
	if r.last = m; err == nil && m.Fault != nil {
		err = fmt.Errorf("%s: %s", m.Fault.Place, m.Fault.Message)
	}
	return r, err
}

// sum adds up something of all levels.
func (r *measurement) sum(of func(*amounts) float64) (sum float64) {
	for i := range r.levels {
		sum += of(&r.levels[i])
	}
	return sum
}

// column returns something of each level.
func (r *measurement) column(of func(*amounts) float64) (list []float64) {
	for i := range r.levels {
		list = append(list, of(&r.levels[i]))
	}
	return list
}

// A Sample is what the first states of a search say of all of them.
type Sample struct {
	Alike       float64 // states for each one that is stored
	Transitions float64 // of each state
	Generated   float64 // of each transition: the share of those that are followed and not asleep
}

// Sample searches until so many states are stored.
func (s *System) Sample(ctx context.Context, states uint64) (Sample, error) {
	r, err := s.measure(ctx, states, func() time.Duration { return 0 })
	if err != nil {
		return Sample{}, err
	}
	m := r.last
	expanded := float64(m.States() - m.Frontier())
	return Sample{
		Alike:       float64(m.States()) / max(1, float64(m.Stored)),
		Transitions: float64(m.Transitions) / max(1, expanded),
		Generated:   float64(m.Generated) / max(1, float64(m.Transitions)),
	}, nil
}

// Slots returns how many a state has.
func (s *System) Slots() int { return s.slots }

// Calibrate searches twice and measures the second time, when it is known what halves of states lead to: in a large
// search most states have halves that were met before. What a level takes is a sum of what its transitions, its blocks,
// the files of known states and new words take, which the method of least squares tells apart. New words are few in a
// large search, and what they take is not returned.
func Calibrate(ctx context.Context, s *System, cpu func() time.Duration) (Costs, error) {
	r, err := s.measure(ctx, math.MaxUint64, cpu)
	if err == nil {
		r, err = s.measure(ctx, math.MaxUint64, cpu)
	}
	if err != nil {
		return Costs{}, err
	}
	fresh := r.column(func(a *amounts) float64 { return a.fresh })
	seconds, _ := fit(r.column(func(a *amounts) float64 { return a.seconds }), r.column(func(a *amounts) float64 { return a.generated }),
		r.column(func(a *amounts) float64 { return a.blocks }), r.column(func(a *amounts) float64 { return a.known }), fresh)
	if seconds == nil || seconds[0] <= 0 {
		return Costs{}, ErrTooSmall
	}
	stored, levels := float64(r.last.Stored), float64(len(r.levels))
	return Costs{
		PerGenerated: seconds[0], PerBlock: seconds[1], PerKnown: seconds[2], Sent: r.sent(fresh), Kept: r.kept(),
		Known: r.sum(func(a *amounts) float64 { return a.known }) / (float64(r.last.KeptBytes()) * levels),
		Used:  r.sum(func(a *amounts) float64 { return a.blocks }) / (r.sum(func(a *amounts) float64 { return a.tasks }) * r.shards),
		Peak:  r.sum(func(a *amounts) float64 { return a.states * a.states }) * levels / (stored * stored),
	}, nil
}

// sent returns the law of the states in blocks: of all exponents the one that leaves least unexplained.
func (r *measurement) sent(fresh []float64) (best Law) {
	stored, least := float64(r.last.Stored), math.Inf(1)
	for falls := 0.0; falls <= mostFalls; falls += 0.01 {
		one := Law{1, falls}
		units, rest := fit(r.column(func(a *amounts) float64 { return a.shipped }),
			r.column(func(a *amounts) float64 { return a.sent * one.bytes(stored, r.slots, a.sent/max(1, a.blocks)) }), fresh)
		if units != nil && rest < least {
			best, least = Law{units[0], falls}, rest
		}
	}
	return best
}

// fewStates is how many a shard has that say nothing of what a state takes among many.
const fewStates = 1000

// kept returns the law of the states in shards. It is that at the end; the exponent is how it came about, as the search
// went on.
func (r *measurement) kept() Law {
	var x, y []float64
	one := Law{1, 0}
	for _, a := range r.levels {
		if a.stored > fewStates*r.shards && a.stored < float64(r.last.Stored) {
			x = append(x, math.Log(a.stored/r.shards))
			y = append(y, math.Log(a.kept/(a.stored*one.bytes(a.stored, r.slots, 1))))
		}
	}
	l := Law{At: 1}
	if len(x) > 2 {
		_, slope := stat.LinearRegression(x, y, nil, false)
		l.Falls = min(max(0, -slope), mostFalls)
	}
	stored := float64(r.last.Stored)
	l.At = float64(r.last.KeptBytes()) / (stored * l.bytes(stored, r.slots, stored/r.shards))
	return l
}

// fit returns for each of some sorts of work what a unit takes, if all of it takes what is given, by level, and how
// much of that is unexplained. Sorts that would take less than nothing take nothing. How far a level is off grows with
// the root of what it takes, as that of a sum of independent parts does, and it counts the less. It returns nil if
// there are too few levels.
func fit(takes []float64, sorts ...[]float64) (units []float64, rest float64) {
	without := func(j int) ([]float64, float64) {
		units, rest := fit(takes, slices.Delete(slices.Clone(sorts), j, j+1)...)
		if units == nil {
			return nil, 0
		}
		return slices.Insert(units, j, 0), rest
	}
	if j := slices.IndexFunc(sorts, func(sort []float64) bool { return len(sort) > 0 && slices.Max(sort) == 0 }); j >= 0 {
		return without(j)
	}
	if len(sorts) == 0 || len(takes) < len(sorts) {
		return nil, 0
	}
	a, b := mat.NewDense(len(takes), len(sorts), nil), mat.NewVecDense(len(takes), nil)
	least := slices.Max(takes) / 1e3 // what is less is not measured well
	for i, t := range takes {
		weight := 1 / math.Sqrt(max(least, t))
		for j, sort := range sorts {
			a.Set(i, j, weight*sort[i])
		}
		b.SetVec(i, weight*t)
	}
	var x mat.VecDense
	if x.SolveVec(a, b) != nil {
		return nil, 0
	}
	units = slices.Clone(x.RawVector().Data)
	if j := slices.IndexFunc(units, func(u float64) bool { return u < 0 }); j >= 0 {
		return without(j)
	}
	var off mat.VecDense
	off.MulVec(a, &x)
	off.SubVec(&off, b)
	return units, mat.Norm(&off, 2)
}
