package verify

import (
	"context"
	"slices"
	"strings"
	"sync"

	"ringcheck/explore"
	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/verify/product"
)

// kinds numbers the kinds of steps.
type kinds struct {
	sys   model.System
	list  intern.Values[groupKind]
	draws intern.Values[[2]int] // numbers draws, given by group and choice

	mu    sync.RWMutex
	known map[sort]uint32
}

func newKinds(sys model.System) *kinds { return &kinds{sys: sys, known: make(map[sort]uint32)} }

// A groupKind is a kind of steps with their group, -1 for no group. Tags number groupKinds.
type groupKind struct {
	group int
	kind  product.Kind
}

// A sort identifies a kind of steps: by the process, the label, and the draw.
type sort struct {
	group  int
	label  model.Label
	choice int // -1 if there is no draw
}

// tag is an explore.Options.Tag.
func (k *kinds) tag(group int, step model.Step) uint32 {
	s := sort{group, step.Label, -1}
	if step.Weight != model.Certain {
		s.choice = int(step.Choice)
	}
	k.mu.RLock()
	n, ok := k.known[s]
	k.mu.RUnlock()
	if ok {
		return n
	}
	kind := kindOf(k.sys.Label(step.Label))
	if s.choice >= 0 {
		kind.Draw = 1 + int(k.draws.Number([2]int{group, s.choice}))
	}
	n = k.list.Number(groupKind{group, kind})
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known[s] = n
	return n
}

// kindList returns the kinds so far, by tag.
func (k *kinds) kindList() (list []product.Kind) {
	for i := range uint32(k.list.Len()) {
		list = append(list, k.list.At(i).kind)
	}
	return list
}

// A graph is the product.System of a search. A quiescent state has an additional loop, a step of the kind product.Over:
// a run can end there, and for the automaton it continues for ever. temporal.runs ensures that a run does not continue
// after its end.
type graph struct {
	explore.Graph
	space   *explore.Space
	tag     func(group int, step model.Step) uint32
	initial []uint64
	kinds   []product.Kind
	over    uint32
	// environment holds the kinds of the environment; nil if only terminal states are quiescent.
	environment []bool
}

// graph returns the graph of a complete search.
func (k *kinds) graph(ctx context.Context, space *explore.Space) (*graph, error) {
	g, err := space.Graph(ctx)
	if err != nil {
		return nil, err
	}
	over := k.list.Number(groupKind{-1, product.Kind{Process: environment, Action: product.Over}})
	initial, err := g.Initial()
	of := &graph{Graph: g, space: space, tag: k.tag, initial: initial, kinds: k.kindList(), over: over}
	groups := k.sys.Groups()
	for i := range uint32(k.list.Len()) {
		one := k.list.At(i)
		if space.Result().EnvironmentOnly > 0 {
			of.environment = append(of.environment, one.group >= 0 && groups[one.group].Environment)
		}
	}
	return of, err
}

// Initial and Kinds implement product.System.
func (g *graph) Initial() []uint64     { return g.initial }
func (g *graph) Kinds() []product.Kind { return g.kinds }

// Sweep implements product.System.
func (g *graph) Sweep(
	ctx context.Context, backward bool, selected explore.Selection, visit func(v *explore.Vertex),
) error {
	return g.Graph.Sweep(ctx, backward, selected, func(v *explore.Vertex) { visit(g.forEver(v)) })
}

// Expand implements product.System.
func (g *graph) Expand(places []uint64, visit func(v *explore.Vertex)) error {
	return g.Graph.Expand(places, func(v *explore.Vertex) { visit(g.forEver(v)) })
}

func (g *graph) forEver(v *explore.Vertex) *explore.Vertex {
	acts := func(tag uint32) bool { return g.environment == nil || !g.environment[tag] }
	if slices.ContainsFunc(v.Tags, acts) {
		return v
	}
	loop := &explore.Vertex{
		Number: v.Number, Place: v.Place, Level: v.Level, Class: v.Class,
		To: append(slices.Clip(v.To), v.Place), Tags: append(slices.Clip(v.Tags), g.over),
	}
	if len(v.Permutations) > 0 {
		loop.Permutations = append(slices.Clip(v.Permutations), 0) // the identity
	}
	return loop
}

// endsIn returns the length of a shortest run to a state of a class in which it can end, negative if there is none.
func (g *graph) endsIn(class int) int {
	if classes := g.space.Result().Classes; class < len(classes) && classes[class].Quiescent.Count > 0 {
		return classes[class].Quiescent.Level
	}
	return -1
}

// runTo returns the places of such a run.
func (g *graph) runTo(ctx context.Context, class int) ([]uint64, error) {
	end := &g.space.Result().Classes[class].Quiescent
	moves, err := g.space.Path(ctx, end.State, end.Level)
	if err != nil {
		return nil, err
	}
	var states [][]model.Value
	for _, m := range moves {
		states = append(states, m.State)
	}
	return g.Find(states)
}

// hasDraws reports whether some kinds of steps are outcomes of draws.
func hasDraws(kinds []product.Kind) bool {
	return slices.ContainsFunc(kinds, func(k product.Kind) bool { return k.Draw > 0 })
}

// kindOf returns the kind of a label: the process, and the event or the kind of message. Steps of the environment that
// affect a process are not its actions.
func kindOf(l model.LabelInfo) product.Kind {
	k := product.Kind{Process: l.Process}
	switch l.Kind {
	case model.CrashAction:
		if !l.Own {
			k.Process = environment
		}
	case model.RecoverAction, model.FaultAction:
		k.Process = environment
	case model.TickAction:
		k.Process, k.Action = environment, tickAction
	case model.EventAction:
		k.Action = eventAction + nameOf(l.Text)
	case model.SendAction:
		k.Action = sendAction + nameOf(l.Message)
	case model.ReceiveAction:
		k.Action = receiveAction + nameOf(l.Message)
	case model.SyncAction:
		k.Action, k.Receiver = sendAction+nameOf(l.Message), l.Receiver+1
	case model.Internal: // fairness to the process is all that there is
	}
	return k
}

// takes reports whether a process takes part in a step of a kind, alone or together with another one.
func takes(process int, k product.Kind) bool { return k.Process == process || k.Receiver == process+1 }

// takesAction reports whether a step of a kind is such an action of a process.
func takesAction(process int, action string, k product.Kind) bool {
	if k.Receiver == process+1 {
		message := strings.TrimPrefix(k.Action, sendAction)
		return action == receiveAction+message
	}
	return k.Process == process && k.Action == action
}

// environment is the process of steps of the environment.
const environment = -1

// Prefixes of the Action of a kind.
const (
	eventAction   = "event "
	sendAction    = "send "
	receiveAction = "recv "
)

// tickAction is the Action of a tick.
const tickAction = "tick"

// actionOf returns the Action of an event.
func actionOf(e *ir.Event) string {
	if e == ir.Tick {
		return tickAction
	}
	return eventAction + e.Name
}

// nameOf returns the name of an event or message.
func nameOf(text string) string {
	name, _, _ := strings.Cut(text, "(")
	return name
}

// moves returns the moves of some steps from a place, up to the end of the run.
func (c *checker) moves(g *graph, from uint64, steps []product.Step) ([]explore.Move, error) {
	first, err := g.State(from)
	if err != nil {
		return nil, err
	}
	moves := []explore.Move{{State: first}}
	for _, s := range steps {
		if s.Kind.Action == product.Over {
			break
		}
		var m explore.Move
		if m.State, err = g.State(s.To); err != nil {
			return nil, err
		}
		sys, before := c.verifier.searched(), moves[len(moves)-1].State
		if m.Step, err = explore.StepBetween(sys, before, m.State, like(sys, s.Kind)); err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// like returns a function that reports whether a step of a system is of a kind, whatever it draws.
func like(sys model.System, kind product.Kind) func(model.Step) bool {
	return func(step model.Step) bool {
		k := kindOf(sys.Label(step.Label))
		return k.Process == kind.Process && k.Action == kind.Action && k.Receiver == kind.Receiver
	}
}
