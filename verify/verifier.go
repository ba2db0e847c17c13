package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
)

// A Verifier decides properties of a protocol in the system to search.
type Verifier struct {
	System *compile.System
	// Searched is a smaller system to search in place of System, nil for System itself. Its states are states of
	// System, or it implements model.Cells. If it is a model.Quotient of System by rotation, properties must be
	// Symmetric, and verdicts, counts and lengths of runs refer to System.
	Searched model.System
	// Unreduce, if not nil, means that Searched leaves out states by confluence (package reduce/confluence), with Seen
	// for the properties: verdicts refer to System, counts and lengths to Searched. Unreduce inserts the steps that
	// were left out into a run, lifted from a quotient if there is one, and returns the new indices of its states.
	Unreduce func(ctx context.Context, run []explore.Move) (full []explore.Move, at []int, err error)
	// Prioritize, if not nil, returns System with confluent steps that seen does not see as parts of the steps before
	// them. In a large system, temporal properties that hold are shown to hold with it.
	Prioritize func(seen func(before, after model.Value, moved bool) bool) Prioritized
	// Holds, if not nil, returns which properties hold in a state of Searched, a system of one slot; System is nil
	// then, and only the names and kinds of properties are used. Several goroutines call it.
	Holds func(property int, v model.Value) bool
	// Memory is the maximum memory of an expanded property, in bytes; 0 bounds only the number of its expressions. A
	// larger property is evaluated without expansion, which is slower.
	Memory uint64
	// StopFirst makes Check end after the first level with a state that violates an invariant or terminal property.
	StopFirst bool
	// OnViolation, if not nil, is called, by one of several goroutines, when a search first visits a state that
	// violates such a property, with the level of the state.
	OnViolation func(property *ir.Property, level int)
}

func (s Verifier) searched() model.System {
	if s.Searched == nil {
		return s.System
	}
	return s.Searched
}

// cells returns the searched system if its slots are cells.
func (s Verifier) cells() model.Cells {
	c, _ := model.As[model.Cells](s.searched())
	return c
}

// width returns the number of slots of the protocol that a slot of the searched system represents.
func (s Verifier) width() int { return len(s.System.Slots()) / len(s.searched().Slots()) }

// permits returns an error unless the searched system decides the properties. It describes the first that is not
// decided, and names the others.
func (s Verifier) permits(properties []*ir.Property) error {
	var first error
	var others []string
	for _, p := range properties {
		switch err := s.permitsOne(p); {
		case err == nil:
		case first == nil:
			first = err
		default:
			others = append(others, p.Name)
		}
	}
	if others != nil {
		return fmt.Errorf("%w (nor can these be decided: %s)", first, strings.Join(others, ", "))
	}
	return first
}

func (s Verifier) permitsOne(p *ir.Property) error {
	if p.Kind.OfRuns() && (s.Unreduce != nil || s.quotient()) {
		t, err := newTemporal(p, s.System.Protocol())
		if err == nil {
			err = s.permitsTemporal(t)
		}
		if err != nil {
			return err
		}
	}
	if s.quotient() {
		return Symmetric(p, s.System)
	}
	return nil
}

// quotient reports whether a state of the searched system represents all its rotations.
func (s Verifier) quotient() bool {
	_, ok := model.As[model.Quotient](s.searched())
	return ok
}

// permitsTemporal returns an error if a reduction or quotient does not decide an LTL property. If labels are events
// without the process and letters are symmetric, the quotient by an automorphism is bisimilar to the system: it has the
// same words, and with chance the same schedulers. But it does not show which process has acted.
func (s Verifier) permitsTemporal(t *temporal) error {
	fair := len(t.property.Temporal.Fair) > 0
	switch {
	case s.Unreduce != nil && fair:
		return t.refuse("it assumes fairness, and a reduction lets some processes act before others, " +
			"so it is not known which process is starved")
	case s.Unreduce != nil && !t.formula.Inert(t.stepAtoms()):
		return t.refuse("its value may depend on the number of steps that change nothing, as that of next does, " +
			"and a reduction leaves such steps out")
	case !s.quotient():
		return nil
	case fair:
		return t.refuse("it assumes fairness, and rotations of a state are stored as one, " +
			"so it is not known which process has acted")
	case slices.ContainsFunc(t.steps, func(step stepAtom) bool { return step.process != anyone }):
		return t.refuse("it is about an event of one process, and rotations of a state are stored as one")
	}
	for _, body := range t.predicates() {
		p := t.property
		if err := Symmetric(&ir.Property{Kind: p.Kind, Name: p.Name, Pos: p.Pos, Body: body}, s.System); err != nil {
			return err
		}
	}
	return nil
}

// decode returns a state of the protocol that a state of the searched system represents.
func (s Verifier) decode(state []model.Value) []model.Value {
	cells := s.cells()
	if cells == nil || state == nil {
		return state
	}
	var all []model.Value
	for _, v := range state {
		all = append(all, cells.Cell(v)...)
	}
	return all
}

// lift returns a run of the protocol that ends in last, for a run of the searched system to a state that represents
// last.
func (s Verifier) lift(moves []explore.Move, last []model.Value) ([]explore.Move, error) {
	if s.cells() == nil {
		return moves, nil
	}
	lifter, ok := model.As[model.Lifter](s.searched())
	if !ok {
		return nil, errors.New("runs of the searched system cannot be mapped to runs of the protocol")
	}
	var states [][]model.Value
	for _, m := range moves {
		states = append(states, m.State)
	}
	return lifter.Lift(states, func(state []model.Value) bool { return slices.Equal(state, last) })
}

// unreduce returns the run of the protocol that a run of a reduced system represents, up to the first state that
// violates the property. Steps after the last one of the reduced run are irrelevant for the property, except that a
// terminal state comes last.
func (s Verifier) unreduce(ctx context.Context, p *ir.Property, moves []explore.Move) ([]explore.Move, error) {
	if s.Unreduce == nil {
		return moves, nil
	}
	full, at, err := s.Unreduce(ctx, moves)
	switch last := len(moves) - 1; {
	case err != nil || p.Kind.OfEnds():
		return full, err
	case last == 0:
		return full[:1], nil
	default:
		return full[:at[last-1]+2], nil
	}
}

// Why reduction by confluence preserves the verdicts.
//
// With Seen, a step of the set T of package confluence is inert: it is no event and changes the value of no body and of
// no atom of an LTL property. States that T joins are branching bisimilar and agree in these values. So the reduced
// system has a state with some values if the full system has one, and it is reachable from corresponding states: this
// determines invariants, reachable and recoverable properties. Terminal properties are preserved in any case, since T
// has no step from a terminal state.
//
// The proof in package confluence ("What schedulers can achieve") simulates every run of the full system, and with
// chances every scheduler, by one of the reduced system, and vice versa. The runs differ only in inert steps, finitely
// many before each other step. The letter of an inert step has no event and is otherwise the letter of the next step.
// So the verdict is the same if the formula is insensitive to such letters: ltl.Formula.Inert. No run is lost or
// truncated: cycles of steps of T remain as steps of a representative to itself.
//
// Fairness is not preserved. In the reduced system a process takes its steps of T at once: a state before such a step
// may be missing, and a process that can always act in the full system may be unable to act in some of the remaining
// states.

// SymmetricGoal returns an error that wraps ErrAsymmetric unless the goal provably has the same value in all rotations
// of a state.
func SymmetricGoal(sys *compile.System, goal *ir.Formula) error {
	switch {
	case goal == nil:
		return nil
	case goal.Op == ir.StateAtom:
		return Symmetric(&ir.Property{Kind: property.Reachable, Name: "goal", Body: goal.State, Pos: goal.Pos}, sys)
	}
	return cmp.Or(SymmetricGoal(sys, goal.X), SymmetricGoal(sys, goal.Y))
}

// Seen returns a function for confluence.Options that reports which steps are visible to a property that is not
// terminal; nil if all are terminal. The error is ctx's or wraps ErrTemporal.
func Seen(
	ctx context.Context, sys *compile.System, properties []*ir.Property, memory uint64,
) (_ func(before, after model.Value, moved bool) bool, err error) {
	defer effort.Catch(&err)
	var bodies []ir.Expr
	kept := true
	for _, p := range properties {
		switch p.Kind.Scope {
		case property.Ends:
			continue
		case property.Runs:
			t, err := newTemporal(p, sys.Protocol())
			if err != nil {
				return nil, err
			}
			bodies = append(bodies, t.predicates()...)
		case property.States:
			bodies = append(bodies, p.Body)
		}
		kept = false
	}
	if kept {
		return nil, nil
	}
	o := newObserver(ctx, Verifier{System: sys, Memory: memory}, bodies, nil, nil)
	channels := o.readsChannels()
	var told []func(v model.Value) uint32 // by process: the class of its local state
	for p := range sys.Protocol().N {
		told = append(told, o.Leaf(sys.SlotOfProcess(p)))
	}
	var known sync.Map
	return func(before, after model.Value, moved bool) bool {
		if moved && channels {
			return true
		}
		if before == after {
			return false
		}
		step := [2]model.Value{before, after}
		if seen, ok := known.Load(step); ok {
			return seen.(bool)
		}
		seen := false
		for _, class := range told { // the local state may belong to any process
			seen = seen || class(before) != class(after)
		}
		known.Store(step, seen)
		return seen
	}, nil
}

// readsChannels reports whether a term depends on the contents of a channel.
func (o *observer) readsChannels() bool {
	process := make([]bool, len(o.sys.Slots()))
	for p := range o.sys.Protocol().N {
		process[o.sys.SlotOfProcess(p)] = true
	}
	for _, t := range o.terms {
		for _, u := range t.uses {
			if _, slot := u.expr.(slotValue); slot && !process[u.span.first] {
				return true
			}
		}
	}
	return false
}

// ErrAsymmetric means that a property need not have the same value in a state and in its rotations.
var ErrAsymmetric = errors.New("the property distinguishes processes by their numbers")

// Symmetric returns an error that wraps ErrAsymmetric unless the form of a property of sys shows that it has the same
// value in a state of a ring and in all rotations of it, or that it has none in any of them, since evaluating it fails.
// This is so if it refers to processes only by quantifiers over all of them and by their distances, as in (p + d) mod
// n. The order in which a quantifier evaluates does not matter: a deciding value decides even if others fail, and sums
// are refused whose parts can overflow 64 bits while the whole does not.
func Symmetric(property *ir.Property, sys *compile.System) error {
	p := sys.Protocol()
	if p.N == 1 {
		return nil
	}
	if ir.Abstract[turned](&equivariance{n: int64(p.N)}, property.Body) != still {
		return fmt.Errorf("%s: property %s: %w", property.Pos, property.Name, ErrAsymmetric)
	}
	return nil
}

// turned is the effect on the value of an expression of rotating the state by one place.
type turned struct {
	kind turning
	by   int64 // below the number of processes
}

type turning int

const (
	// Nothing is known about the value after the rotation.
	astray turning = iota
	// A process number v becomes (v + by) mod n, and a channel or message the corresponding one. With by = 0, a value
	// of any type remains the same.
	round
	// A number v becomes a number that is congruent to v + by modulo n.
	modulo
)

var (
	still = turned{kind: round}
	along = turned{kind: round, by: 1}
	lost  = turned{}
)

// equivariance is the abstract domain of the effects on values of rotating the n processes of a ring.
type equivariance struct {
	n       int64
	applied ir.Applications[turned, turned]
}

// Node implements ir.Domain.
func (d *equivariance) Node(e ir.Expr, of ir.Parts[turned]) turned {
	parts := of.All()
	switch e := e.(type) {
	case *ir.At, *ir.ProcessVar, *ir.MessageIs, *ir.MessageField, *ir.Length:
		if parts[0] == along {
			return still
		}
		return lost
	case *ir.Inbox, *ir.Neighbour:
		if parts[0] == along && parts[1] == still {
			return along
		}
		return lost
	case *ir.Holds:
		return parts[0]
	case *ir.Convert:
		return d.convert(e, parts[0])
	case *ir.Binary:
		return d.binary(e, parts[0], parts[1])
	case *ir.Cond:
		if parts[0] != still || parts[1] != parts[2] {
			return lost
		}
		return parts[1]
	}
	for _, p := range parts {
		if p != still {
			return lost
		}
	}
	return still
}

// Quantifier implements ir.Domain.
func (d *equivariance) Quantifier(q *ir.Quantifier, domain []turned, body func(turned) turned) turned {
	binder := still
	switch {
	case q.Over != nil && domain[0] == along, everyone(q, d.n):
		binder = along
	case q.Over != nil || domain[0] != still || domain[1] != still:
		return lost
	}
	if sum := q.Body.Type(); q.Op == ir.Sum && binder == along && sum.Lo < -large && sum.Hi > 0 {
		return lost
	}
	if body(binder) != still {
		return lost
	}
	return still
}

// large bounds the terms of sums so that these do not overflow 64 bits: a quantifier has no more than 2^20 values.
const large = 1 << 42

// everyone reports whether q ranges over all of n processes.
func everyone(q *ir.Quantifier, n int64) bool {
	lo, ok := q.Lo.(*ir.Const)
	hi, ok2 := q.Hi.(*ir.Const)
	return ok && ok2 && q.Var.Type.Kind == ir.Node && lo.Value == 0 && hi.Value == n-1
}

// Apply implements ir.Domain.
func (d *equivariance) Apply(e *ir.Apply, args []turned, body func([]turned) turned) turned {
	return d.applied.Of(e.Define, args, func() turned { return body(args) })
}

// convert keeps the effect if the value is in the type after every rotation.
func (d *equivariance) convert(e *ir.Convert, x turned) turned {
	if x == still || x.kind == round && e.To.Lo <= 0 && e.To.Hi >= d.n-1 {
		return x
	}
	return lost
}

func (d *equivariance) binary(e *ir.Binary, x, y turned) turned {
	if x.kind == astray || y.kind == astray {
		return lost
	}
	if x == still && y == still {
		return still
	}
	switch e.Op {
	case ir.Add:
		return turned{modulo, (x.by + y.by) % d.n}
	case ir.Sub:
		return turned{modulo, (x.by - y.by + d.n) % d.n}
	case ir.Mod:
		if c, ok := e.Y.(*ir.Const); ok && c.Value == d.n {
			return turned{round, x.by}
		}
	case ir.Eq, ir.Ne:
		if x == y && x.kind == round {
			return still
		}
	}
	return lost
}
