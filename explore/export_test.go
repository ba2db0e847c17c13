package explore

import "ringcheck/explore/internal/visited"

// Spilling returns options of a search that spills when a number of states are stored, from then on with room for another
// number of undecided state IDs.
func Spilling(opt Options, at uint64, undecided int) Options {
	opt.Spill, opt.spilling = true, spilling{at, undecided}
	return opt
}

// Fitting returns options of a search in whose memory a number of states fit.
func Fitting(opt Options, states uint64) Options {
	undecided := int(states) / slotsPerUndecided
	for visited.NewCache(slotsPerUndecided*undecided).Room() < int64(states) {
		undecided += 1 + undecided/16
	}
	return Spilling(opt, states, undecided)
}
