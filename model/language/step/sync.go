package step

import (
	"cmp"
	"math/big"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// Steps returns the distinct alternatives of a process in a state that begin without a message: OwnSteps and, over
// synchronous channels, its sends with the receipts of other processes. An error is a *model.Error that names a
// process. The view shows all processes as they are.
//
// The scheduler chooses an alternative of the sender, then for each message that its draws can lead to an alternative
// of the receiver. An alternative is not possible if one of its messages cannot be received. The receiver reads what
// the sender has set.
func (m *Machine) Steps(at Site) ([]Distribution, error) {
	if m.protocol.Channel.Sync {
		at.DrawValues = nil
	}
	all, err := m.OwnSteps(at.View.Seen(at.Process), at)
	if err != nil {
		return nil, Blame(at.Process, err)
	}
	if !m.protocol.Channel.Sync {
		return all, nil
	}
	var joint []Distribution
	for _, d := range all {
		combined, err := m.join(d, at)
		if err != nil {
			return nil, err
		}
		joint = append(joint, combined...)
	}
	return distinct(joint), nil
}

// join returns an alternative of a process combined with the receipts of its messages in all ways: none if a
// message cannot be received.
func (m *Machine) join(d Distribution, at Site) ([]Distribution, error) {
	choices := make([]Distribution, len(d)) // by outcome: what it can be
	number := 1
	for i, o := range d {
		o.key, o.Repeated = "", false
		choices[i] = Distribution{o}
		if o.Action.Sends() {
			var err error
			if choices[i], err = m.meet(o, at); err != nil {
				return nil, err
			}
		}
		if number *= len(choices[i]); number > m.options.MaxOutcomes {
			return nil, Blame(at.Process, m.TooMany(at.View.Seen(at.Process).Point))
		}
	}
	all := make([]Distribution, number)
	for n := range all {
		all[n] = make(Distribution, len(d))
		rest := n
		for i := len(d) - 1; i >= 0; i-- {
			all[n][i] = choices[i][rest%len(choices[i])]
			rest /= len(choices[i])
		}
	}
	return all, nil
}

// meet returns the outcomes of a send together with its receipt, one for each alternative of the receiver.
func (m *Machine) meet(o Outcome, at Site) (all Distribution, err error) {
	link := m.protocol.OutLink(at.Process, o.Action.Port)
	if link < 0 {
		return nil, Blame(at.Process, m.NoChannel(o.Action.Port, o.Place))
	}
	l := m.protocol.Link(link)
	if l.To == at.Process {
		return nil, nil // it does not receive while it sends
	}
	site := Site{Process: l.To, Sets: at.Sets, View: &viewAfter{at.View, at.Process, &o}}
	received, err := m.Receive(at.View.Seen(l.To), site, l.In, o.Action.Message)
	if err != nil {
		return nil, Blame(l.To, err)
	}
	for _, r := range received {
		for _, answer := range r { // one, since no receipt follows a draw
			both := o
			both.Receiver, both.ReceiverNext = l.To, answer.Next
			both.Writes = mergeWrites(o.Writes, answer.Writes, at.View)
			both.Probability = new(big.Rat).Mul(o.Probability, answer.Probability)
			all = append(all, both)
		}
	}
	return all, nil
}

// mergeWrites returns the writes of a step that makes some writes first and then others.
func mergeWrites(first, then []Write, before ir.View) []Write {
	all := slices.Clone(then)
	for _, w := range first {
		if !slices.ContainsFunc(then, func(x Write) bool { return x.Var == w.Var }) {
			all = append(all, w)
		}
	}
	all = slices.DeleteFunc(all, func(w Write) bool { return before.SharedValue(w.Var.Slot) == w.Value })
	slices.SortFunc(all, func(x, y Write) int { return cmp.Compare(x.Var.Slot, y.Var.Slot) })
	return all
}

// viewAfter shows a state after an outcome of a process.
type viewAfter struct {
	ir.View
	process int
	outcome *Outcome
}

// Seen implements ir.View.
func (v *viewAfter) Seen(p int) ir.Local {
	if p == v.process {
		return v.outcome.Next
	}
	return v.View.Seen(p)
}

// SharedValue implements ir.View.
func (v *viewAfter) SharedValue(slot int) int64 {
	for _, w := range v.outcome.Writes {
		if w.Var.Slot == slot {
			return w.Value
		}
	}
	return v.View.SharedValue(slot)
}

// TooMany returns the error of a point with more outcomes than the options permit.
func (m *Machine) TooMany(at *ir.Point) *model.Error {
	f := errorAt(at.Pos, "the draws and choices from here have more than %d outcomes, too many to list them",
		m.options.MaxOutcomes)
	f.Growth = true
	return f
}
