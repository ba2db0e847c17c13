package prob

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/graph"
	"ringcheck/internal/effort"
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
	Terminal bool   // or in a terminal state, or by the end of a run
	Ends     Set    // or by the end of a run in one of these states
}

// end reports whether a run that ends in a state reaches the goal by that.
func (g *Goal) end(s uint32) bool { return g.Terminal || g.Ends != nil && g.Ends.Has(s) }

func (g *Goal) state(m *MDP, s uint32) bool {
	return g.States != nil && g.States.Has(s) || g.Terminal && m.Terminal(s)
}

func (g *Goal) mark(k uint32) bool { return int(k) < len(g.Marks) && g.Marks[k] }

// branch reports whether a branch reaches the goal.
func (g *Goal) branch(m *MDP, i uint32) bool {
	return g.mark(m.classes[m.class[i]].Mark) || g.state(m, m.to[i])
}

// A Problem is an MDP prepared for questions about one goal. It has the states that can be met before the goal, and one
// more, the last, which is the goal. Each strongly connected component is a range of states in depth-first postorder,
// and leads to components with smaller numbers: so a sweep of value iteration in ascending order has most values it
// needs anew. A Problem does not change, and can be used by many goroutines.
type Problem struct {
	MDP                 // its initial states are one for each of those of the process, in order
	components []uint32 // component c is the states components[c] to components[c+1]-1
	origin     []uint32 // the number of a state in the process
	// uniform is the problem without the choices to end a run, nil if there are none. These are branches of the last
	// class to the goal, or to the state itself, and come last in their states.
	uniform *Problem
}

// of returns the problem for a scheduler.
func (p *Problem) of(k Scheduler) *Problem {
	if k == Uniform && p.uniform != nil {
		return p.uniform
	}
	return p
}

// ends reports whether a branch is the choice to end a run.
func (p *Problem) ends(branch uint32) bool {
	return p.uniform != nil && int(p.class[branch]) == len(p.classes)-1
}

// Prepare makes the problem to reach g in m. Its only error is the context's.
func Prepare(ctx context.Context, m *MDP, g Goal) (_ *Problem, err error) {
	defer effort.Catch(&err)
	return prepare(&effort.Effort{Context: ctx}, m, g), nil
}

func prepare(f *effort.Effort, m *MDP, g Goal) *Problem {
	search := graph.NewSearch(f, m.States(), func(s, from uint32) (to, edge uint32, ok bool) {
		for i := m.rows[s] + from; i < m.rows[s+1]; i++ {
			if !g.branch(m, i) {
				return m.to[i], i - m.rows[s], true
			}
		}
		return 0, 0, false
	})
	var post []uint32
	search.Left = func(s uint32) { post = append(post, s) }
	for _, s := range m.initial {
		if !g.state(m, s.state) {
			search.Visit(s.state)
		}
	}
	of, count := search.Components()
	if !slices.ContainsFunc(post, m.MayEnd) {
		return arrange(f, m, &g, post, of, count)
	}
	endless := *m
	endless.Stops = nil
	uniform := arrange(f, &endless, &g, post, slices.Clone(of), count)
	p := arrange(f, m, &g, post, of, count)
	p.uniform = uniform
	return p
}

// arrange numbers the states, given those before the goal in postorder, and the components, and makes their rows.
func arrange(f *effort.Effort, m *MDP, g *Goal, post, component []uint32, count int) *Problem {
	n := uint32(len(post))
	p := &Problem{origin: make([]uint32, n), components: make([]uint32, count+1)}
	p.MDP = MDP{classes: m.classes, rows: make([]uint32, 1, n+2)}
	if m.Stops != nil {
		p.classes = append(slices.Clip(p.classes), Class{Weight: Certain, First: true, Mark: m.marks()})
	}
	branches := uint32(0)
	for _, s := range post {
		p.components[component[s]+1]++
		branches += m.rows[s+1] - m.rows[s]
	}
	for c := range count {
		p.components[c+1] += p.components[c]
	}
	next := slices.Clone(p.components)
	number := component
	for _, s := range post { // a component keeps postorder, for the sort is stable
		at := &next[component[s]]
		p.origin[*at], number[s] = s, *at
		*at++
	}
	p.to, p.class = make([]uint32, 0, branches), make([]uint16, 0, branches)
	for at, s := range p.origin {
		f.Tick()
		for i := m.rows[s]; i < m.rows[s+1]; i++ {
			t := n
			if !g.branch(m, i) {
				t = number[m.to[i]]
			}
			p.to, p.class = append(p.to, t), append(p.class, m.class[i])
		}
		if m.MayEnd(s) {
			t := uint32(at)
			if g.end(s) {
				t = n
			}
			p.to, p.class = append(p.to, t), append(p.class, uint16(len(p.classes)-1))
		}
		p.rows = append(p.rows, uint32(len(p.to)))
	}
	p.rows = append(p.rows, uint32(len(p.to))) // the goal
	for _, s := range m.initial {
		p.initial = append(p.initial, start{min(n, number[s.state]), s.weight}) // one of the goal has no number
	}
	return p
}

// total returns the sum of the weights of the initial states.
func (p *Problem) total() float64 {
	sum := uint64(0)
	for _, s := range p.initial {
		sum += s.weight
	}
	return float64(sum)
}

// stride is after how many states a sweep asks whether it is to stop.
const stride = 1 << 16

// states returns the number of states but for the goal.
func (p *Problem) states() uint32 { return uint32(len(p.origin)) }

// goal returns the number of the state that stands for the goal.
func (p *Problem) goal() uint32 { return p.states() }

// predecessors returns the states with a branch to a state or the goal, once for each branch.
func (p *Problem) predecessors() graph.Rows[uint32] {
	return graph.Reverse(p.States(), len(p.to), func(yield func(from, to uint32)) {
		for s := range p.states() {
			for _, t := range p.targets(s) {
				yield(s, t)
			}
		}
	})
}

// Process returns the problem as a process: the states before the goal in their order, and behind them the goal, which
// has the given label.
func (p *Problem) Process(m *MDP, goal string) *MDP {
	out := p.MDP
	out.Rewards, out.Labels = m.Rewards, []Label{{goal, p.arrived()}}
	return &out
}
