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

// graph returns the transitions of the system, void if the search for them did not come to its end, and what the search found.
func (c *checker) graph(ctx context.Context, opt explore.Options) (*product.Graph, *explore.Result, error) {
	g := &grapher{sys: c.subject.searched(), builder: product.NewBuilder(), kinds: make(map[model.Label][2]uint16)}
	opt.Observer, opt.Until, opt.Match = c.observer, nil, nil
	result, err := explore.Walk(ctx, g.sys, opt, explore.Visitor{
		Class:       func(_ uint64, class uint32) error { g.builder.State(class); return nil },
		Transitions: g.transitions,
		Bytes:       g.builder.Bytes,
	})
	if err != nil || !result.Complete() {
		return nil, result, err
	}
	initial := make([]uint32, result.Levels[0])
	for i := range initial {
		initial[i] = uint32(i)
	}
	graph, err := g.builder.Graph(initial)
	return graph, result, err
}

// A grapher makes a graph of what a walk meets.
type grapher struct {
	sys     model.System
	builder *product.Builder
	kinds   map[model.Label][2]uint16 // the numbers of kinds that do not end a distribution, and that do
}

func (g *grapher) transitions(_ uint64, transitions []explore.Transition) error {
	for i, t := range transitions {
		ends := 1
		if i+1 < len(transitions) && transitions[i+1].Group == t.Group && transitions[i+1].Choice == t.Choice {
			ends = 0
		}
		g.builder.Transition(g.kind(t.Label)[ends], uint32(t.To))
	}
	g.builder.Complete()
	return nil
}

func (g *grapher) kind(label model.Label) [2]uint16 {
	n, ok := g.kinds[label]
	if !ok {
		k := kindOf(g.sys.Label(label))
		n[0] = g.builder.Kind(k)
		k.Ends = true
		n[1] = g.builder.Kind(k)
		g.kinds[label] = n
	}
	return n
}

// kindOf returns what matters of a label: who acts, and the event, or what sort of message is sent or received. What the environment does,
// a crash for one, is nobody's action: no process is fair by crashing.
func kindOf(l model.LabelInfo) product.Kind {
	k := product.Kind{Process: l.Process}
	switch l.Kind {
	case model.CrashAction, model.RecoverAction, model.LossAction, model.DuplicateAction, model.TickAction:
		k.Process = nobody
	case model.EventAction:
		k.Action = eventAction + nameOf(l.Text)
	case model.SendAction:
		k.Action = sendAction + nameOf(l.Message)
	case model.ReceiveAction:
		k.Action = receiveAction + nameOf(l.Message)
	}
	return k
}

// nobody is the process of what the environment does.
const nobody = -1

// How the Action of a kind begins.
const (
	eventAction   = "event "
	sendAction    = "send "
	receiveAction = "recv "
)

// nameOf returns the name of an event or message.
func nameOf(text string) string {
	name, _, _ := strings.Cut(text, "(")
	return name
}

// moves returns the steps of the lasso of a verdict, round the cycle once. It explores the system once more for the states.
func (c *checker) moves(ctx context.Context, v *Verdict, opt explore.Options) ([]explore.Move, error) {
	steps := slices.Concat(v.Lasso.lasso.Stem, v.Lasso.lasso.Cycle)
	states, err := c.states(ctx, steps, opt)
	if err != nil {
		return nil, fmt.Errorf("search for the states of a run: %w", err)
	}
	moves := []explore.Move{{State: states[steps[0].From]}}
	for _, s := range steps {
		if s.Kind.Action == product.Over {
			break
		}
		m := explore.Move{State: states[s.To]}
		like := func(step model.Step) bool {
			k := kindOf(c.subject.System.Label(step.Label))
			return k.Process == s.Kind.Process && k.Action == s.Kind.Action
		}
		if m.Step, err = explore.StepBetween(c.subject.System, states[s.From], m.State, like); err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// states returns the states in which some steps begin, by number.
func (c *checker) states(ctx context.Context, steps []product.Step, opt explore.Options) (map[uint32][]model.Value, error) {
	states := make(map[uint32][]model.Value)
	for _, s := range steps {
		states[s.From] = nil
	}
	missing := len(states)
	opt.Observer, opt.Until, opt.Match = nil, nil, nil
	_, err := explore.Walk(ctx, c.subject.System, opt, explore.Visitor{
		State: func(id uint64, _ int, state []model.Value) error {
			if _, ok := states[uint32(id)]; ok {
				states[uint32(id)] = slices.Clone(state)
				if missing--; missing == 0 {
					return errFound
				}
			}
			return nil
		},
		Transitions: func(uint64, []explore.Transition) error { return nil }, // for the numbers to be the same
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return states, err
}

// errFound ends a walk that has met all that it was for.
var errFound = errors.New("found")
