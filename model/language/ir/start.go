package ir

import (
	"slices"

	"ringcheck/model/language/syntax"
)

// A Start says how the processes of a protocol begin.
type Start struct {
	// Assignments give each process a value, in the order of the text; there is an initial state for each combination.
	Assignments []*Assignment
	Number      *Var // holds the number of the process in Term
	// Term is the text of the process declaration: decisions that lead to a Call, which is resolved, or to an Enter.
	Term Term
	// Contents are the messages in the channels, in their order within a channel.
	Contents []*Deposit
	// Condition is true of the configurations that are initial ones. It is nil if all are.
	Condition    Expr
	ConditionPos syntax.Pos
}

// A Deposit is a message in a channel at the start. Its Args are evaluated as in a Send, in the environment of
// Start.Term.
type Deposit struct {
	Link    int
	Message *Message
	Args    []Expr
	Pos     syntax.Pos
}

// An Assignment gives each process a value.
type Assignment struct {
	Name        string // as declared, or the name of a register that can have any initial value
	Permutation bool   // the values are a permutation of all Values
	Values      *Type
	// The value for process p is Env.Vars[Base+p].
	Base int
	// Of is the kind of the processes that have different values; nil for all. It is nil for a permutation.
	Of *ProcessKind
	// Shared says that the value for process 0 is that of a shared variable; the others do not matter.
	Shared bool
}

// Varies reports whether a process has different values.
func (a *Assignment) Varies(process int) bool {
	return (a.Of == nil || a.Of.Has(process)) && (!a.Shared || process == 0)
}

// AssignedValue is the value of an assignment for a process. It stands in Start.Term only.
type AssignedValue struct {
	Assignment *Assignment
	Process    Expr
}

func (e *AssignedValue) Type() *Type { return e.Assignment.Values }

func (e *AssignedValue) Eval(env *Env) (int64, error) {
	p, err := e.Process.Eval(env)
	if err != nil {
		return 0, err
	}
	i := e.Assignment.Base + int(p)
	if env.assignedReads != nil {
		*env.assignedReads = append(*env.assignedReads, i)
	}
	return env.Vars[i], nil
}

// Initial calls yield with the initial configurations until it returns false: one for each combination of assignments
// for which the condition holds, in lexicographic order, the first assignment the slowest. A configuration is the
// initial local state of each process, the contents of each channel, and the values of the shared variables; it is
// valid only during the call. The error is an *Error: a value leaves its range, for example, or there is no initial
// configuration.
func (p *Protocol) Initial(yield func(locals []Local, channels [][]Content, shared []int64) bool) error {
	found := false
	for c := p.Combination(); ; {
		locals, channels, shared, allowed, err := p.configuration(c.env)
		if err != nil {
			return err
		}
		found = found || allowed
		if allowed && !yield(locals, channels, shared) {
			return nil
		}
		if !c.Next() {
			break
		}
	}
	if !found {
		return errorAt(p.Start.ConditionPos, "the condition holds in no state, so there is no initial one")
	}
	return nil
}

// A Combination is a combination of assigned values, and thereby an initial configuration.
type Combination struct {
	protocol *Protocol
	env      *Env
	reads    []int
}

// Combination returns the first combination.
func (p *Protocol) Combination() *Combination {
	return &Combination{protocol: p, env: p.assignedEnv(nil, (*Assignment).first)}
}

// Next changes c to the next combination in the order of Initial and reports whether there is one.
func (c *Combination) Next() bool { return c.protocol.advance(c.env) }

// Value returns the assigned value with a number.
func (c *Combination) Value(i int) int64 { return c.env.Vars[i] }

// Local returns the initial local state of a process, and the numbers of the assigned values on which it depends: the
// number reads[k] and the result are determined by the values with the numbers reads[:k]. Both are valid until the next
// call of a method.
func (c *Combination) Local(process int) (l Local, reads []int, err error) {
	reads, err = c.readsOf(func() (err error) {
		l, err = c.protocol.local(c.env, process)
		return err
	})
	return l, reads, err
}

// Contents returns the initial contents of the channels, with reads as Local does.
func (c *Combination) Contents() (channels [][]Content, reads []int, err error) {
	reads, err = c.readsOf(func() (err error) {
		channels, err = c.protocol.contents(c.env)
		return err
	})
	return channels, reads, err
}

// Shared returns the initial value of Protocol.Shared[slot], with reads as Local does.
func (c *Combination) Shared(slot int) (value int64, reads []int, err error) {
	reads, err = c.readsOf(func() (err error) {
		value, err = c.protocol.Shared[slot].Init.Eval(c.env)
		return err
	})
	return value, reads, err
}

// readsOf returns the numbers of the assigned values that an evaluation reads, and its error.
func (c *Combination) readsOf(evaluate func() error) (reads []int, err error) {
	c.reads = c.reads[:0]
	c.env.assignedReads = &c.reads
	defer func() { c.env.assignedReads = nil }()
	err = evaluate()
	return c.reads, err
}

// A StartProduct describes initial configurations that are all combinations of the initial local states of the
// processes and of the values of the shared variables.
type StartProduct struct {
	Locals   [][]Local // by process; two may be equal
	Channels [][]Content
	Shared   [][]int64 // by Var.Slot
}

// Product returns the initial configurations as a product. It returns nil if they are none, as where the values of a
// permutation matter, where an assigned value matters to several processes or to a message, or where there is a
// condition; if a value leaves its range; or if the processes together have more initial local states than limit.
func (p *Protocol) Product(limit int) *StartProduct {
	if p.Start.Condition != nil {
		return nil
	}
	c := p.Combination()
	channels, reads, err := c.Contents()
	if err != nil || len(reads) > 0 {
		return nil
	}
	all := &StartProduct{Channels: channels}
	readers := make(map[int]int) // of assigned values that matter: the processes
	for process := range p.N {
		var locals []Local
		ok := c.eachOf(&limit, func() (reads []int, ok bool) {
			l, reads, err := c.Local(process)
			for _, i := range reads {
				if reader, ok := readers[i]; ok && reader != process || p.assignmentOf(i).Permutation {
					return nil, false
				}
				readers[i] = process
			}
			if err != nil {
				return nil, false
			}
			locals = append(locals, Local{Point: l.Point, Env: slices.Clone(l.Env)})
			return reads, true
		})
		if !ok {
			return nil
		}
		all.Locals = append(all.Locals, locals)
	}
	for slot := range p.Shared {
		var values []int64
		ok := c.eachOf(&limit, func() (reads []int, ok bool) {
			value, reads, err := c.Shared(slot)
			values = append(values, value)
			return reads, err == nil
		})
		if !ok {
			return nil
		}
		all.Shared = append(all.Shared, values)
	}
	return all
}

// eachOf calls add with each combination of the assigned values that add reads, and takes their number off the limit.
// It ends with false if add does, or if there are more than the limit.
func (c *Combination) eachOf(limit *int, add func() (reads []int, ok bool)) bool {
	for more := true; more; *limit-- {
		reads, ok := add()
		if !ok || *limit <= 0 {
			return false
		}
		more = c.nextOf(reads)
	}
	return true
}

// nextOf changes the values with the numbers reads, which are of no permutation, to the next ones in lexicographic
// order, and reports whether there are any. If not, it sets them to the first ones.
func (c *Combination) nextOf(reads []int) bool {
	for _, i := range slices.Backward(reads) {
		t := c.protocol.assignmentOf(i).Values
		if c.env.Vars[i] < t.Hi {
			c.env.Vars[i]++
			return true
		}
		c.env.Vars[i] = t.Lo
	}
	return false
}

// assignmentOf returns the assignment of the assigned value with a number.
func (p *Protocol) assignmentOf(i int) *Assignment {
	for _, a := range p.Start.Assignments {
		if a.Base <= i && i < a.Base+p.N {
			return a
		}
	}
	panic("ir: no assigned value has this number")
}

// Begin returns the configuration for which assign sets the values of each assignment, and whether the condition on
// initial states allows it. It adds wide sets to sets.
func (p *Protocol) Begin(
	sets *Sets, assign func(a *Assignment, values []int64),
) (processes []Local, channels [][]Content, shared []int64, allowed bool, err error) {
	return p.configuration(p.assignedEnv(sets, assign))
}

// assignedEnv returns an environment in which assign has set the values of each assignment.
func (p *Protocol) assignedEnv(sets *Sets, assign func(a *Assignment, values []int64)) *Env {
	env := p.NewEnv(nil)
	env.Sets = sets
	for _, a := range p.Start.Assignments {
		env.Vars = append(env.Vars, make([]int64, p.N)...)
		assign(a, a.of(env, p.N))
	}
	return env
}

// configuration returns the configuration for the assigned values in env, and whether it is an initial one.
func (p *Protocol) configuration(
	env *Env,
) (processes []Local, channels [][]Content, shared []int64, allowed bool, err error) {
	if processes, err = p.locals(env); err != nil {
		return nil, nil, nil, false, err
	}
	if channels, err = p.contents(env); err != nil {
		return nil, nil, nil, false, err
	}
	for _, v := range p.Shared {
		value, err := v.Init.Eval(env)
		if err != nil {
			return nil, nil, nil, false, err
		}
		shared = append(shared, value)
	}
	if p.Start.Condition == nil {
		return processes, channels, shared, true, nil
	}
	env.State = &startView{p, processes, channels, shared}
	defer func() { env.State = nil }()
	holds, err := p.Start.Condition.Eval(env)
	return processes, channels, shared, holds != 0, err
}

// A startView is the view of an initial configuration.
type startView struct {
	protocol  *Protocol
	processes []Local
	channels  [][]Content
	shared    []int64
}

// Seen implements View.
func (v *startView) Seen(p int) Local {
	at, _ := v.protocol.Ended(v.processes[p], nil)
	return at
}

// Channel implements View.
func (v *startView) Channel(link int) []Content { return v.channels[link] }

// SharedValue implements View.
func (v *startView) SharedValue(slot int) int64 { return v.shared[slot] }

// of returns the values of an assignment to n processes.
func (a *Assignment) of(env *Env, n int) []int64 { return env.Vars[a.Base : a.Base+n] }

// Combinations returns the number of combinations of assigned values, rounded: an upper bound of the initial states.
func (p *Protocol) Combinations() float64 {
	all := 1.0
	for _, a := range p.Start.Assignments {
		values := float64(a.Values.Hi) - float64(a.Values.Lo) + 1
		for process := range p.N {
			if !a.Varies(process) {
				continue
			}
			all *= values
			if a.Permutation {
				values--
			}
		}
	}
	return all
}

// advance sets env to the next combination of assigned values and reports whether there is one.
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
		if a.Varies(p) && values[p] < a.Values.Hi {
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

func (p *Protocol) contents(env *Env) ([][]Content, error) {
	channels := make([][]Content, len(p.Links))
	for _, d := range p.Start.Contents {
		args, err := evalAll(d.Args, env)
		if err != nil {
			return nil, err
		}
		c, list := Content{Message: d.Message, Args: args}, channels[d.Link]
		at := p.Channel.Insert(len(list), func(i int) bool { return list[i].Compare(c) >= 0 })
		channels[d.Link] = slices.Insert(list, at, c)
	}
	return channels, nil
}

func (p *Protocol) locals(env *Env) ([]Local, error) {
	locals := make([]Local, p.N)
	for process := range locals {
		var err error
		if locals[process], err = p.local(env, process); err != nil {
			return nil, err
		}
	}
	return locals, nil
}

// local returns the initial local state of a process.
func (p *Protocol) local(env *Env, process int) (Local, error) {
	env.Vars[p.Start.Number.ID] = int64(process)
	env.Self = process
	for _, v := range p.Vars {
		switch {
		case !v.Lasting(), v.Kind == Shared:
			continue
		case !v.BelongsTo(process):
			env.Vars[v.ID] = 0
			continue
		}
		value, err := v.Init.Eval(env)
		if err != nil {
			return Local{}, err
		}
		env.Vars[v.ID] = value
	}
	point, err := p.Start.begin(env)
	if err != nil {
		return Local{}, err
	}
	return point.Local(env), nil
}

// begin returns the control point at which a process begins, with its variables in env.
func (s *Start) begin(env *Env) (*Point, error) {
	for t := s.Term; ; {
		next, point, err := Decide(t, env, env)
		switch {
		case err != nil:
			return nil, err
		case point == nil:
			t = next
		default:
			return point.enter(env)
		}
	}
}

// Entries returns the control points at which a process may begin, over all values of assignments and variables.
func (p *Protocol) Entries(process int) []*Point {
	env := p.NewEnv(nil)
	env.Vars[p.Start.Number.ID] = int64(process)
	env.Self = process
	return p.Start.entries(nil, p.Start.Term, env)
}

// entries appends the control points to which a term may lead a process with the number in env.
func (s *Start) entries(points []*Point, t Term, env *Env) []*Point {
	switch t := t.(type) {
	case *Enter:
		return slices.AppendSeq(points, Arrivals(t.Point))
	case *Call:
		return slices.AppendSeq(points, Arrivals(t.Equation.Start))
	case *If:
		holds, ok := s.decide(t.Cond, env)
		switch {
		case ok && holds:
			return s.entries(points, t.Then, env)
		case ok:
			return s.entries(points, t.Else, env)
		}
	}
	for _, u := range PartsOf(t).Terms {
		points = s.entries(points, u, env)
	}
	return points
}

// decide evaluates a condition. It is not ok if more than the number of the process may matter.
func (s *Start) decide(cond Expr, env *Env) (holds, ok bool) {
	ok = true
	Walk(cond, func(e Expr) bool {
		switch e := e.(type) {
		case *VarRef:
			ok = ok && e.Var == s.Number
		case *AssignedValue, *Apply, *SharedVar:
			ok = false
		}
		return ok
	})
	if !ok {
		return false, false
	}
	value, err := cond.Eval(env)
	return value != 0, err == nil
}
