// Package costs computes what the papers say about costs and probabilities of leader election. Its tests compare the
// results with explorations of the protocols. go run ./results/make writes the page, the tables and the pictures here.
//
//	Page      the page and its files, but not the curves
//	Rounds    the chain of rounds of probabilistic Franklin: survivors, expected number and distribution of rounds
//	Messages  message counts of deterministic protocols, over all arrangements of identities
//	Figure    the probability of an election within t steps, as Fig. 3 of Bakhshi et al. (2008)
//
// The chain of rounds follows from the definition of a round alone; it needs no exploration.
package costs
