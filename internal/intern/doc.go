// Package intern assigns dense numbers to values, for many goroutines at once.
//
// Looking up what is known takes no lock, but in Values; adding takes a mutex, which is cheap because a model checker
// asks for the same few values over and over. Numbers are handed out from 0 on without gaps, so that what is known
// about number i can be kept in an Array at index i.
//
//	Map       uint64 → uint32
//	Numbering pairs of small numbers → dense number, in 8 bytes: an inner node of a tree database
//	Pairs     the same, and back
//	Grid      pairs of small numbers → uint32
//	Vectors   vectors of one length ↔ dense number: a small tree database
//	Values    comparable values ↔ dense number, with a lock
//	Array     a growing array whose elements never move
//	Arena     append-only runs of words, addressed by a 32-bit reference
package intern
