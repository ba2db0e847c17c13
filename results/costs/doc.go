// Package costs computes what the papers say about costs and probabilities of leader election. Only tests use it: they
// compare the results with explorations of the protocols, and write the page, the tables and the pictures here.
//
//	costs        the chain of rounds of probabilistic Franklin: survivors, expected number and distribution of rounds
//	messages     message counts of deterministic protocols, over all arrangements of identities
//	curves       the probability of an election within t steps, as Fig. 3 of Bakhshi et al. (2008)
//
//	go test ./results/costs -run Page -update                 writes everything except the curves
//	go test ./results/costs -run Page -update -figure 3,2     also writes the curves for n = 3, k = 2
//
// The chain of rounds follows from the definition of a round alone; it needs no exploration.
package costs
