// Package costs computes what the papers say about costs and probabilities of leader election. Only tests use it: they
// compare the results with explorations of the protocols, and write the page, the tables and the pictures here.
//
//	NewRounds    the chain of rounds of probabilistic Franklin: survivors, expected number and distribution of rounds
//	Messages     messages of protocols without chance, over all arrangements of identities
//	Curves       the probability of an election within t steps, as Fig. 3 of Bakhshi et al. (2008)
//
//	go test ./results/costs -run Page -update                 writes all of it, but for the curves
//	go test ./results/costs -run Page -update -figure 3,2     and the curves for three processes, two identities
//
// The chain of rounds is computed independently, from nothing but what a round does.
package costs
