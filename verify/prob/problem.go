package prob

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
	"ringcheck/internal/largepage"
)

// A Scheduler resolves the choices of a state.
type Scheduler int

// The schedulers.
const (
	Uniform Scheduler = iota // takes every choice with equal probability, which yields a Markov chain
	Min                      // minimises the value
	Max                      // maximises the value
)

// ParseScheduler is the inverse of String.
func ParseScheduler(name string) (Scheduler, error) {
	for _, k := range []Scheduler{Uniform, Min, Max} {
		if k.String() == name {
			return k, nil
		}
	}
	return 0, fmt.Errorf("scheduler %s: expected uniform, min or max", name)
}

func (s Scheduler) String() string { return [...]string{"uniform", "min", "max"}[s] }

// A Goal is the target of a run. Any of the following reaches it.
type Goal struct {
	States   Set    // these states; may be nil
	Marks    []bool // by mark: whether branches with it do
	Terminal bool   // terminal states, and the end of a run
	Ends     Set    // the end of a run in one of these states
}

// end reports whether a run reaches the goal by ending in a state.
func (g *Goal) end(s uint32) bool { return g.Terminal || g.Ends != nil && g.Ends.Has(s) }

func (g *Goal) state(m *MDP, s uint32) bool {
	return g.States != nil && g.States.Has(s) || g.Terminal && m.Terminal(s)
}

// Begins reports whether every initial state reaches the goal.
func (g *Goal) Begins(m *MDP) bool {
	return !slices.ContainsFunc(m.initial, func(s start) bool { return !g.state(m, s.state) })
}

func (g *Goal) mark(k uint32) bool { return int(k) < len(g.Marks) && g.Marks[k] }

// classes returns by class whether branches of it reach the goal.
func (g *Goal) classes(m *MDP) []bool {
	reaches := make([]bool, len(m.classes))
	for i, c := range m.classes {
		reaches[i] = g.mark(c.Mark)
	}
	return reaches
}

// A Problem is an MDP prepared for queries about one goal. Its states are those reachable before the goal and, as the
// last state, the goal. Each strongly connected component is a range of states in depth-first postorder and leads to
// components with smaller numbers, so that a sweep of value iteration in ascending order mostly reads updated values. A
// Problem is immutable and safe for concurrent use.
type Problem struct {
	MDP                 // has one initial state per initial state of the process, in order
	components []uint32 // component c consists of the states components[c] to components[c+1]-1
	origin     []uint32 // by state: its number in the process
	// uniform is the problem without the choices to end a run, nil if there are none. Such a choice is the last of its
	// state: a branch of the last class to the goal or to the state itself.
	uniform     *Problem
	certainties [3]certainty // by scheduler
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

// Prepare returns the problem of reaching g in m. Its only error is the context's.
func Prepare(ctx context.Context, m *MDP, g Goal) (_ *Problem, err error) {
	defer effort.Catch(&err)
	return prepare(&effort.Effort{Context: ctx}, m, g), nil
}

func prepare(f *effort.Effort, m *MDP, g Goal) *Problem {
	reaches := g.classes(m)
	search := graph.NewSearch(f, m.States(), func(s, from uint32) (to, edge uint32, ok bool) {
		for i := m.rows[s] + from; i < m.rows[s+1]; i++ {
			if !reaches[m.class[i]] && !g.state(m, m.to[i]) {
				return m.to[i], i - m.rows[s], true
			}
		}
		return 0, 0, false
	})
	post := largepage.Make[uint32](m.States())[:0]
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

// arrange numbers the states, given those before the goal in postorder and their components, and makes the rows.
func arrange(f *effort.Effort, m *MDP, g *Goal, post, component []uint32, count int) *Problem {
	n := uint32(len(post))
	p := &Problem{origin: largepage.Make[uint32](int(n)), components: make([]uint32, count+1)}
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
	for _, s := range post { // a stable sort, which keeps postorder within a component
		at := &next[component[s]]
		p.origin[*at], number[s] = s, *at
		*at++
	}
	p.to, p.class = largepage.Make[uint32](int(branches))[:0], largepage.Make[uint16](int(branches))[:0]
	reaches := g.classes(m)
	for at, s := range p.origin {
		f.Tick()
		for i := m.rows[s]; i < m.rows[s+1]; i++ {
			t := n
			if !reaches[m.class[i]] && !g.state(m, m.to[i]) {
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
		p.initial = append(p.initial, start{min(n, number[s.state]), s.weight}) // states in the goal have no number
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

// stride is the number of states of a sweep between two checks of the context.
const stride = 1 << 16

// states returns the number of states without the goal.
func (p *Problem) states() uint32 { return uint32(len(p.origin)) }

// goal returns the state that represents the goal.
func (p *Problem) goal() uint32 { return p.states() }

// predecessors returns the sources of the branches to each state, once per branch.
func (p *Problem) predecessors(f *effort.Effort) graph.Rows[uint32] {
	return graph.Group(f, p.States(), len(p.to), func(yield func(list, element uint32)) {
		for s := range p.states() {
			f.Tick()
			for _, t := range p.targets(s) {
				yield(t, s)
			}
		}
	})
}

// Process returns the problem as a process: the states before the goal, in order, and then the goal with the given
// label.
func (p *Problem) Process(m *MDP, goal string) *MDP {
	out := p.MDP
	out.Rewards, out.Labels = m.Rewards, []Label{{goal, p.goalOnly()}}
	return &out
}
