// Package visited is the exact set of visited states: a compact hash table with lock-free find-or-put.
//
// A state is a tree.StateID, the numbers of its two halves. Most of a state ID is known from where it is stored
// (quotienting: Cleary 1984; Knuth 6.4, exercise 13), so that four bytes a slot are enough:
//
//	a state ID of w bits (the two numbers, each with as many bits as it needs now)
//	→ a bijection of the w-bit numbers whose image looks random: the hash
//	→ the top bits choose a shard, the hash in proportion to its range the home line in the shard
//	→ the rest, the remainder, is stored, with the distance of the line where it is stored from its home.
//
// A line is a cache line of 16 slots. A state ID is stored in its home line or, where that is full, in one of 62
// others, at distances that are the same for all lines. Nothing is lost: line, distance and remainder give back the
// state ID.
//
// Slots are only ever filled. Two goroutines that put the same state ID walk the same slots in the same order and
// meet at the first empty one, where a compare-and-swap decides who has added it; that swap, or the load that
// finds the state ID, is the linearization point.
//
// The home line is monotone in the hash for any number of lines, so moving a shard to more lines is one pass
// over both, and a shard can grow by an eighth. Growing needs all other goroutines to pause, which a search
// can arrange at no cost: see Set.Grow.
package visited
