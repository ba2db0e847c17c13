package prob

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/memo"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A Protocol is a compiled protocol with the goals and rewards of interest.
type Protocol struct {
	System *compile.System
	// Searched is the system to explore instead, nil for System itself. It has the labels of System, and its slots or
	// slots that each represent equally many of them.
	Searched model.System
	// Actions returns the labels of System's transitions that a transition of Searched represents; nil if it is always
	// the transition with the same label.
	Actions func(model.Label) []model.Label
	Goals   []*ir.Formula // propositional
	Rewards []*ir.Reward
}

// An EvalError says that a goal has no value in some state, or a reward none for some transition.
type EvalError struct {
	Goal   *ir.Formula   // the goal, one of Protocol.Goals; nil for a reward
	Body   ir.Expr       // the part of the goal that has no value
	Level  int           // the length of a shortest run to such a state
	State  []model.Value // the last state of that run, one of the searched system
	Reward *ir.Reward    // nil for a goal
	Label  model.Label   // of the transition, if there is a reward
	Err    error
}

func (e *EvalError) Error() string { return e.Err.Error() }
func (e *EvalError) Unwrap() error { return e.Err }

// Process explores the protocol and returns it as a process with its rewards, and the goals in order. If the search
// ends early it returns only the result. The error is a *model.RequestError that wraps an *ir.GoalError or an
// *EvalError, or says why there is no process.
func (p *Protocol) Process(ctx context.Context, opt explore.Options) (*MDP, []Goal, *explore.Result, error) {
	v := &viewer{Protocol: p, marks: make(map[string]uint32), rewards: make([][]*big.Rat, len(p.Rewards))}
	v.view = p.System.NewView()
	v.env = p.System.Protocol().NewEnv(v.view)
	for _, f := range p.Goals {
		g, err := ir.NewGoal(f)
		if err != nil {
			return nil, nil, nil, &model.RequestError{Err: err}
		}
		v.goals = append(v.goals, &goal{Goal: g})
	}
	sys := p.Searched
	if sys == nil {
		sys = p.System
	}
	v.cells, _ = sys.(model.Cells)
	see := v.see
	if !slices.ContainsFunc(v.goals, func(g *goal) bool { return len(g.States) > 0 }) {
		see = nil
	}
	m, result, err := Generate(ctx, sys, opt, v.mark, see)
	if v.invalid != nil {
		err = &model.RequestError{Err: v.invalid}
	}
	if m == nil || err != nil {
		return nil, nil, result, err
	}
	for i, r := range p.Rewards {
		m.Rewards = append(m.Rewards, Reward{r.Name, v.rewards[i]})
	}
	var goals []Goal
	for _, g := range v.goals {
		goals = append(goals, g.of(m, v.happens))
	}
	return m, goals, result, nil
}

// A goal has the states that satisfy a formula of it if the run goes on, and if it ends there.
type goal struct {
	*ir.Goal
	running, stopping Set
}

// of returns the goal in a process, given the event of each mark.
func (g *goal) of(m *MDP, happens []*ir.Event) Goal {
	out := Goal{States: NewSet(m.States()), Ends: NewSet(m.States()), Marks: make([]bool, len(happens))}
	for mark, e := range happens {
		out.Marks[mark] = e != nil && slices.Contains(g.Events, e)
	}
	for s := range uint32(64 * len(g.stopping)) {
		switch ended := g.stopping.Has(s); {
		case g.running.Has(s) || ended && m.Terminal(s):
			out.States.Add(s)
		case ended && m.MayEnd(s):
			out.Ends.Add(s)
		}
	}
	return out
}

// A viewer maps a system's labels to marks, and finds the states of goals.
type viewer struct {
	*Protocol
	goals   []*goal
	cells   model.Cells
	state   []model.Value // of the protocol
	view    *compile.View
	env     *ir.Env
	marks   map[string]uint32
	happens []*ir.Event  // by mark
	rewards [][]*big.Rat // by reward and mark
	invalid *EvalError   // the first
}

// see adds a state of the searched system to the goals that it reaches.
func (v *viewer) see(s uint32, level int, state []model.Value) error {
	searched := state
	if v.cells != nil {
		v.state = v.state[:0]
		for _, c := range state {
			v.state = append(v.state, v.cells.Cell(c)...)
		}
		state = v.state
	}
	v.view.Show(state)
	for _, g := range v.goals {
		if len(g.States) == 0 {
			continue
		}
		for int(s) >= 64*len(g.stopping) {
			g.running, g.stopping = append(g.running, 0), append(g.stopping, 0)
		}
		running, ended, err := g.Holds(v.env)
		if invalid := (*ir.ValueError)(nil); errors.As(err, &invalid) {
			v.invalid = &EvalError{Goal: g.Formula, Body: invalid.Part, Level: level, State: slices.Clone(searched),
				Err: invalid.Err}
			return v.invalid
		}
		if running {
			g.running.Add(s)
		}
		if ended {
			g.stopping.Add(s)
		}
	}
	return nil
}

// mark returns the mark of a label. Labels that no goal or reward distinguishes have the same mark.
func (v *viewer) mark(l model.Label) uint32 {
	all := []model.Label{l}
	if v.Actions != nil {
		all = v.Actions(l)
	}
	var seen *ir.Event
	values := make([]int64, len(v.Rewards))
	for _, l := range all {
		a, _ := v.System.Action(l)
		e := a.Event
		if e != nil && slices.ContainsFunc(v.goals, func(g *goal) bool { return slices.Contains(g.Events, e) }) {
			seen = e
		}
		for i, r := range v.Rewards {
			value, err := v.System.Reward(r, l)
			if err != nil && v.invalid == nil {
				v.invalid = &EvalError{Reward: r, Label: l, Err: err}
			}
			values[i] += max(0, value)
		}
	}
	key := fmt.Sprintf("%p %d", seen, values)
	m, ok := v.marks[key]
	if !ok {
		m = uint32(len(v.happens))
		v.marks[key] = m
		v.happens = append(v.happens, seen)
		for i, value := range values {
			v.rewards[i] = append(v.rewards[i], v.Rewards[i].Amount(value))
		}
	}
	return m
}

// Generate explores sys and returns it as a process: a draw is a choice with a branch per outcome, and every other
// transition a choice of its own. So a scheduler decides which process acts, which message is received, and what a
// process chooses. mark returns the mark for the transitions with a label.
//
// see, unless it is nil, is called with every state. If the search ends early Generate returns only the result.
func Generate(ctx context.Context, sys model.System, opt explore.Options, mark func(model.Label) uint32,
	see func(s uint32, level int, state []model.Value) error,
) (*MDP, *explore.Result, error) {
	g := &generator{mark: memo.Of(mark), see: see, groups: sys.Groups(), b: NewBuilder()}
	g.orbits, _ = model.As[model.Quotient](sys)
	opt.Spill = false
	result, err := explore.Walk(ctx, sys, opt,
		explore.Visitor{State: g.state, Transitions: g.transitions, Bytes: g.bytes})
	if err != nil || !result.Complete() {
		return nil, result, err
	}
	m, err := g.b.mdp(g.initial)
	if err == nil && len(g.stops) > 0 {
		m.Stops = NewSet(m.States())
		for _, s := range g.stops {
			m.Stops.Add(s)
		}
	}
	return m, result, err
}

// A generator builds a process while a system is explored.
type generator struct {
	mark    func(model.Label) uint32
	see     func(s uint32, level int, state []model.Value) error
	groups  []model.Group
	b       *Builder
	initial []start
	orbits  model.Quotient // nil if states are not orbits
	stops   []uint32
	known   [2][]weightClass // by label: of other branches than the first of a choice, and of the first
}

// Memory in bytes while queries are answered: the process itself, the problem, and values for the states.
const (
	bytesPerState  = 80
	bytesPerBranch = 12
)

// bytes estimates the memory that the process being built will take.
func (g *generator) bytes() uint64 {
	return bytesPerState*g.b.rows.len() + bytesPerBranch*g.b.to.len()
}

func (g *generator) state(id uint64, level int, state []model.Value) error {
	if level == 0 {
		s := start{uint32(id), 1}
		if g.orbits != nil { // if a state is initial, all of its orbit are
			s.weight = g.orbits.OrbitSize(state)
		}
		g.initial = append(g.initial, s)
	}
	if g.see == nil {
		return nil
	}
	return g.see(uint32(id), level, state)
}

// transitions adds the choices of a state.
func (g *generator) transitions(from uint64, list []explore.Transition) error {
	stops := len(list) > 0
	for i := range list {
		t := &list[i]
		stops = stops && g.groups[t.Group].Environment
		first := i == 0 || t.Group != list[i-1].Group || t.Choice != list[i-1].Choice
		g.b.add(uint32(t.To), g.class(t.Label, t.Weight, first))
	}
	if stops {
		g.stops = append(g.stops, uint32(from))
	}
	g.b.End()
	return g.b.err
}

// A known is the class of the last branch with a label.
type weightClass struct {
	weight model.Weight
	class  uint16
}

// remembered bounds the labels whose classes are cached.
const remembered = 1 << 20

// class returns the class of a branch. A label nearly always comes with the same weight.
func (g *generator) class(l model.Label, w model.Weight, first bool) uint16 {
	memory := &g.known[0]
	if first {
		memory = &g.known[1]
	}
	for l < remembered && int(l) >= len(*memory) {
		*memory = append(*memory, weightClass{})
	}
	if l < remembered && (*memory)[l].weight == w {
		return (*memory)[l].class
	}
	n := g.b.number(Class{Weight: Weight{Num: uint64(w.Num), Den: uint64(w.Den)}, First: first, Mark: g.mark(l)})
	if l < remembered {
		(*memory)[l] = weightClass{w, n}
	}
	return n
}
