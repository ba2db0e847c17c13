package prove

import (
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A recorder is a system whose channels, which are queues, record all sent and received messages. The value of a
// channel's slot is the number of its past.
type recorder struct {
	model.System
	compiled *compile.System
	pasts    intern.Values[past]
}

// A past is the contents of a channel, with its history.
type past struct {
	contents model.Value
	sent     model.Value // contents, too: the messages that have been sent, each when it is first sent
	received int         // how many of them have been received: the first
}

// sent returns the messages that have been sent on a channel, each once.
func (r *recorder) sent(v model.Value) []ir.Content { return r.compiled.Contents(r.pasts.At(v).sent) }

// received returns how many of these have been received; they are the first ones.
func (r *recorder) received(v model.Value) int { return r.pasts.At(v).received }

// channel reports whether a slot is that of a channel.
func (r *recorder) channel(slot int) bool { return r.Slots()[slot].Kind == model.ChannelSlot }

// Initial implements model.System.
func (r *recorder) Initial(yield func(state []model.Value) bool) error {
	return r.System.Initial(func(state []model.Value) bool {
		r.begin(state)
		return yield(state)
	})
}

// begin turns an initial state of the system into one without a past.
func (r *recorder) begin(state []model.Value) {
	for slot, v := range state {
		if r.channel(slot) {
			state[slot] = r.pasts.Number(past{contents: v, sent: compile.Empty})
		}
	}
}

// Next implements model.System.
func (r *recorder) Next(g int, in []model.Value, out *model.Successors) error {
	slots := r.Groups()[g].Slots
	plain := make([]model.Value, len(in))
	for i, v := range in {
		if plain[i] = v; r.channel(slots[i]) {
			plain[i] = r.pasts.At(v).contents
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
			if to[k] = v; r.channel(slots[k]) {
				to[k] = r.after(*r.pasts.At(in[k]), v)
			}
		}
	}
	return nil
}

// after returns the value of a channel with a past after a step that changes its contents.
func (r *recorder) after(p past, contents model.Value) model.Value {
	before, after, sent := r.compiled.Contents(p.contents), r.compiled.Contents(contents), r.compiled.Contents(p.sent)
	index := func(m ir.Content) int {
		return slices.IndexFunc(sent, func(c ir.Content) bool { return c.Compare(m) == 0 })
	}
	switch {
	case len(after) > len(before):
		if m := after[len(before)]; index(m) < 0 {
			p.sent = r.compiled.EncodeContents(append(slices.Clone(sent), m))
		}
	case len(after) < len(before):
		p.received = max(p.received, index(before[0])+1)
	}
	p.contents = contents
	return r.pasts.Number(p)
}

// FormatSlot implements model.System.
func (r *recorder) FormatSlot(slot int, v model.Value) string {
	if r.channel(slot) {
		v = r.pasts.At(v).contents
	}
	return r.System.FormatSlot(slot, v)
}

// Bytes implements model.Holder.
func (r *recorder) Bytes() int64 { return r.compiled.Bytes() + r.pasts.Bytes() }
