package compile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"ringcheck/internal/effort"
	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// Options bound the growth of a spec.
type Options = step.Options

// A System is a compiled protocol. It implements model.System; all methods are safe for concurrent use.
type System struct {
	protocol    *ir.Protocol
	options     Options
	machine     *step.Machine
	layout      layout
	modelGroups []model.Group
	groups      []group

	locals      locals
	messages    table[ir.Content]
	contents    contentsTable
	actions     actions
	answers     table[[]Outcome]
	shared      table[int64]   // the values of shared variables
	writes      table[[]write] // of outcomes; the first one is the empty list
	listers     sync.Pool      // of *lister
	noSends     [][]Outcome    // of a process that sends nothing: empty lists
	draws       []bool         // by point: whether own actions there may draw
	receives    []intern.Map   // by source: Pair(local, message) → answers
	inserts     intern.Map     // Pair(contents, message) → contents
	ownBytes    atomic.Int64   // of the own outcomes that are kept
	answerBytes atomic.Int64   // of the outcomes in answers
	// One tick later.
	laterLocals, laterContents intern.Map
	buffers                    sync.Pool    // of *[]model.Value, the values of all slots
	receipts                   []int        // by link: the group of its receipts, -1 for none
	reading                    *reading     // nil if no process reads registers of others
	blocks                     bool         // whether a process waits to send to a full channel
	arrivals                   intern.Pairs // a source and a message
	situations                 intern.Pairs // see situation
}

var (
	_ model.Holder         = (*System)(nil)
	_ model.Guarder        = (*System)(nil)
	_ model.Idler          = (*System)(nil)
	_ model.InitialProduct = (*System)(nil)
)

// New compiles p: the shape of the system now, the behaviour on demand. The error is the error of ctx, or says that
// there is no process.
func New(ctx context.Context, p *ir.Protocol, opt Options) (_ *System, err error) {
	defer effort.Catch(&err)
	if p.N < 1 {
		return nil, errors.New("compile: a protocol without processes")
	}
	if len(p.Large) > 0 {
		return nil, fmt.Errorf("compile: %s: %s", p.Large[0].Pos, p.Large[0].Text)
	}
	s := &System{protocol: p, options: opt.WithDefaults(), machine: step.New(p, opt)}
	bound := &effort.Effort{Context: ctx}
	s.layout = newLayout(bound, p, s.machine)
	s.reading, s.blocks = newReading(p), p.Capacity.Blocks()
	s.modelGroups, s.groups = newGroups(bound, p, &s.layout, s.machine, s.reading)
	s.receives = make([]intern.Map, s.layout.ports)
	s.receipts = slices.Repeat([]int{-1}, len(p.Links))
	for g := range s.groups {
		if role := &s.groups[g].Role; role.Kind == Receives {
			s.receipts[p.InLink(role.Process, role.Port)] = g
		}
	}
	s.locals.init(p)
	s.contents.init(p.Channel, s.fillContents)
	s.writes.add(nil)
	s.actions.init(s)
	s.noSends = make([][]Outcome, s.layout.ports)
	s.listers.New = func() any { return newLister(s) }
	s.buffers.New = func() any { return new([]model.Value) }
	for _, point := range p.Points {
		s.draws = append(s.draws, mayDraw(point))
	}
	return s, nil
}

// Need returns about how many bytes the shape of p takes.
func Need(p *ir.Protocol) uint64 {
	const slot, groups = 100, 650 // of a channel: its slot, and who sends to it and receives from it
	return (slot + groups) * uint64(p.N+len(p.Links))
}

// Protocol returns the protocol that was compiled.
func (s *System) Protocol() *ir.Protocol { return s.protocol }

// Machine returns the semantics that was compiled.
func (s *System) Machine() *step.Machine { return s.machine }

// Slots implements model.System.
func (s *System) Slots() []model.Slot { return s.layout.slots }

// Groups implements model.System.
func (s *System) Groups() []model.Group { return s.modelGroups }

// SlotOfProcess returns the slot of process p.
func (s *System) SlotOfProcess(p int) int { return s.layout.processes[p] }

// SlotOfLink returns the slot of the channel Protocol().Links[l].
func (s *System) SlotOfLink(l int) int { return s.layout.channels[l] }

// SlotOfShared returns the slot of the shared variable Protocol().Shared[i].
func (s *System) SlotOfShared(i int) int { return s.layout.shared[i] }

// Local returns the local state that is the value v of a process' slot.
func (s *System) Local(v model.Value) ir.Local { return s.locals.at(v).Local }

// EncodeLocal returns the value of the slot of a process in a local state.
func (s *System) EncodeLocal(l ir.Local) model.Value { return s.locals.number(l) }

// Seen returns the same as properties see it: at a stop if nothing but pending decisions is before it.
func (s *System) Seen(v model.Value) ir.Local { return s.locals.view(v).Local }

// Contents returns the messages that are the value v of a channel's slot: in the order of ir.View. The
// caller does not change them.
func (s *System) Contents(v model.Value) []ir.Content { return s.contents.cache.at(v).list }

// Bytes implements model.Holder.
func (s *System) Bytes() int64 {
	n := s.locals.bytes() + s.messages.bytes() + s.contents.bytes() + s.actions.bytes() + s.answers.bytes()
	n += s.shared.bytes() + s.writes.bytes()
	n += s.inserts.Bytes() + s.ownBytes.Load() + s.answerBytes.Load() + s.arrivals.Bytes() + s.situations.Bytes()
	for i := range s.groups {
		if situations := s.groups[i].situations; situations != nil {
			n += situations.answers.Bytes()
		}
	}
	for i := range s.receives {
		n += s.receives[i].Bytes()
	}
	return n
}

// Encode appends the vector of a state to buf.
func (s *System) Encode(buf []model.Value, state *step.State) []model.Value {
	first := len(buf)
	buf = append(buf, make([]model.Value, len(s.layout.slots))...)
	vector := buf[first:]
	for p, l := range state.Processes {
		vector[s.layout.processes[p]] = s.locals.number(l)
	}
	for link, list := range state.Channels {
		vector[s.layout.channels[link]] = s.EncodeContents(list)
	}
	for i, value := range state.Shared {
		vector[s.layout.shared[i]] = s.EncodeShared(value)
	}
	for kind, slot := range s.layout.counters {
		if slot >= 0 {
			vector[slot] = model.Value(state.Faults[kind])
		}
	}
	return buf
}

// Decode returns the state that a vector encodes. The caller does not change it.
func (s *System) Decode(vector []model.Value) *step.State {
	state := &step.State{}
	for _, slot := range s.layout.processes {
		state.Processes = append(state.Processes, s.Local(vector[slot]))
	}
	for _, slot := range s.layout.channels {
		state.Channels = append(state.Channels, s.Contents(vector[slot]))
	}
	for _, slot := range s.layout.shared {
		state.Shared = append(state.Shared, s.SharedValue(vector[slot]))
	}
	for kind, slot := range s.layout.counters {
		if slot >= 0 {
			state.Faults[kind] = int64(vector[slot])
		}
	}
	return state
}

// FormatSlot implements model.System: A2(id=1, bit=true), {M(1,1,true)×2}. See ir.Protocol.PointNames.
func (s *System) FormatSlot(slot int, v model.Value) string {
	switch {
	case s.layout.slots[slot].Kind == model.ChannelSlot && v < s.contents.len():
		return s.protocol.FormatContents(s.Contents(v))
	case s.layout.slots[slot].Kind == model.ProcessSlot && v < s.locals.len():
		return s.machine.FormatLocal(s.Local(v))
	case s.layout.slots[slot].Kind == model.SharedSlot && v < s.shared.len():
		return s.sharedAt(slot).Type.Format(s.SharedValue(v))
	case s.layout.slots[slot].Kind == model.OtherSlot:
		return strconv.FormatUint(uint64(v), 10) // of the faults that the slot is named after
	}
	return "?"
}

// A layout has the positions of the parts of a state in its vector.
type layout struct {
	slots     []model.Slot
	processes []int              // slot by process
	channels  []int              // slot by link
	shared    []int              // slot by ir.Var.Slot
	ports     int                // targets and sources are less than this
	counters  [ir.FaultKinds]int // slot by kind of fault, -1 if they are not counted
}

func newLayout(bound *effort.Effort, p *ir.Protocol, m *step.Machine) layout {
	l := layout{channels: make([]int, len(p.Links))}
	for _, link := range p.Links {
		l.ports = max(l.ports, int(link.Out)+1, int(link.In)+1)
	}
	for process := range p.N {
		l.processes = append(l.processes, l.add(p.ProcessName(process), model.ProcessSlot, process))
		lo, hi := p.InLinks(process)
		for link := lo; link < hi; link++ {
			bound.Tick()
			l.channels[link] = l.add(p.FormatLink(link), model.ChannelSlot, process)
		}
		for k := len(l.shared); k < len(p.Shared) && (k+1)*p.N <= (process+1)*(len(p.Shared)+1); k++ {
			l.shared = append(l.shared, l.add(p.Shared[k].Name, model.SharedSlot, -1))
		}
	}
	for kind := range ir.FaultKinds {
		l.counters[kind] = -1
		if _, counted := m.Limit(kind); counted {
			l.counters[kind] = l.add(kind.String(), model.OtherSlot, -1)
		}
	}
	return l
}

func (l *layout) add(name string, kind model.SlotKind, process int) int {
	l.slots = append(l.slots, model.Slot{Name: name, Kind: kind, Process: process})
	return len(l.slots) - 1
}
