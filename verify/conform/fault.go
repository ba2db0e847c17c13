package conform

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// Faults that are not in the log are decided late, when all moves need not be expanded: a process crashes or recovers
// just before its next event in the log, and a fault befalls a message just before a process can receive that. Some
// faults are left out, because every run with one can be changed into a run that explains the same events without it:
//
//   - a loss in a channel from which any message can be received, unless the channel is full
//   - a fault of a message that is not the next one to be received where only that one can be
//   - a duplicate if the channel holds two equal messages; in a channel from which only the first message can be
//     received, the two must be next to each other
//   - a fault of a message to a process that does not receive from the channel where it is, or not next in the log
//
// A log with some faults of messages may need the other ones, except for losses of the first kind, for those.
//
// A state makes another one superfluous if that differs from it only in more faults, or in messages that were lost.

// unloggedFaults reports whether faults that are not in the log may happen.
func (n *network) unloggedFaults() bool {
	f := &n.protocol.Faults
	for kind, most := range f.Most {
		v := verb{model.FaultAction, ir.FaultKind(kind)}
		if ir.FaultKind(kind) == ir.CrashFault {
			v = verb{kind: model.CrashAction}
		}
		if most != 0 && n.hides(v) {
			return true
		}
	}
	return f.Recover != nil && n.hides(verb{kind: model.RecoverAction})
}

// hides reports whether an action of a kind, about any message, may be unobservable.
func (n *network) hides(v verb) bool {
	if v.kind != model.FaultAction {
		return !n.observable.has(v, nil, nil)
	}
	return slices.ContainsFunc(n.protocol.Messages, func(m *ir.Message) bool { return !n.observable.has(v, m, nil) })
}

// logsFaultsOfMessages reports whether the log has faults of messages.
func (n *network) logsFaultsOfMessages() bool {
	return slices.ContainsFunc(n.protocol.Faults.InChannels(), func(kind ir.FaultKind) bool {
		return slices.ContainsFunc(n.protocol.Messages, func(m *ir.Message) bool {
			return n.observable.has(verb{model.FaultAction, kind}, m, nil)
		})
	})
}

// isLeftOut reports whether an unlogged fault in a state is left out. It is the fault of a message on a link.
func (n *network) isLeftOut(state []model.Value, link int, fault *move) bool {
	before := n.sys.Contents(state[n.sys.SlotOfLink(link)])
	after := n.sys.Contents(fault.after[n.sys.SlotOfLink(link)])
	lost, channel := len(after) < len(before), n.protocol.Channel
	if full := len(before) >= n.sys.Machine().MaxMessages(); lost && (full || !channel.First) {
		return !full
	}
	to := n.sys.SlotOfProcess(n.protocol.Link(link).To)
	switch local := state[to]; {
	case n.logsFaultsOfMessages(): // which may be about what this fault makes
		return false
	case local != uninitialized && !n.receptive(local, link), !n.awaits(link):
		return true
	case channel.First:
		behind := before[channel.Receivable(len(before)):]
		if !slices.EqualFunc(after[len(after)-len(behind):], behind, equalContents) {
			return true
		}
	}
	if len(after) <= len(before) {
		return false
	}
	action, _ := n.sys.Action(fault.step.Label)
	same := func(m ir.Content) bool { return m.Compare(action.Message) == 0 }
	others := before[slices.IndexFunc(before, same)+1:]
	if channel.First { // another one, behind other messages, cannot take its place
		others = others[:min(len(others), 1)]
	}
	return slices.ContainsFunc(others, same)
}

// awaits reports whether the next action of a process in the log that is expanded may be a receipt from a link.
func (n *network) awaits(link int) bool {
	t, c, ends := n.expanded.trace, n.expanded.cut, n.protocol.Link(link)
	chain := t.chainOf(ends.To)
	if !n.observesAll(model.ReceiveAction) || t.isOpen(c, chain) {
		return true
	}
	event := t.next(c, chain)
	if event < 0 {
		return false
	}
	q := t.events[event].pattern
	return !q.isState && q.kind == model.ReceiveAction && (q.process == anyProcess || q.process == ends.To) &&
		matchesValue(ends.In, q.port)
}

// fullChannels returns the processes to which a channel from a process is full.
func (n *network) fullChannels(state []model.Value, process int) (list []int) {
	for _, port := range n.protocol.Ports(process) {
		link := n.protocol.OutLink(process, port)
		if link < 0 {
			continue
		}
		contents := n.sys.Contents(state[n.sys.SlotOfLink(link)])
		if len(contents) >= n.sys.Machine().MaxMessages() {
			list = append(list, n.protocol.Link(link).To)
		}
	}
	return list
}

// comparedSlots returns the slots of some kinds, by default of all kinds but processes. If a state supersedes another
// one, they differ only there.
func (n *network) comparedSlots(kinds ...model.SlotKind) (slots []int) {
	for slot, s := range n.sys.Slots() {
		if s.Kind != model.ProcessSlot && (kinds == nil || slices.Contains(kinds, s.Kind)) {
			slots = append(slots, slot)
		}
	}
	return slots
}

// supersedes reports whether state a explains all that state b does, because unlogged faults lead from a to b, or b has
// had more faults. The states are equal but for the slots of channels and counters.
func (n *network) supersedes(a, b []model.Value) bool {
	lost := 0
	for link := range n.receiptGroups {
		slot := n.sys.SlotOfLink(link)
		if a[slot] == b[slot] {
			continue
		}
		more, fewer := n.sys.Contents(a[slot]), n.sys.Contents(b[slot])
		if lost += len(more) - len(fewer); !n.losesUnlogged || !isSubsequence(fewer, more) {
			return false
		}
	}
	for _, c := range n.counters {
		allowed := b[c.slot]
		if c.kind == lossFault {
			if lost > int(allowed) {
				return false
			}
			allowed -= model.Value(lost)
		}
		if a[c.slot] > allowed {
			return false
		}
	}
	return true
}

// isSubsequence reports whether a list is another one without some messages.
func isSubsequence(list, of []ir.Content) bool {
	for _, m := range of {
		if len(list) > 0 && equalContents(m, list[0]) {
			list = list[1:]
		}
	}
	return len(list) == 0
}

// A counter is a slot with the number of faults of a kind.
type counter struct {
	slot int
	kind ir.FaultKind
}

// lossFault is the loss of a message.
var lossFault, _ = ir.FaultOf("lossy")
