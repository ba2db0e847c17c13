package prob

import (
	"context"
	"fmt"
	"slices"
)

// A Scheduler says who decides between the choices of a state.
type Scheduler int

// The schedulers.
const (
	Uniform Scheduler = iota // every choice is equally likely, which makes a Markov chain of the process
	Min                      // the scheduler that makes the value least
	Max                      // the one that makes it greatest
)

// ParseScheduler returns the scheduler of a name.
func ParseScheduler(name string) (Scheduler, error) {
	for _, k := range []Scheduler{Uniform, Min, Max} {
		if k.String() == name {
			return k, nil
		}
	}
	return 0, fmt.Errorf("scheduler %s: want uniform, min or max", name)
}

func (s Scheduler) String() string { return [...]string{"uniform", "min", "max"}[s] }

// A Goal is what a run is to reach.
type Goal struct {
	States   Set    // in one of these states, nil for none
	Marks    []bool // or right after a branch with one of these marks
	Terminal bool   // or in a terminal state
}

func (g *Goal) state(m *MDP, s uint32) bool {
	return g.States != nil && g.States.Has(s) || g.Terminal && m.Terminal(s)
}

func (g *Goal) mark(k uint32) bool { return int(k) < len(g.Marks) && g.Marks[k] }

// A Problem is an MDP prepared for questions about one goal. It has the states that can be met before the goal,
// numbered such that each strongly connected component is a range, the components that it can go to have smaller
// numbers (Pearce 2005), and the states of a component are in depth-first postorder; and one more state, the last, which
// is the goal. A sweep in ascending order is thus one of value iteration that has most of what it needs anew.
//
// It does not change once it is made, and can be used by many goroutines.
type Problem struct {
	rows       []uint32
	to         []uint32
	class      []uint16
	classes    []Class
	components []uint32 // component c is the states components[c] to components[c+1]-1
	initial    []uint32 // one for each of the MDP's, in its order
	origin     []uint32 // the MDP's number of a state
	marks      int
}

// Prepare makes the problem to reach g in m. Its only error is the context's.
func Prepare(ctx context.Context, m *MDP, g Goal) (*Problem, error) {
	o := &order{m: m, goal: &g, index: make([]uint32, m.States())}
	if err := o.search(ctx); err != nil {
		return nil, err
	}
	return o.problem(), nil
}

func (p *Problem) states() uint32 { return uint32(len(p.rows) - 1) }

// goal returns the number of the state that stands for the goal.
func (p *Problem) goal() uint32 { return p.states() }

// stride is after how many states a sweep asks whether it is to stop.
const stride = 1 << 16

// An order finds strongly connected components and the order of states, by Pearce's algorithm ("An improved algorithm for
// finding the strongly connected components of a directed graph", 2005, PEA_FIND_SCC2) without recursion.
type order struct {
	m    *MDP
	goal *Goal

	index      []uint32 // 0: not met; small: on the way; large: the number of the component, counted down from the top
	next       uint32   // index of the next state that is met
	component  uint32   // number of the next component
	path       []frame
	open       []uint32 // states that are done, but for their component
	post       []uint32 // states in postorder
	components []uint32 // sizes
}

type frame struct {
	state, branch uint32
	root          bool
}

// goalState marks states of the goal, which are not met.
const goalState = ^uint32(0)

func (o *order) search(ctx context.Context) error {
	o.next, o.component = 1, goalState-1
	for _, s := range o.m.initial {
		o.meet(s)
		for steps := 1; len(o.path) > 0; steps++ {
			if steps%stride == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			o.step()
		}
	}
	return nil
}

// meet begins with a state if it was not met before.
func (o *order) meet(s uint32) {
	switch {
	case o.index[s] != 0:
	case o.goal.state(o.m, s):
		o.index[s] = goalState
	default:
		o.index[s] = o.next
		o.next++
		o.path = append(o.path, frame{s, o.m.rows[s], true})
	}
}

// step follows one branch of the last state of the path, or ends it.
func (o *order) step() {
	f := &o.path[len(o.path)-1]
	if f.branch == o.m.rows[f.state+1] {
		o.path = o.path[:len(o.path)-1]
		o.end(f.state, f.root)
		return
	}
	if o.goal.mark(o.m.classes[o.m.class[f.branch]].Mark) {
		f.branch++
		return
	}
	t := o.m.to[f.branch]
	if o.index[t] == 0 {
		o.meet(t) // and come back to this branch
		return
	}
	if o.index[t] < o.index[f.state] {
		o.index[f.state] = o.index[t]
		f.root = false
	}
	f.branch++
}

// end is done with a state.
func (o *order) end(s uint32, root bool) {
	o.post = append(o.post, s)
	if !root {
		o.open = append(o.open, s)
		return
	}
	size := uint32(1)
	for n := len(o.open) - 1; n >= 0 && o.index[s] <= o.index[o.open[n]]; n-- {
		o.index[o.open[n]] = o.component
		o.open = o.open[:n]
		size++
	}
	o.index[s] = o.component
	o.next -= size
	o.component--
	o.components = append(o.components, size)
}

// problem numbers the states and makes their rows.
func (o *order) problem() *Problem {
	n := uint32(len(o.post))
	p := &Problem{classes: o.m.classes, marks: o.m.Marks(), origin: make([]uint32, n), components: make([]uint32, 1, len(o.components)+1)}
	for _, size := range o.components {
		p.components = append(p.components, p.components[len(p.components)-1]+size)
	}
	next := slices.Clone(p.components)
	branches := 0
	for _, s := range o.post { // a component keeps postorder, for the sort is stable
		c := goalState - 1 - o.index[s]
		p.origin[next[c]] = s
		o.index[s] = next[c]
		next[c]++
		branches += int(o.m.rows[s+1] - o.m.rows[s])
	}
	p.rows = make([]uint32, 1, n+1)
	p.to = make([]uint32, 0, branches)
	p.class = make([]uint16, 0, branches)
	for _, s := range p.origin {
		for i := o.m.rows[s]; i < o.m.rows[s+1]; i++ {
			c := o.m.class[i]
			t := n
			if !o.goal.mark(o.m.classes[c].Mark) {
				t = min(n, o.index[o.m.to[i]])
			}
			p.to = append(p.to, t)
			p.class = append(p.class, c)
		}
		p.rows = append(p.rows, uint32(len(p.to)))
	}
	for _, s := range o.m.initial {
		p.initial = append(p.initial, min(n, o.index[s]))
	}
	return p
}

// each calls yield with each choice of a state, a range of branches, until it returns false, and says whether it never did.
func (p *Problem) each(s uint32, yield func(first, end uint32) bool) bool {
	end := p.rows[s+1]
	for first := p.rows[s]; first < end; {
		next := first + 1
		for next < end && !p.classes[p.class[next]].First {
			next++
		}
		if !yield(first, next) {
			return false
		}
		first = next
	}
	return true
}

// Process returns the problem as a process: the states before the goal in their order, and behind them the goal, which has the given label.
func (p *Problem) Process(m *MDP, goal string) *MDP {
	n := int(p.states()) + 1
	out := &MDP{rows: append(slices.Clone(p.rows), uint32(len(p.to))), to: p.to, class: p.class, classes: p.classes, initial: p.initial, Rewards: m.Rewards}
	set := NewSet(n)
	set.Add(p.goal())
	out.Labels = []Label{{goal, set}}
	return out
}
