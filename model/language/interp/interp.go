package interp

import (
	"math/big"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A State is a global state.
type State struct {
	Processes []ir.Local
	Channels  [][]ir.Content // by link: in queue order for FIFO, else ascending
}

// A Transition is one step of one process.
type Transition struct {
	Label   string
	Kind    model.ActionKind
	Process int
	Link    int      // sent to or received from; -1 if none
	Choice  int      // transitions of one draw share it; others are alternatives
	Weight  *big.Rat // the probability within the Choice
	Target  *State
}

// Options bound what a spec may do without end. Zero means the default.
type Options struct {
	MaxMessages int   // in one channel; default 64
	MaxNat      int64 // the greatest value of type nat; default 1000
}

// An Interpreter runs a protocol.
type Interpreter struct {
	protocol *ir.Protocol
	options  Options
	points   []string // how control points are called, by Point.ID
}

// New returns an interpreter of p.
func New(p *ir.Protocol, opt Options) *Interpreter {
	if opt.MaxMessages == 0 {
		opt.MaxMessages = 64
	}
	if opt.MaxNat == 0 {
		opt.MaxNat = 1000
	}
	return &Interpreter{protocol: p, options: opt, points: p.PointNames()}
}

// Initial calls yield with the initial states until it returns false. An error is a *model.Fault.
func (in *Interpreter) Initial(yield func(*State) bool) error {
	err := in.protocol.Initial(func(locals []ir.Local) bool {
		s := &State{Channels: make([][]ir.Content, len(in.protocol.Links))}
		for _, l := range locals {
			s.Processes = append(s.Processes, ir.Local{Point: l.Point, Env: slices.Clone(l.Env)})
		}
		return yield(s)
	})
	if e, ok := err.(*ir.Error); ok {
		return &model.Fault{Place: e.Pos.String(), Process: -1, Message: e.Message}
	}
	return err
}

// Successors returns the transitions of s, process by process. An error is a *model.Fault.
func (in *Interpreter) Successors(s *State) ([]Transition, error) {
	var all []Transition
	choices := 0
	for p := range s.Processes {
		distributions, err := in.steps(s, p)
		if err != nil {
			return nil, err
		}
		for _, d := range in.distinct(distributions) {
			for _, t := range d {
				t.Choice = choices
				all = append(all, t)
			}
			choices++
		}
	}
	return all, nil
}

// steps returns the distributions over transitions between which process p can choose.
func (in *Interpreter) steps(s *State, p int) ([][]Transition, error) {
	w := walk{Interpreter: in, state: s, process: p}
	steps, err := w.steps()
	if err != nil {
		return nil, err
	}
	for l, link := range in.protocol.Links {
		if link.To != p {
			continue
		}
		for _, i := range in.receivable(s.Channels[l]) {
			w := walk{Interpreter: in, state: s, process: p, arrival: &arrival{link: l, position: i}}
			more, err := w.steps()
			if err != nil {
				return nil, err
			}
			steps = append(steps, more...)
		}
	}
	return steps, nil
}

// receivable returns the positions of the different messages that can be taken out of a channel.
func (in *Interpreter) receivable(channel []ir.Content) []int {
	var positions []int
	for i, m := range channel {
		switch {
		case i == 0:
			positions = append(positions, i)
		case in.protocol.Channel == ir.FIFO:
			// only the head
		case channel[i-1].Compare(m) != 0:
			positions = append(positions, i)
		}
	}
	return positions
}

// distinct makes a set of distributions over a set of transitions: see the package comment.
func (in *Interpreter) distinct(distributions [][]Transition) [][]Transition {
	var set [][]Transition
	for _, d := range distributions {
		d = in.merge(d)
		if !slices.ContainsFunc(set, func(e []Transition) bool { return in.equal(d, e) }) {
			set = append(set, d)
		}
	}
	return set
}

// merge adds up the weights of the same transition.
func (in *Interpreter) merge(d []Transition) []Transition {
	var merged []Transition
	for _, t := range d {
		i := slices.IndexFunc(merged, func(u Transition) bool { return in.same(t, u) })
		if i < 0 {
			merged = append(merged, t)
			continue
		}
		merged[i].Weight = new(big.Rat).Add(merged[i].Weight, t.Weight)
	}
	return merged
}

// equal reports whether two merged distributions are the same but for their order.
func (in *Interpreter) equal(d, e []Transition) bool {
	return len(d) == len(e) && !slices.ContainsFunc(d, func(t Transition) bool {
		return !slices.ContainsFunc(e, func(u Transition) bool {
			return in.same(t, u) && t.Weight.Cmp(u.Weight) == 0
		})
	})
}

func (in *Interpreter) same(t, u Transition) bool {
	return t.Label == u.Label && t.Kind == u.Kind && in.Key(t.Target) == in.Key(u.Target)
}
