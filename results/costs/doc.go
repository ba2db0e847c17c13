// Package costs computes what the papers say about costs and probabilities of leader election, and writes the results
// as a page, tables and pictures.
//
//	NewRounds    the chain of rounds of probabilistic Franklin: survivors of a round, expected number and distribution of rounds
//	Messages     messages of protocols without chance, over all arrangements of identities
//	Curves       the probability of an election within t steps, as Fig. 3 of Bakhshi et al. (2008)
//
//	go run ./results/costs/page    writes all of it below results/costs
//
// The chain of rounds is computed independently, from nothing but what a round does; the tests compare it with an
// exploration of the protocol.
package costs
