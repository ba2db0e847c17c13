package symmetry

import (
	"iter"
	"slices"

	"ringcheck/explore/reduction"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// permutedSleep has the sleep sets of a quotient by permutations. A bit stands for a group of the system. As in a
// quotient by rotation (see newSleep), transitions are ordered by their weights, which permutations do not change:
// hashes of what the slots of a group hold, without the numbers of processes.
type permutedSleep struct {
	reduction.PermutedSleep
	*describer
	own     []model.Group // of the compiled system
	groups  []model.Group // of the system of the quotient
	parts   [][]uint8     // by group and process: what the slots of the group have of the process
	classes []int         // by group: the least group to which permutations move it
	bits    []uint8       // by group
}

// What a group has of a process.
const (
	actions uint8 = 1 << iota
	localState
	output
	input
)

// The bits of groups that have none of their own, since there are too many: they never sleep.
const (
	ownBits              = 62
	sharedBit            = 62
	sharedEnvironmentBit = 63
)

// newPermutedSleep returns the sleep sets of a quotient of a system with the given groups.
func newPermutedSleep(d *describer, groups []model.Group) *permutedSleep {
	z := &permutedSleep{describer: d, own: d.sys.Groups(), groups: groups}
	z.classes, z.bits = make([]int, len(z.groups)), make([]uint8, len(z.groups))
	for g, group := range z.groups {
		z.parts = append(z.parts, d.partsIn(group, d.sys.Role(g).Process))
		if z.bits[g] = sharedBit; group.Environment {
			z.bits[g] = sharedEnvironmentBit
		}
	}
	z.Environment = 1 << sharedEnvironmentBit
	if known := z.numbers(); z.classify(known) {
		z.Images = z.images(known, z.assignBits())
		z.Shares = z.shares()
	}
	return z
}

// partsIn returns the parts of all processes in a group of actions of one process.
func (d *describer) partsIn(group model.Group, process int) []uint8 {
	parts := make([]uint8, d.group.n)
	if process >= 0 {
		parts[process] = actions
	}
	for _, s := range group.Slots {
		switch o := d.owners[s]; {
		case o.process >= 0:
			parts[o.process] |= localState
		case o.link >= 0:
			l := &d.protocol.Links[o.link]
			parts[l.From] |= output
			parts[l.To] |= input
		}
	}
	return parts
}

// key returns a hash of a kind of groups and of slots in any order.
func (z *permutedSleep) key(g int, slots iter.Seq[int]) hash {
	sum := hash(0)
	for s := range slots {
		sum += hash(1).append(uint64(s))
	}
	if z.own[g].Environment {
		sum++
	}
	return sum.append(uint64(z.sys.Role(g).Kind))
}

// numbers returns the groups by their keys.
func (z *permutedSleep) numbers() map[hash]int {
	known := make(map[hash]int)
	for g, group := range z.own {
		known[z.key(g, slices.Values(group.Slots))] = g
	}
	return known
}

// image returns the image of a group under a permutation, given the images of the slots.
func (z *permutedSleep) image(known map[hash]int, slots []int32, g int) (image int, ok bool) {
	image, ok = known[z.key(g, slotImages(z.own[g], slots))]
	if !ok || !moves(slots, z.own[g], z.own[image]) || !moves(slots, z.groups[g], z.groups[image]) {
		return 0, false
	}
	return image, true
}

// slotImages yields the images of the slots of a group, given those of all slots.
func slotImages(g model.Group, images []int32) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, s := range g.Slots {
			if !yield(int(images[s])) {
				return
			}
		}
	}
}

// moves reports whether the images of the slots of a group are the slots of another one.
func moves(images []int32, from, to model.Group) bool {
	for s := range slotImages(from, images) {
		if _, ok := slices.BinarySearch(to.Slots, s); !ok {
			return false
		}
	}
	return len(from.Slots) == len(to.Slots)
}

// classify sets the classes. It returns false if it does not know the images of all groups.
func (z *permutedSleep) classify(known map[hash]int) bool {
	for g := range z.groups {
		z.classes[g] = g
	}
	for again := len(known) == len(z.groups); again; {
		again = false
		for _, p := range z.group.generators {
			slots := z.permuteSlots(p)
			for g := range z.groups {
				to, ok := z.image(known, slots, g)
				if !ok {
					return false
				}
				if least := min(z.classes[g], z.classes[to]); z.classes[g] != z.classes[to] {
					z.classes[g], z.classes[to], again = least, least, true
				}
			}
		}
	}
	return len(known) == len(z.groups)
}

// assignBits gives bits of their own to the groups of as many classes as possible, and returns these groups by bit.
func (z *permutedSleep) assignBits() (own []int) {
	for class := range z.groups {
		var members []int
		for g, c := range z.classes {
			if c == class {
				members = append(members, g)
			}
		}
		if len(own)+len(members) > ownBits {
			continue
		}
		for _, g := range members {
			if z.bits[g] = uint8(len(own)); z.groups[g].Environment {
				z.Environment |= 1 << len(own)
			}
			own = append(own, g)
		}
	}
	return own
}

// images returns the images of the bits of some groups under all permutations.
func (z *permutedSleep) images(known map[hash]int, own []int) (all [][]uint8) {
	for _, slots := range z.action.slots {
		images := make([]uint8, 0, len(own))
		for _, g := range own {
			to, _ := z.image(known, slots, g)
			images = append(images, z.bits[to])
		}
		all = append(all, images)
	}
	return all
}

// shares returns for each bit the bits that must not sleep after its groups: those of groups with a slot in common, and
// those that never sleep.
func (z *permutedSleep) shares() []uint64 {
	const always = 1<<sharedBit | 1<<sharedEnvironmentBit
	users := make([]uint64, len(z.kinds)) // by slot
	for g, group := range z.groups {
		for _, s := range group.Slots {
			users[s] |= 1 << z.bits[g]
		}
	}
	shares := slices.Repeat([]uint64{always}, 64)
	for g, group := range z.groups {
		for _, s := range group.Slots {
			shares[z.bits[g]] |= users[s]
		}
	}
	return shares
}

// weight returns the weight of the transitions of a group from the given values of its slots.
func (z *permutedSleep) weight(g int, values []model.Value) uint32 {
	sum := hash(0)
	for i, slot := range z.groups[g].Slots {
		sum += z.hashOf(slot, values[i], z.parts[g])
	}
	return uint32(hash(z.classes[g]+1).append(uint64(sum)) >> (64 - reduction.SleepWeightBits))
}

// hashOf returns a hash of the value of a slot of a group that has parts of processes. It is the same in all
// operating-system processes, so that processes that share a search agree on what is asleep.
func (z *permutedSleep) hashOf(slot int, v model.Value, parts []uint8) hash {
	var x *description
	var h hash
	switch o := z.owners[slot]; {
	case o.process >= 0:
		x = z.local(o.process, v)
		h = hash(1).append(uint64(parts[o.process]))
	case o.link >= 0:
		l := &z.protocol.Links[o.link]
		h = hash(2).append(uint64(parts[l.From]), uint64(parts[l.To]))
		if v == compile.Empty {
			return h
		}
		x = z.channel(o.link, v)
	case z.describer.shared[slot] != nil:
		x = z.sharedValue(slot, v)
		h = hash(4)
	default:
		return hash(3).append(uint64(slot), uint64(v))
	}
	h = h.append(uint64(x.colour))
	sum := h
	for p, about := range x.about {
		if about != 0 && parts[p] != 0 {
			sum += h.append(uint64(about), uint64(parts[p]))
		}
	}
	return sum
}

// Sleep implements reduction.Permutation.
func (q *PermutationQuotient) Sleep() reduction.PermutedSleep { return q.sleep.PermutedSleep }

// FullSystem implements reduction.Permutation.
func (q *PermutationQuotient) FullSystem(asleep bool) model.System {
	if asleep {
		return taggedSystem{q.System, q.sleep}
	}
	return fullSystem{q.System, q}
}

// fullSystem is the system of a quotient with the labels of the quotient.
type fullSystem struct {
	model.System
	q *PermutationQuotient
}

// Unwrap returns the system.
func (u fullSystem) Unwrap() model.System { return u.System }

// Label implements model.System.
func (u fullSystem) Label(l model.Label) model.LabelInfo { return u.q.Label(l) }

// taggedSystem is the system of a quotient, with the tags of the transitions as labels.
type taggedSystem struct {
	model.System
	sleep *permutedSleep
}

// Unwrap returns the system.
func (t taggedSystem) Unwrap() model.System { return t.System }

// Next implements model.System.
func (t taggedSystem) Next(g int, in []model.Value, out *model.Successors) error {
	first := out.Len()
	if err := t.System.Next(g, in, out); err != nil || out.Len() == first {
		return err
	}
	weight := uint32(0)
	if len(t.sleep.Shares) > 0 {
		weight = t.sleep.weight(g, in)
	}
	out.Relabel(first, model.Label(reduction.NewSleepTag(uint(t.sleep.bits[g]), weight)))
	return nil
}
