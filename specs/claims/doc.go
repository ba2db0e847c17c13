// Package claims tests what the papers say about their protocols: a test for each claim that exploring a state space
// can decide, for small rings, named by its section. If a sentence is not literally true, the test shows this, and
// states the corrected claim.
//
//	bakhshi_test.go     Bakhshi, Fokkink, Pang, van de Pol: Leader Election in Anonymous Rings: Franklin Goes
//	                    Probabilistic (2008)
//	note_test.go        the lecture note on the same algorithm, in which the leader announces itself
//	hirschberg_test.go  the note on Hirschberg and Sinclair's algorithm
//	randomized_test.go  Ramanathan, Ferreira, Jagannathan, Grama, Szpankowski: Randomized Leader Election (2007)
//
// Instances that take more than a few seconds run only with go test -full.
package claims
