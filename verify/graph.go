package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/verify/product"
)

// graph returns the transitions of the system with what matters of them to a temporal property.
func (c *checker) graph(ctx context.Context, t *temporal, opt explore.Options) (*product.Graph, error) {
	g := &grapher{temporal: t, sys: c.subject.System, builder: product.NewBuilder(), kinds: make(map[model.Label]product.Kind)}
	g.classes = newClassifier(c.observer, g.sys)
	g.letters = make(map[uint32]uint64)
	opt.Observer, opt.Until, opt.Match, opt.Spill = nil, nil, nil, false
	var initial []uint32
	result, err := explore.Walk(ctx, g.sys, opt, explore.Visitor{
		State: func(id uint64, level int, state []model.Value) error {
			if level == 0 {
				initial = append(initial, uint32(id))
			}
			if opt.Memory != 0 && id%(1<<12) == 0 && g.builder.Bytes() > opt.Memory {
				return explore.ErrMemory
			}
			return g.state(state)
		},
		Transition: g.transition,
	})
	switch {
	case err != nil:
		return nil, err
	case result.Stop == explore.MemoryLimit:
		return nil, explore.ErrMemory
	case !result.Complete():
		return nil, explore.ErrIncomplete
	}
	g.complete(result.Stored)
	return g.builder.Graph(initial)
}

// A grapher makes a graph of what a walk meets.
type grapher struct {
	*temporal
	sys     model.System
	builder *product.Builder
	classes *classifier
	letters map[uint32]uint64 // by class
	kinds   map[model.Label]product.Kind
	done    uint64 // states that have all their transitions
}

func (g *grapher) state(state []model.Value) error {
	class := g.classes.of(state)
	letter, ok := g.letters[class]
	if !ok {
		var err error
		if letter, err = g.letter(g.classes.observer.outcomes(class)); err != nil {
			return err
		}
		g.letters[class] = letter
	}
	g.builder.State(letter)
	return nil
}

func (g *grapher) transition(from uint64, step model.Step, to uint64) error {
	g.complete(from)
	g.builder.Transition(g.kind(step), uint32(to))
	return nil
}

// complete says that the states before number end have all their transitions.
func (g *grapher) complete(end uint64) {
	for ; g.done < end; g.done++ {
		g.builder.Complete(g.over())
	}
}

// kind returns what matters of a step.
func (g *grapher) kind(step model.Step) product.Kind {
	k, ok := g.kinds[step.Label]
	if !ok {
		l := g.sys.Label(step.Label)
		k = product.Kind{Events: g.happening(&l), Process: l.Process, Ends: true}
		if l.Process >= 0 && l.Process < product.MaxActions {
			k.Takes = 1 << l.Process
		}
		g.kinds[step.Label] = k
	}
	return k
}

// actionName returns the name of an event or message.
func actionName(text string) string {
	name, _, _ := strings.Cut(text, "(")
	return name
}

// A classifier finds the classes of whole states for an observer. It remembers what it has found, for one goroutine.
type classifier struct {
	observer *observer
	root     *classNode
}

// A classNode knows the classes of some slots.
type classNode struct {
	first, end  int
	left, right *classNode
	leaf        func(v model.Value) uint32
	join        func(left, right uint32) uint32
	known       map[uint64]uint32
}

func newClassifier(o *observer, sys model.System) *classifier {
	return &classifier{observer: o, root: newClassNode(o, 0, max(2, len(sys.Slots())), len(sys.Slots()))}
}

func newClassNode(o *observer, first, end, width int) *classNode {
	n := &classNode{first: first, end: end, known: make(map[uint64]uint32)}
	switch {
	case end-first > 1:
		mid := (first + end + 1) / 2
		n.left, n.right = newClassNode(o, first, mid, width), newClassNode(o, mid, end, width)
		n.join = o.Join(first, mid, end)
	case first < width:
		n.leaf = o.Leaf(first)
	default:
		n.leaf = func(model.Value) uint32 { return 0 }
	}
	return n
}

func (c *classifier) of(state []model.Value) uint32 { return c.root.class(state) }

func (n *classNode) class(state []model.Value) uint32 {
	if n.leaf != nil {
		v := model.Value(0)
		if n.first < len(state) {
			v = state[n.first]
		}
		class, ok := n.known[uint64(v)]
		if !ok {
			class = n.leaf(v)
			n.known[uint64(v)] = class
		}
		return class
	}
	left, right := n.left.class(state), n.right.class(state)
	key := uint64(left)<<32 | uint64(right)
	class, ok := n.known[key]
	if !ok {
		class = n.join(left, right)
		n.known[key] = class
	}
	return class
}

// moves returns the steps of the lasso of a verdict, round the cycle once. It explores the system once more for the states.
func (c *checker) moves(ctx context.Context, v *Verdict, opt explore.Options) ([]explore.Move, error) {
	t, l := c.temporal[slices.Index(c.properties, v.Property)], v.Lasso.lasso
	steps := slices.Concat(l.Stem, l.Cycle)
	wanted := make(map[uint64][]model.Value)
	for _, s := range steps {
		wanted[uint64(s.From)] = nil
	}
	missing := len(wanted)
	opt.Observer, opt.Until, opt.Match, opt.Spill = nil, nil, nil, false
	_, err := explore.Walk(ctx, c.subject.System, opt, explore.Visitor{State: func(id uint64, _ int, state []model.Value) error {
		if _, ok := wanted[id]; ok {
			wanted[id] = append([]model.Value(nil), state...)
			if missing--; missing == 0 {
				return errFound
			}
		}
		return nil
	}})
	if !errors.Is(err, errFound) {
		return nil, fmt.Errorf("search for the states of a run: %w", err)
	}
	g := &grapher{temporal: t, sys: c.subject.System, kinds: make(map[model.Label]product.Kind)}
	moves := []explore.Move{{State: wanted[uint64(steps[0].From)]}}
	for _, s := range steps {
		if s.Kind.Over {
			break
		}
		m := explore.Move{State: wanted[uint64(s.To)]}
		like := func(step model.Step) bool { return g.kind(step) == s.Kind }
		if m.Step, err = explore.StepBetween(g.sys, wanted[uint64(s.From)], m.State, like); err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// errFound ends a walk that has met all that it was for.
var errFound = errors.New("found")
