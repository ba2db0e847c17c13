package symmetry

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// An action permutes the states of a compiled system: the processes, the channels between them, and the numbers of
// processes in local states and messages. It is safe for concurrent use.
type action struct {
	sys      *compile.System
	protocol *ir.Protocol
	group    *group
	kinds    []model.SlotKind
	shared   []*ir.Var            // by slot: the shared variable there; nil for none
	places   [][]int              // by control point: the places in Env of values that permutations change
	sent     map[*ir.Message]bool // whether permutations change a field
	slots    [][]int32            // by element: the image of each slot
	// By table: of processes, of channels, and of each shared variable.
	images []intern.Grid // of values, by element and value
	ranks  []table[rank]
}

// A rank orders the values of a kind of slot independently of their numbering: it is a hash of their bytes. Values of
// equal rank are ordered by their bytes.
type rank uint64

func newAction(sys *compile.System, g *group) *action {
	a := &action{sys: sys, protocol: sys.Protocol(), group: g, sent: make(map[*ir.Message]bool)}
	for _, s := range sys.Slots() {
		a.kinds = append(a.kinds, s.Kind)
	}
	a.shared = make([]*ir.Var, len(a.kinds))
	for _, v := range a.protocol.Shared {
		a.shared[sys.SlotOfShared(v.Slot)] = v
	}
	for _, p := range a.protocol.Points {
		var places []int
		for i, v := range p.Live {
			if g.sortOf(v.Type) != plain {
				places = append(places, i)
			}
		}
		a.places = append(a.places, places)
	}
	for _, m := range a.protocol.Messages {
		a.sent[m] = slices.ContainsFunc(m.Fields, func(f ir.Field) bool { return g.sortOf(f.Type) != plain })
	}
	for _, p := range g.elements {
		a.slots = append(a.slots, a.permuteSlots(p))
	}
	a.images = make([]intern.Grid, firstShared+len(a.protocol.Shared))
	for range a.images {
		a.ranks = append(a.ranks, newTable[rank](1))
	}
	return a
}

// permuteSlots returns the slots to which a permutation moves the slots.
func (a *action) permuteSlots(p permutation) []int32 {
	slots := make([]int32, len(a.kinds))
	for i := range slots {
		slots[i] = int32(i) // of what all processes share
	}
	for q := range a.group.n {
		slots[a.sys.SlotOfProcess(q)] = int32(a.sys.SlotOfProcess(int(p.processes[q])))
	}
	for i, l := range a.protocol.Links {
		out := p.direction(l.Out)
		if a.protocol.Numbered() {
			out = int64(p.processes[l.To])
		}
		slots[a.sys.SlotOfLink(i)] = int32(a.sys.SlotOfLink(a.protocol.OutLink(int(p.processes[l.From]), out)))
	}
	return slots
}

// permute writes the image of a state under a permutation to image.
func (a *action) permute(p permutation, state, image []model.Value) {
	for slot, to := range a.permuteSlots(p) {
		image[to] = a.permuteSlotValue(slot, p, state[slot])
	}
}

// permuteSlotValue returns the image of a value of a slot.
func (a *action) permuteSlotValue(slot int, p permutation, v model.Value) model.Value {
	kind := a.kinds[slot]
	switch {
	case kind == model.SharedSlot:
		return a.sys.EncodeShared(permuteValue(a.shared[slot].Type, a.sys.SharedValue(v), p))
	case kind == model.ProcessSlot:
		return a.permuteLocal(p, v)
	case kind == model.ChannelSlot && v != compile.Empty:
		list := slices.Clone(a.sys.Contents(v))
		for i, c := range list {
			if a.sent[c.Message] {
				list[i].Args = slices.Clone(c.Args)
				for k, f := range c.Message.Fields {
					list[i].Args[k] = permuteValue(f.Type, c.Args[k], p)
				}
			}
		}
		if !a.protocol.Channel.Ordered() {
			slices.SortFunc(list, ir.Content.Compare)
		}
		return a.sys.EncodeContents(list)
	}
	return v
}

// permuteLocal returns the image of a local state.
func (a *action) permuteLocal(p permutation, v model.Value) model.Value {
	l := a.sys.Local(v)
	if len(a.places[l.Point.ID]) == 0 && p.directions == "" {
		return v
	}
	env := slices.Clone(l.Env)
	for _, i := range a.places[l.Point.ID] {
		env[i] = permuteValue(l.Point.Live[i].Type, env[i], p)
	}
	return a.sys.EncodeLocal(a.group.renamings[p.directions].local(ir.Local{Point: l.Point, Env: env}))
}

// firstShared is the table of the first shared variable.
const firstShared = 2

// tableOf returns the index of the tables for the values of a slot.
func (a *action) tableOf(slot int) int {
	switch a.kinds[slot] {
	case model.ChannelSlot:
		return 1
	case model.SharedSlot:
		return firstShared + a.shared[slot].Slot
	case model.ProcessSlot, model.OtherSlot:
	}
	return 0
}

// image writes the image of a state under element i of the group to image.
func (a *action) image(i uint32, state, image []model.Value) {
	for slot, to := range a.slots[i] {
		image[to] = a.imageOf(i, slot, state[slot])
	}
}

// imageOf returns the image of a value of a slot under element i.
func (a *action) imageOf(i uint32, slot int, v model.Value) model.Value {
	kind := a.kinds[slot]
	if i == 0 || kind == model.OtherSlot || kind == model.ChannelSlot && v == compile.Empty {
		return v
	}
	t := &a.images[a.tableOf(slot)]
	image, ok := t.Load(i, v)
	if !ok {
		image = t.LoadOrStore(i, v, a.permuteSlotValue(slot, a.group.elements[i], v))
	}
	return image
}

// compare compares two values of a kind of slot, in the same way in every operating-system process.
func (a *action) compare(slot int, x, y model.Value) int {
	kind := a.kinds[slot]
	if x == y || kind == model.OtherSlot {
		return cmp.Compare(x, y)
	}
	if c := cmp.Compare(a.rank(slot, x), a.rank(slot, y)); c != 0 {
		return c
	}
	return strings.Compare(string(a.sys.AppendSlot(nil, slot, x)), string(a.sys.AppendSlot(nil, slot, y)))
}

func (a *action) rank(slot int, v model.Value) rank {
	t := &a.ranks[a.tableOf(slot)]
	n, key, ok := t.find([]uint32{v})
	if !ok {
		n = t.add(key, rank(xxhash.Sum64(a.sys.AppendSlot(nil, slot, v))), 0)
	}
	return *t.at(n)
}

// compareStates compares two states slot by slot.
func (a *action) compareStates(s, t []model.Value) int {
	for slot, v := range s {
		if v != t[slot] {
			return a.compare(slot, v, t[slot])
		}
	}
	return 0
}

func (a *action) bytes() int64 {
	n := int64(len(a.slots)) * int64(len(a.kinds)) * 4
	for i := range a.images {
		n += a.images[i].Bytes() + a.ranks[i].bytes()
	}
	return n + a.group.cosets.bytes()
}

// stateKey returns a state as a key of maps.
func stateKey(state []model.Value) string {
	var key []byte
	for _, v := range state {
		key = binary.LittleEndian.AppendUint32(key, v)
	}
	return string(key)
}
