package simulate

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"ringcheck/model/language/replay"
	"ringcheck/model/language/step"
)

// A RunError is an error in the run with this seed and number.
type RunError struct {
	Seed, Run uint64
	Err       error
}

func (e *RunError) Error() string { return fmt.Sprintf("run %d of seed %d: %v", e.Run, e.Seed, e.Err) }

func (e *RunError) Unwrap() error { return e.Err }

// A stream provides the random generators of runs.
type stream struct{ source *rand.ChaCha8 }

func newStream() *stream { return &stream{rand.NewChaCha8([32]byte{})} }

// of returns the generator of a run of a seed. It is valid until the next call.
func (s *stream) of(seed, run uint64) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], run)
	s.source.Seed(key)
	return rand.New(s.source)
}

// Record repeats a run of a seed, up to the given number of steps, and returns it for a replay.
func (s *System) Record(ctx context.Context, seed, run, steps uint64) (*replay.Run, error) {
	r := s.NewRun()
	err := r.Reset(newStream().of(seed, run))
	if err != nil {
		return nil, &RunError{seed, run, err}
	}
	machine := s.machine
	if !s.bounded {
		machine = step.New(s.protocol, step.Options{MaxMessages: math.MaxInt, MaxNat: s.options.MaxNat})
	}
	recorded := replay.New(machine, r.first, r.Sets())
	for n, ok := uint64(0), true; n < steps && ok && err == nil; n++ {
		if n%pollInterval == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		faults := r.Faults()
		if ok, err = r.Step(); ok && err == nil {
			err = recorded.Add(r.lastStep(r.Faults() != faults), r.Sets())
		}
	}
	if err != nil {
		return nil, &RunError{seed, run, err}
	}
	return recorded, nil
}

// lastStep returns the last step, marked as counted if its fault counts towards a limit. It is valid until the next
// step.
func (r *Run) lastStep(counted bool) replay.Step {
	d := replay.Step{
		Action: r.Last, Process: r.Process, Age: r.age, Position: r.position, DrawValues: r.draws, Writes: r.writes,
		Counted: counted,
	}
	if d.Process >= 0 {
		d.Next = r.Local(d.Process)
	}
	if r.receiver >= 0 {
		d.ReceiverNext = r.Local(r.receiver)
	}
	return d
}
