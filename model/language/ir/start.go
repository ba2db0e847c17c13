package ir

import (
	"slices"

	"ringcheck/model/language/syntax"
)

// A Start says how the processes of a protocol begin.
type Start struct {
	// Assignments give each process a value, in the order of the text; there is an initial state for each combination.
	Assignments []*Assignment
	Number      *Var // of the process, for Term
	// Term is what the process declaration says: decisions that lead to a Call, which is resolved, or to an Enter.
	Term Term
	// Contents are the messages that are in channels, those of a channel in their order.
	Contents []*Deposit
}

// A Deposit is a message in a channel at the start. Its Args are those of a Send, in the environment of Start.Term.
type Deposit struct {
	Link    int
	Message *Message
	Args    []Expr
	Pos     syntax.Pos
}

// An Assignment gives each process a value.
type Assignment struct {
	Permutation bool // of all Values
	Values      *Type
	// Base is where the values stand in the environment: that of process p in Vars[Base+p].
	Base int
}

// Assigned is the value of an assignment for a process. It stands in Start.Term only.
type Assigned struct {
	Assignment *Assignment
	Process    Expr
}

func (e *Assigned) Type() *Type { return e.Assignment.Values }

func (e *Assigned) Eval(env *Env) (int64, error) {
	p, err := e.Process.Eval(env)
	if err != nil {
		return 0, err
	}
	return env.Vars[e.Assignment.Base+int(p)], nil
}

// Initial calls yield with the initial configurations until it returns false: one for each combination of
// assignments, in lexicographic order, the first assignment the slowest. A configuration says where each process
// begins and what is in each channel; it is valid during the call only. The error is an *Error: a value leaves its
// range.
func (p *Protocol) Initial(yield func(processes []Local, channels [][]Content) bool) error {
	env := p.NewEnv(nil)
	for _, a := range p.Start.Assignments {
		env.Vars = append(env.Vars, make([]int64, p.N)...)
		a.first(a.of(env, p.N))
	}
	for {
		locals, err := p.locals(env)
		if err != nil {
			return err
		}
		channels, err := p.contents(env)
		if err != nil {
			return err
		}
		if !yield(locals, channels) || !p.advance(env) {
			return nil
		}
	}
}

// Begin returns the initial configuration in which assign sets the values of each assignment. Wide sets are in sets.
func (p *Protocol) Begin(
	sets *Sets, assign func(a *Assignment, values []int64),
) (processes []Local, channels [][]Content, err error) {
	env := p.NewEnv(nil)
	env.Sets = sets
	for _, a := range p.Start.Assignments {
		env.Vars = append(env.Vars, make([]int64, p.N)...)
		assign(a, a.of(env, p.N))
	}
	if processes, err = p.locals(env); err == nil {
		channels, err = p.contents(env)
	}
	return processes, channels, err
}

// of returns the values of an assignment to n processes.
func (a *Assignment) of(env *Env, n int) []int64 { return env.Vars[a.Base : a.Base+n] }

// Combinations returns the number of combinations of assigned values, rounded: an upper bound of the initial states.
func (p *Protocol) Combinations() float64 {
	all := 1.0
	for _, a := range p.Start.Assignments {
		values := float64(a.Values.Hi-a.Values.Lo) + 1
		for range p.N {
			all *= values
			if a.Permutation {
				values--
			}
		}
	}
	return all
}

// advance goes to the next combination of assignments and reports whether there is one.
func (p *Protocol) advance(env *Env) bool {
	for _, a := range slices.Backward(p.Start.Assignments) {
		values := a.of(env, p.N)
		if a.next(values) {
			return true
		}
		a.first(values)
	}
	return false
}

// first sets the least assignment.
func (a *Assignment) first(values []int64) {
	for p := range values {
		values[p] = a.Values.Lo
		if a.Permutation {
			values[p] += int64(p)
		}
	}
}

// next sets the next assignment in lexicographic order and reports whether there is one.
func (a *Assignment) next(values []int64) bool {
	if a.Permutation {
		return nextPermutation(values)
	}
	for p := len(values) - 1; p >= 0; p-- {
		if values[p] < a.Values.Hi {
			values[p]++
			return true
		}
		values[p] = a.Values.Lo
	}
	return false
}

// nextPermutation sets the next permutation in lexicographic order and reports whether there is one.
func nextPermutation(values []int64) bool {
	i := len(values) - 2
	for i >= 0 && values[i] >= values[i+1] {
		i--
	}
	if i < 0 {
		return false
	}
	j := len(values) - 1
	for values[j] <= values[i] {
		j--
	}
	values[i], values[j] = values[j], values[i]
	slices.Reverse(values[i+1:])
	return true
}

// contents works out what is in each channel.
func (p *Protocol) contents(env *Env) ([][]Content, error) {
	channels := make([][]Content, len(p.Links))
	for _, d := range p.Start.Contents {
		args, err := evalAll(d.Args, env)
		if err != nil {
			return nil, err
		}
		channels[d.Link] = append(channels[d.Link], Content{Message: d.Message, Args: args})
	}
	if p.Channel == Unordered && len(p.Start.Contents) > 0 {
		for _, list := range channels {
			slices.SortStableFunc(list, Content.Compare)
		}
	}
	return channels, nil
}

// locals works out where each process begins.
func (p *Protocol) locals(env *Env) ([]Local, error) {
	locals := make([]Local, p.N)
	for process := range locals {
		env.Vars[p.Start.Number.ID] = int64(process)
		env.Self = process
		for _, v := range p.Vars {
			if !v.Lasting() {
				continue
			}
			value, err := v.Init.Eval(env)
			if err != nil {
				return nil, err
			}
			env.Vars[v.ID] = value
		}
		point, err := p.Start.begin(env)
		if err != nil {
			return nil, err
		}
		locals[process] = point.Local(env)
	}
	return locals, nil
}

// begin returns the control point at which a process begins, with its variables in env.
func (s *Start) begin(env *Env) (*Point, error) {
	t, point, err := decide(s.Term, env)
	for t != nil && err == nil && point == nil {
		t, point, err = decide(t, env)
	}
	return point, err
}
