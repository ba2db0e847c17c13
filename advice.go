package ringcheck

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"time"

	"ringcheck/symbolic"
)

// An Advice says what the beginning of a search shows of how its states go together: a diagram of them is small if many share
// parts.
type Advice struct {
	Symbolic bool // the symbolic engine would be the better choice
	// Levels is how many levels of the breadth-first search were looked at, States how many states they have, and Nodes the
	// size of the diagram of these.
	Levels int
	States Number
	Nodes  int64
	// In the last Recent of these levels the states became StateGrowth times as many, and the nodes NodeGrowth times.
	Recent                  int
	StateGrowth, NodeGrowth float64
}

// The beginning that Advise looks at, and what it has to show.
const (
	prefixStates = 1 << 20
	prefixTime   = 5 * time.Second // for the diagram
	manyStates   = 8               // a node, if diagrams are to be worth while
	slowGrowth   = 0.75            // the exponent of the nodes in the states at most
)

// Advise searches the beginning of a system with both engines. It returns nil if the system is that small or cannot be searched
// symbolically as the options want: then the explicit engine is right. What it says is about the beginning; a diagram
// can grow in another way later.
func Advise(ctx context.Context, sys *System, opt ...Options) (*Advice, error) {
	o := only(opt)
	if o.symbolic() != nil {
		return nil, nil
	}
	o.MaxStates, o.Store, o.Progress = prefixStates, nil, nil
	begun, err := Explore(ctx, sys, o)
	if err != nil || begun.Stopped != "states" {
		return nil, err
	}
	o.MaxStates = 0
	t, err := prepare(ctx, sys, o)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, prefixTime)
	defer cancel()
	sizes, err := symbolic.Prefix(ctx, t.target, t.symbolicOptions(SymbolicOptions{}), len(begun.LevelSizes))
	if err != nil || len(sizes) < 2 {
		return nil, err
	}
	return newAdvice(sizes), nil
}

// newAdvice looks at the levels in which the number of states grew to the 16-fold last.
func newAdvice(sizes []symbolic.Size) *Advice {
	last := len(sizes) - 1
	end := sizes[last]
	from := last - 1
	for from > 0 && ratio(end.States, sizes[from].States) < 16 {
		from--
	}
	a := &Advice{
		Levels: len(sizes), States: Number{end.States}, Nodes: end.Nodes, Recent: last - from,
		StateGrowth: ratio(end.States, sizes[from].States), NodeGrowth: float64(end.Nodes) / float64(sizes[from].Nodes),
	}
	slow := math.Log(a.NodeGrowth) <= slowGrowth*math.Log(a.StateGrowth)
	a.Symbolic = slow && ratio(end.States, big.NewInt(end.Nodes)) >= manyStates
	return a
}

func ratio(a, b *big.Int) float64 {
	r, _ := new(big.Rat).SetFrac(a, b).Float64()
	return r
}

// String says what was seen, and what it means.
func (a *Advice) String() string {
	seen := fmt.Sprintf("the first %d levels have %v states, in a diagram of %d nodes; in the last %d of them states became %.1f times as many, and nodes %.1f times",
		a.Levels, a.States, a.Nodes, a.Recent, a.StateGrowth, a.NodeGrowth)
	if a.Symbolic {
		return "--engine symbolic looks like the better choice: " + seen
	}
	return "--engine explicit looks like the right choice: " + seen
}
