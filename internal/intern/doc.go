// Package intern assigns dense numbers to values, for many goroutines at once.
//
// Lookups of known values take no lock, except in Values. Adding takes a mutex, which is cheap because a model checker
// asks for the same few values over and over. Numbers start at 0 and have no gaps, so data about number i can be kept
// in an Array at index i.
//
//	Map       uint64 → uint32
//	Numbering pairs of small numbers → dense number, in 8 bytes: an inner node of a tree database
//	Pairs     pairs of small numbers ↔ dense number
//	Grid      pairs of small numbers → uint32
//	Vectors   vectors of one length ↔ dense number: a small tree database
//	Values    comparable values ↔ dense number, with a lock
//	Array     a growing array whose elements never move
//	Arena     append-only runs of words, addressed by a 32-bit reference
package intern
