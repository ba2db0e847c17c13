package simulate

import (
	"strconv"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/simulate/internal/urn"
)

// A Schedule says how the next step is chosen.
type Schedule int

// The schedules, see the package documentation.
const (
	Uniform Schedule = iota
	Timed
)

// A Rank is the priority that an adversary gives a step: Hurried before all others, Delayed if nothing else is
// possible. Among steps of one rank each choice is equally likely. By time, Hurried messages have the least delay,
// Delayed ones the greatest.
type Rank int

// The ranks.
const (
	Hurried Rank = iota
	Ordinary
	Delayed
	ranks = iota
)

// A Scheduler decides what happens.
type Scheduler struct {
	Schedule Schedule
	// Ranks is the rule of an adversary: by the names of messages for their receipt, the names of events, and the
	// numbers of processes for everything else that they do. A Timed schedule looks at messages only. The default is
	// Ordinary.
	Ranks map[string]Rank
	// FaultRate is how likely a fault is, for a Timed schedule, where there can be one; 0 means DefaultRate.
	FaultRate float64
}

// A ranking is the rule of an adversary. The rule for a message or an event takes precedence over that for the process.
type ranking struct {
	messages, events []*Rank // by ID, nil if there is no rule
	processes        []Rank
}

func newRanking(p *ir.Protocol, byName map[string]Rank) ranking {
	rank := func(name string) *Rank {
		if r, ok := byName[name]; ok {
			return &r
		}
		return nil
	}
	var r ranking
	for _, m := range p.Messages {
		r.messages = append(r.messages, rank(m.Name))
	}
	for _, e := range p.Events {
		r.events = append(r.events, rank(e.Name))
	}
	for process := range p.N {
		ranked := Ordinary
		if own := rank(strconv.Itoa(process)); own != nil {
			ranked = *own
		}
		r.processes = append(r.processes, ranked)
	}
	return r
}

// receipt returns the rank of process p taking a message of a kind.
func (r *ranking) receipt(p, kind int) Rank {
	if rank := r.messages[kind]; rank != nil {
		return *rank
	}
	return r.processes[p]
}

// own returns the rank of an action that process p takes on its own.
func (r *ranking) own(p int, a *step.Action) Rank {
	if a.Kind == model.EventAction && r.events[a.Event.ID] != nil {
		return *r.events[a.Event.ID]
	}
	return r.processes[p]
}

// tickets count the choices by rank and process.
type tickets [ranks]*urn.Urn

func newTickets(n int) (t tickets) {
	for rank := range t {
		t[rank] = urn.New(n)
	}
	return t
}

// set gives process p so many choices of each rank.
func (t *tickets) set(p int, counts [ranks]uint32) {
	for rank, n := range counts {
		t[rank].Set(p, n)
	}
}
