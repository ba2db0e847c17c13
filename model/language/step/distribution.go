package step

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// An Action is a label without the process.
type Action struct {
	Kind    model.ActionKind
	Port    int64      // of a send or receive: the target or source; of a fault in a channel: the link
	Message ir.Content // of a send or receive; or that a fault befalls
	Fault   ir.FaultKind
	Into    ir.Content // what a fault makes of the message, if that is another message
	Event   *ir.Event
	Args    []int64 // of an event; the value of Set
	Set     *ir.Var // that the action sets
	Own     bool    // of a crash: the process' own, and not the environment's
}

// Sends reports whether a message is sent.
func (a *Action) Sends() bool { return a.Kind == model.SendAction || a.Kind == model.SyncAction }

// Key appends the identity of a to buf.
func (a Action) Key(buf []byte) []byte {
	buf = AppendKey(buf, int64(a.Kind), a.Port)
	switch {
	case a.Event != nil:
		buf = AppendKey(AppendKey(buf, int64(a.Event.ID)), a.Args...)
	case a.Set != nil:
		buf = AppendKey(AppendKey(buf, int64(a.Set.ID)), a.Args...)
	case a.Message.Message != nil:
		buf = AppendMessage(buf, a.Message)
	case a.Own:
		buf = append(buf, 1)
	}
	if a.Kind == model.FaultAction {
		buf = AppendKey(buf, int64(a.Fault))
	}
	if a.Into.Message != nil {
		buf = AppendMessage(buf, a.Into)
	}
	return buf
}

// Label describes an action of a process, except for the slot of a channel.
func (m *Machine) Label(a Action, process int) model.LabelInfo {
	info := model.LabelInfo{Kind: a.Kind, Visible: a.Kind == model.EventAction, Process: process, Slot: -1, Own: a.Own}
	switch a.Kind {
	case model.EventAction:
		info.Text = ir.FormatFields(a.Event.Name, a.Event.Fields, a.Args)
	case model.SendAction:
		info.Message = a.Message.String()
		info.Text = fmt.Sprintf("send(%d,%s,%s)", process, m.protocol.FormatPort(a.Port), info.Message)
	case model.SyncAction:
		link := m.protocol.OutLink(process, a.Port)
		info.Message, info.Receiver = a.Message.String(), m.protocol.Link(link).To
		info.Text = fmt.Sprintf("sync(%s,%s)", m.protocol.FormatEnds(link), info.Message)
	case model.ReceiveAction:
		info.Message = a.Message.String()
		info.Text = fmt.Sprintf("recv(%d,%s,%s)", process, m.protocol.FormatPort(a.Port), info.Message)
	case model.FaultAction:
		fault := a.Fault.Info()
		info.Message, info.Process, info.Fault = a.Message.String(), -1, fault.Noun
		link := m.protocol.FormatEnds(int(a.Port))
		info.Text = fmt.Sprintf("%s(%s,%s)", fault.Verb, link, info.Message)
		if a.Into.Message != nil {
			info.Into = a.Into.String()
			info.Text = fmt.Sprintf("%s(%s,%s,%s)", fault.Verb, link, info.Message, info.Into)
		}
	case model.CrashAction:
		info.Text = fmt.Sprintf("crash(%d)", process)
	case model.RecoverAction:
		info.Text = fmt.Sprintf("recover(%d)", process)
	case model.TickAction:
		info.Text, info.Process = "tick", -1
	case model.Internal:
		info.Text = fmt.Sprintf("skip(%d)", process)
		if a.Set != nil {
			info.Text = fmt.Sprintf("set(%d,%s,%s)", process, a.Set.Name, a.Set.Type.Format(a.Args[0]))
		}
	}
	return info
}

// A Distribution is an alternative: the outcomes of the draws that lead to an action, with probabilities that
// add up to 1; one outcome if nothing was drawn.
type Distribution []Outcome

// An Outcome is the effect of a transition on its process and on shared variables, and the message that it sends.
type Outcome struct {
	Action      Action
	Next        ir.Local
	Writes      []Write     // by Slot
	Place       *syntax.Pos // of a send, for model errors
	Probability *big.Rat
	Repeated    bool // an earlier distribution has the same transition
	// Receiver is the process that receives the message in the same step, over a synchronous channel, and ReceiverNext
	// is its local state afterwards. Without one, ReceiverNext.Point is nil.
	Receiver     int
	ReceiverNext ir.Local

	key string // tells the transition from others
}

// certain is the probability of an outcome without a draw. Probabilities are never changed in place.
var certain = big.NewRat(1, 1)

// scale returns the outcomes of d with their probabilities multiplied by the probability of a value.
func (d Distribution) scale(x ir.Weighted) Distribution {
	scaled := slices.Clone(d)
	for i := range scaled {
		scaled[i].Probability = new(big.Rat).Mul(d[i].Probability, big.NewRat(int64(x.Num), int64(x.Den)))
	}
	return scaled
}

// merge sums the probabilities of outcomes that are the same transition.
func (d Distribution) merge() Distribution {
	if len(d) == 1 {
		d[0].setKey()
		return d
	}
	var set Distribution
	at := make(map[string]int, len(d)) // of a key in set
	for _, o := range d {
		o.setKey()
		i, ok := at[o.key]
		if !ok {
			at[o.key] = len(set)
			set = append(set, o)
			continue
		}
		set[i].Probability = new(big.Rat).Add(set[i].Probability, o.Probability)
	}
	return set
}

// setKey sets the key of an outcome.
func (o *Outcome) setKey() {
	if o.key == "" {
		var buf [64]byte
		key := AppendLocal(o.Action.Key(buf[:0]), o.Next)
		if o.ReceiverNext.Point != nil {
			key = AppendLocal(key, o.ReceiverNext)
		}
		o.key = string(AppendWrites(key, o.Writes))
	}
}

// identity returns the same text for merged distributions that differ only in order.
func (d Distribution) identity() string {
	if len(d) == 1 {
		return d[0].key // is certain
	}
	var parts []string
	for _, o := range d {
		parts = append(parts, fmt.Sprintf("%q %v", o.key, o.Probability))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// distinct returns all without duplicates, in order, and marks repeated transitions.
func distinct(all []Distribution) []Distribution {
	if len(all) == 1 {
		return []Distribution{all[0].merge()}
	}
	set := make([]Distribution, 0, len(all))
	seen := make(map[string]bool, len(all))
	draws := false
	for _, d := range all {
		d = d.merge()
		id := d.identity()
		if seen[id] {
			continue
		}
		seen[id] = true
		set = append(set, d)
		draws = draws || len(d) > 1
	}
	if draws { // else they are distinct transitions
		markRepeated(set)
	}
	return set
}

// markRepeated sets Repeated in merged distributions.
func markRepeated(set []Distribution) {
	met := make(map[string]bool, len(set))
	for _, d := range set {
		for i := range d {
			d[i].Repeated = met[d[i].key]
		}
		for i := range d {
			met[d[i].key] = true
		}
	}
}

// withoutBlocked returns the alternatives of a process, of those listed, whose sends have room in their channels. A
// draw that decides between sends is possible only where there is room for all of them.
func (m *Machine) withoutBlocked(all []Distribution, at Site) []Distribution {
	isBlocked := func(d Distribution) bool {
		return slices.ContainsFunc(d, func(o Outcome) bool {
			if o.Action.Kind != model.SendAction {
				return false
			}
			link := m.protocol.OutLink(at.Process, o.Action.Port)
			return link >= 0 && at.Full(link) // else the send fails
		})
	}
	if !slices.ContainsFunc(all, isBlocked) {
		return all
	}
	rest := slices.DeleteFunc(all, isBlocked)
	markRepeated(rest)
	return rest
}

// Reward returns the reward r of an action times r.Over; see r.Amount. It fails if that is negative or cannot be
// evaluated.
func (m *Machine) Reward(r *ir.Reward, a *Action) (int64, error) {
	fields := a.Args
	switch {
	case r.Per == ir.PerEvent && (a.Event == nil || r.Event != a.Event):
		return 0, nil
	case r.Per == ir.PerTick && a.Kind != model.TickAction:
		return 0, nil
	case r.Per == ir.PerSend:
		if !a.Sends() || r.Message != nil && r.Message != a.Message.Message {
			return 0, nil
		}
		fields = a.Message.Args
	}
	env := m.protocol.NewEnv(nil)
	for i, f := range r.Fields {
		if f != nil {
			env.Vars[f.ID] = fields[i]
		}
	}
	value, err := r.Value.Eval(env)
	if err == nil && value < 0 {
		err = &ir.Error{Pos: r.Pos, Message: fmt.Sprintf("%d is negative", value)}
	}
	if err != nil {
		return 0, fmt.Errorf("%s: reward %s: %w", r.Pos, r.Name, err)
	}
	return value, nil
}

// values returns the values of d with their probabilities.
func values(d *ir.Draw, env *ir.Env) []ir.Weighted { return must(d.Support(env)) }

// canDraw reports whether d can give a value. It tests membership directly if the possible values are too many to list.
func canDraw(d *ir.Draw, value int64, env *ir.Env) bool {
	if d.Among == nil || !d.Among.Type().Wide {
		return slices.ContainsFunc(values(d, env), func(x ir.Weighted) bool { return x.Value == value })
	}
	from := env.Members(d.Among.Type(), must(d.Among.Eval(env)))
	in := func(x int32) bool { _, found := slices.BinarySearch(from, x); return found }
	if d.Size == nil {
		return value == int64(int32(value)) && in(int32(value))
	}
	size := must(d.Size.Eval(env))
	subset := env.Members(d.Var.Type, value)
	return int64(len(subset)) == size && !slices.ContainsFunc(subset, func(x int32) bool { return !in(x) })
}
