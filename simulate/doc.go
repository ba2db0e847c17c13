// Package simulate estimates what cannot be explored: it takes random runs of a System, without a state space.
//
//	Estimate   takes many runs and says what they cost and how they end, with confidence intervals
//	Retrace    repeats one of those runs and returns it step by step
//	Shorten    leaves out of a run what it can do without
//
// A run begins in an initial state, each equally likely. In every state the uniform scheduler picks one of the
// enabled choices of the whole system, each equally likely; a probabilistic draw is one choice, resolved by its
// weights. This is the Markov chain whose exact values package prob computes. A run ends in a terminal state.
//
// A step costs the transition groups that share a slot with it, not those of the whole system: the number of
// choices of each group is kept in a tree of sums (urn), from which a choice is drawn, and only groups that read
// what has changed are evaluated again.
//
// An adversary ranks the steps, see Rank: what is random is only which step of the least rank happens.
//
// Run i of a seed has a random generator of its own, made of both numbers, so the results do not depend on the
// number of workers.
package simulate
