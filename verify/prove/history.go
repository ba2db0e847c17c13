package prove

import (
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A recorder is a system whose channels, which are queues, record all sent and received messages. The value of a
// channel's slot is the number of its history.
type recorder struct {
	model.System
	language  *compile.System
	histories intern.Values[history]
}

// A history is the contents of a channel, with all messages that have been sent and received.
type history struct {
	contents     model.Value
	sentContents model.Value // the messages that have been sent, in the order in which each was first sent
	received     int         // the number of these that have been received, the first ones
}

// sentMessages returns the messages that have been sent on a channel, each once.
func (r *recorder) sentMessages(v model.Value) []ir.Content {
	return r.language.Contents(r.histories.At(v).sentContents)
}

// numberReceived returns the number of these messages that have been received, the first ones.
func (r *recorder) numberReceived(v model.Value) int { return r.histories.At(v).received }

// isChannel reports whether a slot belongs to a channel.
func (r *recorder) isChannel(slot int) bool { return r.Slots()[slot].Kind == model.ChannelSlot }

// Initial implements model.System.
func (r *recorder) Initial(yield func(state []model.Value) bool) error {
	return r.System.Initial(func(state []model.Value) bool {
		r.clearHistory(state)
		return yield(state)
	})
}

// clearHistory adds empty histories to an initial state of the system.
func (r *recorder) clearHistory(state []model.Value) {
	for slot, v := range state {
		if r.isChannel(slot) {
			state[slot] = r.histories.Number(history{contents: v, sentContents: compile.Empty})
		}
	}
}

// Next implements model.System.
func (r *recorder) Next(g int, in []model.Value, out *model.Successors) error {
	slots := r.Groups()[g].Slots
	plain := make([]model.Value, len(in))
	for i, v := range in {
		if plain[i] = v; r.isChannel(slots[i]) {
			plain[i] = r.histories.At(v).contents
		}
	}
	var steps model.Successors
	steps.Reset(len(in))
	if err := r.System.Next(g, plain, &steps); err != nil {
		return err
	}
	for i := range steps.Len() {
		to := out.Add(steps.Step(i))
		for k, v := range steps.Values(i) {
			if to[k] = v; r.isChannel(slots[k]) {
				to[k] = r.record(*r.histories.At(in[k]), v)
			}
		}
	}
	return nil
}

// record returns the value of a channel with a history after a step that changes its contents.
func (r *recorder) record(p history, contents model.Value) model.Value {
	before, after := r.language.Contents(p.contents), r.language.Contents(contents)
	sent := r.language.Contents(p.sentContents)
	index := func(m ir.Content) int {
		return slices.IndexFunc(sent, func(c ir.Content) bool { return c.Compare(m) == 0 })
	}
	switch {
	case len(after) > len(before):
		if m := after[len(before)]; index(m) < 0 {
			p.sentContents = r.language.EncodeContents(append(slices.Clone(sent), m))
		}
	case len(after) < len(before):
		p.received = max(p.received, index(before[0])+1)
	}
	p.contents = contents
	return r.histories.Number(p)
}

// FormatSlot implements model.System.
func (r *recorder) FormatSlot(slot int, v model.Value) string {
	if r.isChannel(slot) {
		v = r.histories.At(v).contents
	}
	return r.System.FormatSlot(slot, v)
}

// Bytes implements model.Holder.
func (r *recorder) Bytes() int64 { return r.language.Bytes() + r.histories.Bytes() }
