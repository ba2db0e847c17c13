package prove

import (
	"encoding/binary"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A recorder is a system whose channels, which are queues, remember what has been sent and received. The value of a
// channel's slot is the number of its p.
type recorder struct {
	model.System
	compiled *compile.System
	channel  []bool // by slot
	pasts    intern.Values[past]
}

// A past is what is in a channel, and what has happened to it.
type past struct {
	contents model.Value
	sent     string // the numbers of messages, each when it is first sent, in four bytes
	received int    // how many of them have been received: the first
}

func newRecorder(sys *compile.System) *recorder {
	r := &recorder{System: sys, compiled: sys, channel: make([]bool, len(sys.Slots()))}
	for i := range sys.Protocol().Links {
		r.channel[sys.SlotOfLink(i)] = true
	}
	return r
}

// sent returns the messages that have been sent by a channel, each once.
func (r *recorder) sent(v model.Value) (list []ir.Content) {
	for b := []byte(r.pasts.At(v).sent); len(b) > 0; b = b[4:] {
		list = append(list, r.compiled.Message(binary.BigEndian.Uint32(b)))
	}
	return list
}

// received returns how many of these have been received: the first.
func (r *recorder) received(v model.Value) int { return r.pasts.At(v).received }

// Initial implements model.System.
func (r *recorder) Initial(yield func(state []model.Value) bool) error {
	return r.System.Initial(func(state []model.Value) bool {
		for slot, v := range state {
			if r.channel[slot] {
				state[slot] = r.pasts.Number(past{contents: v})
			}
		}
		return yield(state)
	})
}

// Next implements model.System.
func (r *recorder) Next(g int, in []model.Value, out *model.Successors) error {
	slots := r.Groups()[g].Slots
	plain := make([]model.Value, len(in))
	for i, v := range in {
		if plain[i] = v; r.channel[slots[i]] {
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
			if to[k] = v; r.channel[slots[k]] {
				to[k] = r.after(*r.pasts.At(in[k]), v)
			}
		}
	}
	return nil
}

// after returns the value of a channel with a past behind a step that changes its contents.
func (r *recorder) after(p past, contents model.Value) model.Value {
	before, after := r.messages(p.contents), r.messages(contents)
	switch {
	case len(after) > len(before):
		if m := after[len(before)]; p.index(m) < 0 {
			p.sent += string(binary.BigEndian.AppendUint32(nil, m))
		}
	case len(after) < len(before):
		p.received = max(p.received, p.index(before[0])+1)
	}
	p.contents = contents
	return r.pasts.Number(p)
}

func (r *recorder) messages(v model.Value) (list []uint32) {
	for _, m := range r.compiled.Contents(v) {
		list = append(list, r.compiled.NumberOf(m))
	}
	return list
}

// index returns where a message is among those that have been sent, -1 if it is not.
func (p past) index(m uint32) int {
	for i := 0; i < len(p.sent); i += 4 {
		if binary.BigEndian.Uint32([]byte(p.sent[i:])) == m {
			return i / 4
		}
	}
	return -1
}

// FormatSlot implements model.System.
func (r *recorder) FormatSlot(slot int, v model.Value) string {
	if r.channel[slot] {
		v = r.pasts.At(v).contents
	}
	return r.System.FormatSlot(slot, v)
}

// Bytes implements model.Holder.
func (r *recorder) Bytes() int64 { return r.compiled.Bytes() + r.pasts.Bytes() }
