package tree

// An Expansion has the successors of some states, once for each transition that is not asleep.
type Expansion struct {
	To []StateID
	// Tags has the tag of each successor: the class of the group, or the result of the store's Tagger.
	Tags []uint32
	// Permutations has, for a quotient by permutations, the number of the permutation that leads from the target of
	// each transition to its representative. It is empty for other systems, and in a search with sleep sets.
	Permutations []uint32
	// Asleep has the sleep set that each successor gets from this transition. It is empty without sleep sets.
	Asleep []Sleep
	Ends   []int // by state: the end of its successors in To
	Counts []int // by state: the number of transitions, including sleeping ones, without repetitions
	// Environment has, by state, the number of these that are the environment's. It is empty if there are never any.
	Environment []int
}

// Quiescent reports whether state i has no transitions but the environment's.
func (x *Expansion) Quiescent(i int) bool {
	return x.Counts[i] == 0 || len(x.Environment) > 0 && x.Environment[i] == x.Counts[i]
}

func (x *Expansion) reset() {
	x.To, x.Tags, x.Asleep, x.Ends = x.To[:0], x.Tags[:0], x.Asleep[:0], x.Ends[:0]
	x.Permutations = x.Permutations[:0]
	x.Counts, x.Environment = x.Counts[:0], x.Environment[:0]
}
