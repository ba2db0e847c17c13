package confluence

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce/internal/distinct"
)

// A PrioritizedSystem is a system in which each confluent τ that is always enabled where it can occur is part of the
// transition before it. It implements model.System and model.Confluent.
type PrioritizedSystem struct {
	sys            *compile.System
	tails          *tails
	analysis       *analysis // of the composed transitions
	groups         []model.Group
	extendedGroups []extendedGroup
	labels         intern.Pairs                // pairs of a label and the sequence of actions that follows
	active         intern.Array[atomic.Uint32] // by local state
	unlabelledTail atomic.Bool                 // see ActionsComplete
}

var (
	_ model.Holder    = (*PrioritizedSystem)(nil)
	_ model.Idler     = (*PrioritizedSystem)(nil)
	_ model.Confluent = (*PrioritizedSystem)(nil)
)

// Options determine which transitions count as confluent.
type Options struct {
	// NoConflict is the assumption that no channel ever holds two messages such that the receipt of one is confluent
	// with everything else but the order of the two matters. It is checked in visited states: Next returns a
	// *model.Error where it does not hold.
	NoConflict bool
	// Observes, if not nil, reports whether properties of states can observe that a process moves from one local state
	// to another and, if moved is true, that messages are sent or received. Such a step is not confluent. It must be
	// safe for concurrent use.
	Observes func(before, after model.Value, moved bool) bool
	// Equal makes Next and Confluent return a *model.Error, of cause ErrUnequal, unless transitions that differ by a
	// permutation of processes are certainly all confluent or none is. Otherwise this is so for transitions of equal
	// local states only.
	Equal bool
}

// Prioritize returns sys with priority for confluent τ's.
func Prioritize(sys *compile.System, opt Options) *PrioritizedSystem {
	t := newTails(sys, opt)
	p := &PrioritizedSystem{sys: sys, tails: t}
	p.analysis = newAnalysis(sys, composedBehaviour{compiledBehaviour{sys}, t}, opt)
	r := newReach(sys.Ports())
	for g := range sys.Groups() {
		p.addGroup(r, g)
	}
	return p
}

// An extendedGroup is a group of the system extended by the channels that the tails of its transitions send to.
type extendedGroup struct {
	role   compile.Role
	inside []int // indices of the slots of the system's group
	self   int   // index of the process's slot
	links  []int // by target: index of the channel to it, -1 without a channel
}

func (p *PrioritizedSystem) addGroup(r *reach, number int) {
	inner, protocol := p.sys.Groups()[number], p.sys.Protocol()
	g := extendedGroup{role: p.sys.Role(number), links: slices.Repeat([]int{-1}, p.sys.Ports())}
	slots := slices.Clone(inner.Slots)
	out := make(map[int64]int)
	for _, port := range tailTargets(r, protocol, g.role) {
		if link := protocol.OutLink(g.role.Process, port); link >= 0 {
			out[port] = p.sys.SlotOfLink(link)
			slots = append(slots, out[port])
		}
	}
	slices.Sort(slots)
	slots = slices.Compact(slots)
	for _, s := range inner.Slots {
		g.inside = append(g.inside, slices.Index(slots, s))
	}
	g.self = g.inside[g.role.Self]
	for port, slot := range out {
		g.links[port] = slices.Index(slots, slot)
	}
	p.groups = append(p.groups, model.Group{Name: inner.Name, Slots: slots})
	p.extendedGroups = append(p.extendedGroups, g)
}

// tailTargets returns the targets of sends that may be composed with the transitions of a group.
func tailTargets(r *reach, p *ir.Protocol, role compile.Role) []int64 {
	var all []int64
	for _, point := range p.Points {
		for prefix := range prefixes(point.Term, false) {
			if prefix.Next == nil || !plays(prefix.Action, role) {
				continue
			}
			for port := range r.follow(prefix.Next) {
				all = append(all, port)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// plays reports whether an action can belong to a group with the role.
func plays(a ir.Action, role compile.Role) bool {
	switch a := a.(type) {
	case *ir.Send:
		return role.Kind == compile.Sends && sendsTo(a, role.Port) || role.Kind == compile.Mixed
	case *ir.Receive:
		c, constant := a.Source.Equal.(*ir.Const)
		return role.Kind == compile.Receives && (!constant || c.Value == role.Port)
	case *ir.Emit, *ir.Assign, *ir.Skip, *ir.Crash:
	}
	return role.Kind == compile.Events || role.Kind == compile.Mixed
}

// Slots implements model.System.
func (p *PrioritizedSystem) Slots() []model.Slot { return p.sys.Slots() }

// Groups implements model.System.
func (p *PrioritizedSystem) Groups() []model.Group { return p.groups }

// FormatSlot implements model.System.
func (p *PrioritizedSystem) FormatSlot(slot int, v model.Value) string {
	return p.sys.FormatSlot(slot, v)
}

// Bytes implements model.Holder. It ignores the verdicts, which are few.
func (p *PrioritizedSystem) Bytes() int64 { return p.sys.Bytes() + p.labels.Bytes() + p.active.Bytes() }

// As exposes the interfaces of the system that concern values, which are the same; its transitions differ.
func (p *PrioritizedSystem) As(target any) bool {
	return model.Pass[model.Codec](p.sys, target)
}

// Initial implements model.System. The processes have taken their confluent steps in initial states, too.
func (p *PrioritizedSystem) Initial(yield func(state []model.Value) bool) error {
	var failed error
	state := make([]model.Value, len(p.Slots()))
	err := p.sys.Initial(func(initial []model.Value) bool {
		copy(state, initial)
		for process := range p.sys.Protocol().N {
			if failed = p.settle(process, state); failed != nil {
				return false
			}
		}
		return yield(state)
	})
	if failed != nil {
		return failed
	}
	return err
}

// settle applies the confluent steps of a process to a state.
func (p *PrioritizedSystem) settle(process int, state []model.Value) error {
	slot := p.sys.SlotOfProcess(process)
	if p.tails.of(state[slot]).actions != 0 {
		p.unlabelledTail.Store(true)
	}
	protocol := p.sys.Protocol()
	return p.applyTail(process, slot, state, func(target int64) int {
		if link := protocol.OutLink(process, target); link >= 0 {
			return p.sys.SlotOfLink(link)
		}
		return -1
	})
}

// applyTail applies the tail of the local state values[self]; channel returns the index in values of the channel to a
// target.
func (p *PrioritizedSystem) applyTail(process, self int, values []model.Value, channel func(target int64) int) error {
	r := p.tails.of(values[self])
	values[self] = r.next
	for i := range r.outcomes {
		m := &r.outcomes[i]
		if m.Target == compile.NoTarget {
			continue
		}
		c := channel(m.Target)
		if c < 0 {
			return p.sys.NoChannel(process, m)
		}
		after, err := p.sys.Put(process, values[c], m)
		if err != nil {
			return err
		}
		values[c] = after
	}
	return nil
}

// TailLabel returns the label of the first step that is composed with the transitions of a process into a state; ok is
// false without such a step.
func (p *PrioritizedSystem) TailLabel(process int, state []model.Value) (l model.Label, ok bool) {
	r := p.tails.of(state[p.sys.SlotOfProcess(process)])
	if r.actions == 0 {
		return 0, false
	}
	return p.sys.ActionLabel(p.tails.list(r.actions)[0], process), true
}

// Settled reports whether states can have this value of a slot: whether no confluent step follows that would be part of
// the step before. A state of the unreduced system in which this is true of all slots is one of p: its successors are.
func (p *PrioritizedSystem) Settled(slot int, v model.Value) bool {
	return p.Slots()[slot].Kind != model.ProcessSlot || len(p.tails.of(v).outcomes) == 0
}

// Next implements model.System.
func (p *PrioritizedSystem) Next(number int, in []model.Value, out *model.Successors) error {
	g := &p.extendedGroups[number]
	found, err := p.compose(number, in)
	if err != nil {
		return err
	}
	if p.analysis.noConflict {
		if err := p.analysis.check(g.role, in[g.self], in[g.inside[g.role.Channel]]); err != nil {
			return err
		}
	}
	if err := cmp.Or(p.tails.analysis.checkEqual(), p.analysis.checkEqual()); err != nil {
		return err
	}
	found.Each(func(s model.Step, target []model.Value) { copy(out.Add(s), target) })
	return nil
}

// Idle implements model.Idler: nothing can be received from an empty channel, and a process that does not act on its
// own does not send.
func (p *PrioritizedSystem) Idle(number int, in []model.Value) bool {
	g := &p.extendedGroups[number]
	if g.role.Kind == compile.Receives {
		return in[g.inside[g.role.Channel]] == compile.Empty
	}
	l := in[g.self]
	known := p.active.At(l)
	if known.Load() == 0 {
		outcomes, err := p.sys.OwnOutcomes(l)
		if len(outcomes) > 0 || err != nil {
			known.Store(acts)
		} else {
			known.Store(waits)
		}
	}
	return known.Load() == waits
}

// Values of PrioritizedSystem.active.
const (
	acts  = 1 // the process acts on its own, or has a model error
	waits = 2
)

// compose returns the transitions of a group.
func (p *PrioritizedSystem) compose(number int, in []model.Value) (*distinct.Set, error) {
	g := &p.extendedGroups[number]
	before := make([]model.Value, len(g.inside))
	for i, j := range g.inside {
		before[i] = in[j]
	}
	var inner model.Successors
	inner.Reset(len(before))
	if err := p.sys.Next(number, before, &inner); err != nil {
		return nil, err
	}
	found := new(distinct.Set)
	found.Reset(len(in))
	for i := range inner.Len() {
		values := slices.Clone(in)
		for k, j := range g.inside {
			values[j] = inner.Values(i)[k]
		}
		step := inner.Step(i)
		step.Label = p.label(step.Label, p.tails.of(values[g.self]))
		err := p.applyTail(g.role.Process, g.self, values, func(target int64) int { return g.links[target] })
		if err != nil {
			return nil, err
		}
		found.Add(step, values)
	}
	return found, nil
}

// composite marks the labels of composed transitions, which include the tail.
const composite = 1 << 31

// label returns the label of a transition composed with a tail. A visible transition keeps its label.
func (p *PrioritizedSystem) label(l model.Label, r *tail) model.Label {
	if r.actions == 0 {
		return l
	}
	if p.sys.Label(l).Visible {
		p.unlabelledTail.Store(true)
		return l
	}
	return composite | model.Label(p.labels.Number(intern.Pair(uint32(l), r.actions)))
}

// first returns the label of the first transition of a composed label l, and the sequence of actions that follows.
func (p *PrioritizedSystem) first(l model.Label) (model.Label, uint32) {
	if l&composite == 0 {
		return l, 0
	}
	first, actions := intern.Split(p.labels.At(uint32(l &^ composite)))
	return model.Label(first), actions
}

// Actions returns the labels of the transitions that l composes: the first one and its tail.
func (p *PrioritizedSystem) Actions(l model.Label) []model.Label {
	first, actions := p.first(l)
	list := []model.Label{first}
	process := p.sys.Label(first).Process
	for _, a := range p.tails.list(actions) {
		list = append(list, p.sys.ActionLabel(a, process))
	}
	return list
}

// ActionsComplete reports whether Actions covers everything composed so far. It does not cover tails of initial states
// and of visible transitions, whose labels are kept.
func (p *PrioritizedSystem) ActionsComplete() bool { return !p.unlabelledTail.Load() }

// Label implements model.System. The text of a composed transition names all its parts; its other fields come from the
// first part.
func (p *PrioritizedSystem) Label(l model.Label) model.LabelInfo {
	first, actions := p.first(l)
	info := p.sys.Label(first)
	var text strings.Builder
	text.WriteString(info.Text)
	for _, a := range p.tails.list(actions) {
		text.WriteString("; ")
		text.WriteString(p.sys.Label(p.sys.ActionLabel(a, info.Process)).Text)
	}
	info.Text = text.String()
	return info
}

// Confluent adds the confluent transitions of a group to out.
func (p *PrioritizedSystem) Confluent(number int, in []model.Value, out *model.Successors) error {
	g := &p.extendedGroups[number]
	first := out.Len()
	if err := p.Next(number, in, out); err != nil || out.Len() == first {
		return err
	}
	out.Filter(first, func(s model.Step) bool {
		l, _ := p.first(s.Label)
		t := transition{in[g.self], own}
		if source, message, ok := p.sys.ReceiveLabel(l); ok {
			t.trigger = trigger{source, message}
		}
		return p.analysis.confluent(t)
	})
	return p.analysis.checkEqual()
}

// LinearisedOrder returns the groups in the order of the linearised µCRL specification of Bakhshi et al. (2008):
// processes 0, 2, 4, …, 5, 3, 1, and for odd ones the right channel before the left. Nested binary parallel composition
// gives this zigzag if each level reverses the summands of its operand. If draws are taken last first and one worker
// explores, the number of internal states agrees with the paper.
func (p *PrioritizedSystem) LinearisedOrder() []int {
	order := make([]int, len(p.extendedGroups))
	for g := range order {
		order[g] = g
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := p.extendedGroups[a].role.Process, p.extendedGroups[b].role.Process
		if x == y && x%2 == 1 {
			return cmp.Compare(b, a)
		}
		return cmp.Or(cmp.Compare(zigzag(x), zigzag(y)), cmp.Compare(a, b))
	})
	return order
}

// zigzag grows in the order 0, 2, 4, …, 5, 3, 1.
func zigzag(process int) int {
	if process%2 == 1 {
		return -process + 1<<30
	}
	return process
}
