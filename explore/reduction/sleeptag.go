package reduction

// A SleepTag is the bit of a transition in a sleep set, below 64, and its weight, below 2^26.
type SleepTag uint32

// A search stores tags of up to SleepTagBits in less space: what it remembers about three of them fits where it looks
// first. SleepWeightBits of these are for the weight.
const (
	SleepTagBits    = 18
	SleepWeightBits = SleepTagBits - sleepBits

	sleepBits = 6
)

// SleepSets describe the sleep sets of a quotient whose transitions have SleepTags. If a state s is found by a
// transition u from a state r of the level before, every transition that is possible in r, lighter than u, and shares
// no slot with it is asleep at s: its target is found from another state. If several transitions find s, their sets are
// united. Nothing is asleep at an initial state.
type SleepSets struct {
	Shares []uint64 // by bit: what shares a slot with it; empty if nothing is ever asleep
	// Environment has the bits of the environment's transitions, also if nothing is ever asleep.
	Environment uint64
}

// NewSleepTag returns the tag of a bit and a weight.
func NewSleepTag(bit uint, weight uint32) SleepTag {
	return SleepTag(bit%(1<<sleepBits)) | SleepTag(weight<<sleepBits)
}

// Bit returns the bit of a sleep set.
func (t SleepTag) Bit() uint { return uint(t) % (1 << sleepBits) }

// Weight returns the weight.
func (t SleepTag) Weight() uint32 { return uint32(t) >> sleepBits }
