package explorer

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A Graph is the state graph of a small system.
type Graph struct {
	Nodes []Node `json:"nodes"` // in breadth-first order
	Edges []Edge `json:"edges"`
	Large string `json:"large,omitempty"` // why the graph is not given
}

// A Node is a state.
type Node struct {
	Code  string `json:"code"`
	Level int    `json:"level"` // the length of a shortest run to it
	Mark  string `json:"mark,omitempty"`
}

// An Edge is a transition.
type Edge struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Label string `json:"label"`
}

// The marks of nodes.
const (
	terminalMark = "terminal"
	violatedMark = "violated"
)

// ManyStates is the maximum number of states of a system that is drawn or exported.
const ManyStates = 5000

// ErrManyStates reports that a system has more than ManyStates states.
var ErrManyStates = fmt.Errorf("the system has more than %s states", model.Count(ManyStates).Comma())

// Graph returns the state graph. The error wraps ErrManyStates if the system is too large for that, and
// explore.ErrIncomplete if a limit ends the search; a model error is a *model.Error.
func (x *Explorer) Graph(ctx context.Context, opt explore.Options) (*Graph, error) {
	g := &Graph{Nodes: []Node{}, Edges: []Edge{}}
	_, err := x.walk(ctx, opt, &g.Nodes, ManyStates, ErrManyStates, func(from uint64, all []explore.Transition) error {
		for _, t := range all {
			if !t.Repeated {
				g.Edges = append(g.Edges, Edge{int(from), int(t.To), x.sys.Label(t.Label).Text})
			}
		}
		if len(all) == 0 {
			g.Nodes[from].Mark = terminalMark
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range g.Nodes {
		state, err := x.decode(x.sys, g.Nodes[i].Code)
		if err != nil {
			return nil, err
		}
		if x.violated(ctx, state) {
			g.Nodes[i].Mark = violatedMark
		}
	}
	return g, ctx.Err()
}

// walk collects all states. The error is tooMany if there are more than most, a *model.Error, or wraps
// explore.ErrIncomplete if a limit ends the search.
func (x *Explorer) walk(ctx context.Context, opt explore.Options, nodes *[]Node, most int, tooMany error,
	transitions func(from uint64, transitions []explore.Transition) error) (*explore.Result, error) {
	result, err := explore.Walk(ctx, x.sys, opt, explore.Visitor{
		State: func(_ uint64, level int, state []model.Value) error {
			if len(*nodes) == most {
				return tooMany
			}
			*nodes = append(*nodes, Node{Code: x.code(state), Level: level})
			return nil
		},
		Transitions: transitions,
	})
	switch {
	case err != nil:
	case result.ModelError != nil:
		err = result.ModelError
	default:
		err = result.Err()
	}
	return result, err
}

// violated reports whether a state violates an invariant.
func (x *Explorer) violated(ctx context.Context, state []model.Value) bool {
	return slices.ContainsFunc(x.sys.Protocol().Properties, func(p *ir.Property) bool {
		return judge(p, x.truth(ctx, x.sys, p.Body, state), false).Violated
	})
}

// A Quotient is a system modulo branching bisimilarity, where only events are visible. It is all that an observer of
// the events can find out about the system.
type Quotient struct {
	// Graph has a node for each class of states, with the first state of the class in breadth-first order. Only
	// terminal classes are marked. If there are several initial states, a node without a code may represent the choice
	// among them.
	Graph
	Sizes []int `json:"sizes"` // the number of states of each class

	classes map[string]int // of every reachable state, by code: indices into Nodes
}

// ManyToMinimize is the maximum number of states of a system that is minimised for the page.
const ManyToMinimize = 500_000

// ErrManyToMinimize reports that a system has more than ManyToMinimize states.
var ErrManyToMinimize = fmt.Errorf("the system has more than %s states", model.Count(ManyToMinimize).Comma())

// Quotient returns the system modulo branching bisimilarity. It is computed once. The error wraps ErrManyToMinimize if
// the system is too large, ErrManyStates if the quotient is too large to be drawn.
func (x *Explorer) Quotient(ctx context.Context, opt explore.Options) (*Quotient, error) {
	x.making.Lock()
	defer x.making.Unlock()
	if x.quotient == nil {
		q, err := x.newQuotient(ctx, opt)
		if err != nil {
			return nil, err
		}
		x.quotient = q
	}
	return x.quotient, nil
}

func (x *Explorer) newQuotient(ctx context.Context, opt explore.Options) (*Quotient, error) {
	var met []Node
	b := lts.NewBuilder()
	add := func(from uint64, all []explore.Transition) error {
		for _, t := range all {
			name := lts.TauName
			if label := x.sys.Label(t.Label); label.Visible {
				name = label.Text
			}
			b.Add(uint32(from), lts.Edge{Label: b.Label(name), To: uint32(t.To)})
		}
		return nil
	}
	result, err := x.walk(ctx, opt, &met, ManyToMinimize, ErrManyToMinimize, add)
	if err != nil {
		return nil, err
	}
	initial := uint32(0)
	if many := result.Levels[0]; many > 1 { // add a state before them, with a τ transition to each
		initial = uint32(len(met))
		met = append(met, Node{})
		for s := range uint32(many) {
			b.Add(initial, lts.Edge{Label: lts.Tau, To: s})
		}
	}
	full, err := b.Build(ctx, initial, len(met))
	if err != nil {
		return nil, err
	}
	reduced, classes, err := bisim.Minimize(ctx, full, bisim.Branching, bisim.Options{Memory: opt.Memory})
	if err != nil {
		return nil, err
	}
	return quotientOf(reduced, classes, met)
}

// quotientOf returns the Quotient of a minimised system, whose classes are numbered by their first states.
func quotientOf(reduced *lts.LTS, classes *bisim.Partition, met []Node) (*Quotient, error) {
	if reduced.States() > ManyStates {
		return nil, fmt.Errorf("minimized, %w", ErrManyStates)
	}
	q := &Quotient{Sizes: make([]int, reduced.States()), classes: make(map[string]int, len(met))}
	for s, class := range classes.Of {
		if int(class) == len(q.Nodes) {
			q.Nodes = append(q.Nodes, met[s])
		}
		if met[s].Code != "" {
			q.Sizes[class]++
			q.classes[met[s].Code] = int(class)
		}
	}
	q.Edges = []Edge{}
	for class := range uint32(reduced.States()) {
		for _, e := range reduced.Out(class) {
			q.Edges = append(q.Edges, Edge{int(class), int(e.To), reduced.Label(e.Label)})
		}
		if len(reduced.Out(class)) == 0 {
			q.Nodes[class].Mark = terminalMark
		}
	}
	return q, nil
}
