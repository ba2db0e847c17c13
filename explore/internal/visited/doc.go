// Package visited implements an exact set of visited states: a compact hash table with lock-free find-or-put.
//
// A state is a tree.StateID, the numbers of its two halves. A slot takes only four bytes, because its position
// determines most of the state ID (quotienting: Cleary 1984; Knuth 6.4, exercise 13):
//
//	a state ID of w bits (the two numbers, each with as many bits as it currently needs)
//	→ the hash: a bijection on w-bit numbers whose image looks random
//	→ the top bits select a shard; the other bits, scaled to the number of lines, the home line in the shard
//	→ the rest, the remainder, is stored together with the distance of its line from the home line.
//
// A line is a cache line of 16 slots. A state ID is stored in its home line or, if that is full, in one of 62 others at
// fixed distances. Line, distance and remainder determine the state ID, so the set is exact.
//
// Slots are filled but never emptied. Two goroutines that put the same state ID probe the same slots in the same order
// and meet at the first empty one, where a compare-and-swap decides which of them adds it. That swap, or the load that
// finds the state ID, is the linearization point.
//
// The home line is monotone in the hash for any number of lines, so enlarging a shard is one pass over the old and the
// new lines, and a shard can grow by as little as an eighth. All other goroutines must pause for Set.Grow; a search
// does so at no cost.
package visited
