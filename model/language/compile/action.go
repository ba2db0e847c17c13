package compile

import (
	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// An action is a label without the process.
type action struct {
	step.Action
	message uint32 // of a send or receive
}

// actions numbers actions. The first word of an action has its kind and its port, event or variable; the other words
// have its message or its arguments.
type actions struct {
	system  *System
	events  []packing // by event: of the fields
	vars    []packing // by variable: of its value
	words   int
	vectors *intern.Vectors
	cache   cache[action]
}

// assigns is the kind of an assignment in the first word; another internal action sets nothing.
const assigns = 1<<kindBits - 1

// Bits in the first word: the kind, whether the action is the process' own, the kind of fault, and the number of the
// port, link, event or variable.
const (
	kindBits  = 4
	faultBits = 4
	idShift   = kindBits + 1 + faultBits
	maxID     = 1<<(32-idShift) - 1
)

func (t *actions) init(s *System) {
	t.system, t.words = s, 2
	if len(s.protocol.Faults.InChannels()) > 0 {
		t.words = 3
	}
	for _, e := range s.protocol.Events {
		var fields packing
		for _, f := range e.Fields {
			fields = fields.add(f.Type)
		}
		t.events = append(t.events, fields)
		t.words = max(t.words, 1+fields.words(0))
	}
	for _, v := range s.protocol.Vars {
		value := packing{}.add(v.Type)
		t.vars = append(t.vars, value)
		if v.Lasting() {
			t.words = max(t.words, 1+value.words(0))
		}
	}
	t.vectors = intern.NewVectors(t.words)
	t.cache.init(t.fill)
}

// number returns the number of an action; message is the number of its message, if it has one.
func (t *actions) number(a *step.Action, message uint32) uint32 {
	var few [8]uint32
	words := few[:]
	if t.words > len(few) {
		words = make([]uint32, t.words)
	}
	words = words[:t.words]
	kind, id := uint32(a.Kind), uint32(a.Port)
	p := packer{words: words[1:]}
	switch {
	case a.Event != nil:
		id = uint32(a.Event.ID)
		p.putAll(t.events[id], a.Args)
	case a.Set != nil:
		kind, id = assigns, uint32(a.Set.ID)
		p.putAll(t.vars[id], a.Args)
	case a.Message.Message != nil:
		words[1] = message
		if a.Kind == model.FaultAction && a.Into.Message != nil {
			words[2] = t.system.NumberOf(a.Into) + 1
		}
	}
	words[0] = kind | uint32(a.Fault)<<(kindBits+1) | id<<idShift
	if a.Own {
		words[0] |= 1 << kindBits
	}
	return t.vectors.Number(words)
}

// fill sets a to an action.
func (t *actions) fill(number uint32, a *action) {
	words := make([]uint32, t.words)
	t.vectors.Read(number, words)
	kind, id := words[0]&(1<<kindBits-1), words[0]>>idShift
	a.Own = words[0]>>kindBits&1 != 0
	a.Fault = ir.FaultKind(words[0] >> (kindBits + 1) & (1<<faultBits - 1))
	p := packer{words: words[1:]}
	a.Kind = model.ActionKind(kind)
	switch {
	case kind == assigns:
		a.Kind, a.Set = model.Internal, t.system.protocol.Vars[id]
		a.Args = p.appendAll(t.vars[id], nil)
	case a.Kind == model.EventAction:
		a.Event = t.system.protocol.Events[id]
		a.Args = p.appendAll(t.events[id], nil)
	case a.Sends(), a.Kind == model.ReceiveAction, a.Kind == model.FaultAction:
		a.Port, a.message = int64(id), words[1]
		a.Message = *t.system.messages.at(a.message)
		if a.Kind == model.FaultAction && words[2] > 0 {
			a.Into = *t.system.messages.at(words[2] - 1)
		}
	}
}

// at returns an action by its number.
func (t *actions) at(number uint32) *action { return t.cache.at(number) }

// bytes returns about how much memory t holds.
func (t *actions) bytes() int64 {
	return t.vectors.Bytes() + t.cache.bytes(func(a *action) int64 { return 8 * int64(len(a.Args)) })
}
