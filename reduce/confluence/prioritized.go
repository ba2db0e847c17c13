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

// A Prioritized is a system in which a confluent τ that is always enabled where it can occur is part of the
// transition before it. It implements model.System, and knows which of its transitions are confluent.
type Prioritized struct {
	sys    *compile.System
	tails  *tails
	after  *analysis // of the composed transitions
	named  []model.Group
	groups []group
	labels intern.Pairs                // of a label and the sequence of actions that follows
	active intern.Array[atomic.Uint32] // by local state
	untold atomic.Bool                 // see Told
}

var (
	_ model.Holder    = (*Prioritized)(nil)
	_ model.Idler     = (*Prioritized)(nil)
	_ model.Confluent = (*Prioritized)(nil)
)

// Options say what counts as confluent.
type Options struct {
	// NoConflict is the assumption that a process never finds two messages in one channel of which one can be received
	// confluently, as far as everything else is concerned, but the order of the two would matter. What the search meets
	// is checked: Next returns a *model.Fault where it does not hold.
	NoConflict bool
	// Seen, if not nil, reports whether properties of states can tell that a process has come from one local
	// state to another and, if moved is true, that messages have been sent or received. Such a step is not confluent
	// then. It is called by several goroutines.
	Seen func(before, after model.Value, moved bool) bool
}

// Prioritize returns sys with priority for confluent τ's.
func Prioritize(sys *compile.System, opt Options) *Prioritized {
	t := newTails(sys, opt)
	p := &Prioritized{sys: sys, tails: t}
	p.after = newAnalysis(sys, composed{compiled{sys}, t}, opt)
	r := newReach(sys.Ports())
	for g := range sys.Groups() {
		p.addGroup(r, g)
	}
	return p
}

// A group is a group of the system with the channels that the tails of its transitions send to.
type group struct {
	role   compile.Role
	inside []int // where the slots of the system's group are
	self   int   // where the process is
	links  []int // where the channel to a target is, -1 if there is none
}

func (p *Prioritized) addGroup(r *reach, number int) {
	inner, protocol := p.sys.Groups()[number], p.sys.Protocol()
	g := group{role: p.sys.Role(number), links: slices.Repeat([]int{-1}, p.sys.Ports())}
	slots := slices.Clone(inner.Slots)
	out := make(map[int64]int)
	for _, port := range following(r, protocol, g.role) {
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
	p.named = append(p.named, model.Group{Name: inner.Name, Slots: slots})
	p.groups = append(p.groups, g)
}

// following returns the targets of the sends that can be composed with the transitions of a group.
func following(r *reach, p *ir.Protocol, role compile.Role) []int64 {
	var all []int64
	for _, point := range p.Points {
		for prefix := range prefixes(point.Term) {
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
	}
	return role.Kind == compile.Events || role.Kind == compile.Mixed
}

// Slots implements model.System.
func (p *Prioritized) Slots() []model.Slot { return p.sys.Slots() }

// Groups implements model.System.
func (p *Prioritized) Groups() []model.Group { return p.named }

// FormatSlot implements model.System.
func (p *Prioritized) FormatSlot(slot int, v model.Value) string { return p.sys.FormatSlot(slot, v) }

// Bytes implements model.Holder. Verdicts are few, and not counted.
func (p *Prioritized) Bytes() int64 { return p.sys.Bytes() + p.labels.Bytes() + p.active.Bytes() }

// As says what p has in common with the system: its values. Its transitions are others.
func (p *Prioritized) As(target any) bool {
	return model.Pass[model.ValueTables](p.sys, target) || model.Pass[model.Codec](p.sys, target)
}

// Initial implements model.System: in an initial state, too, each process has done what is confluent.
func (p *Prioritized) Initial(yield func(state []model.Value) bool) error {
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

// settle lets a process take its confluent steps.
func (p *Prioritized) settle(process int, state []model.Value) error {
	slot := p.sys.SlotOfProcess(process)
	if p.tails.of(state[slot]).actions != 0 {
		p.untold.Store(true)
	}
	protocol := p.sys.Protocol()
	return p.follow(process, slot, state, func(target int64) int {
		if link := protocol.OutLink(process, target); link >= 0 {
			return p.sys.SlotOfLink(link)
		}
		return -1
	})
}

// follow applies the tail of the local state values[self]; channel says where in values the channel to a
// target is.
func (p *Prioritized) follow(process, self int, values []model.Value, channel func(target int64) int) error {
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

// Following returns the label of the first step of a process that is composed with those that lead to a state; not ok
// if there is none.
func (p *Prioritized) Following(process int, state []model.Value) (l model.Label, ok bool) {
	r := p.tails.of(state[p.sys.SlotOfProcess(process)])
	if r.actions == 0 {
		return 0, false
	}
	return p.sys.ActionLabel(p.tails.list(r.actions)[0], process), true
}

// Next implements model.System.
func (p *Prioritized) Next(number int, in []model.Value, out *model.Successors) error {
	g := &p.groups[number]
	found, err := p.compose(number, in)
	if err != nil {
		return err
	}
	if p.after.noConflict {
		if err := p.after.check(g.role, in[g.self], in[g.inside[g.role.Channel]]); err != nil {
			return err
		}
	}
	found.Each(func(s model.Step, target []model.Value) { copy(out.Add(s), target) })
	return nil
}

// Idle implements model.Idler: nothing can be received from an empty channel, and a process that does
// nothing on its own accord does not send.
func (p *Prioritized) Idle(number int, in []model.Value) bool {
	g := &p.groups[number]
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

// What is known of a local state.
const (
	acts  = 1 // on its own accord, or faults
	waits = 2
)

// compose returns the transitions of a group.
func (p *Prioritized) compose(number int, in []model.Value) (*distinct.Set, error) {
	g := &p.groups[number]
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
		err := p.follow(g.role.Process, g.self, values, func(target int64) int { return g.links[target] })
		if err != nil {
			return nil, err
		}
		found.Add(step, values)
	}
	return found, nil
}

// composite marks the labels of transitions that say what follows.
const composite = 1 << 31

// label returns the label of a transition and the tail that follows. That of a visible one stays as it is.
func (p *Prioritized) label(l model.Label, r *tail) model.Label {
	if r.actions == 0 {
		return l
	}
	if p.sys.Label(l).Visible {
		p.untold.Store(true)
		return l
	}
	return composite | model.Label(p.labels.Number(intern.Pair(uint32(l), r.actions)))
}

// first returns the label of the first of the transitions that l stands for, and the actions that follow.
func (p *Prioritized) first(l model.Label) (model.Label, uint32) {
	if l&composite == 0 {
		return l, 0
	}
	first, actions := intern.Split(p.labels.At(uint32(l &^ composite)))
	return model.Label(first), actions
}

// Actions returns the labels of the transitions that one with label l stands for: itself, and the tail.
func (p *Prioritized) Actions(l model.Label) []model.Label {
	first, actions := p.first(l)
	list := []model.Label{first}
	process := p.sys.Label(first).Process
	for _, a := range p.tails.list(actions) {
		list = append(list, p.sys.ActionLabel(a, process))
	}
	return list
}

// Told reports whether Actions has returned everything that was composed so far. It does not return what was composed
// with an initial state, or with a visible transition, whose label stays as it is.
func (p *Prioritized) Told() bool { return !p.untold.Load() }

// Label implements model.System. The text of composed transitions names all of them; the rest is that of the first.
func (p *Prioritized) Label(l model.Label) model.LabelInfo {
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

// Confluent adds to out the transitions of a group that are confluent.
func (p *Prioritized) Confluent(number int, in []model.Value, out *model.Successors) error {
	g := &p.groups[number]
	first := out.Len()
	if err := p.Next(number, in, out); err != nil || out.Len() == first {
		return err
	}
	out.Filter(first, func(s model.Step) bool {
		l, _ := p.first(s.Label)
		t := transition{in[g.self], own}
		if source, message, ok := p.sys.Received(l); ok {
			t.stimulus = stimulus{source, message}
		}
		return p.after.confluent(t)
	})
	return nil
}

// Linearised returns the groups in the order in which the linearised µCRL specification of Bakhshi et al.
// (2008) has them: processes 0, 2, 4, …, 5, 3, 1, and for the odd ones what concerns the right before what
// concerns the left. It is the zigzag that nested binary parallel composition gives when each level reverses
// the summands of its operand. Together with draws taken last first it leads to the internal states that
// the paper reports, if one worker explores.
func (p *Prioritized) Linearised() []int {
	order := make([]int, len(p.groups))
	for g := range order {
		order[g] = g
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := p.groups[a].role.Process, p.groups[b].role.Process
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
