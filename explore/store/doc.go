// Package store keeps sorted sets of states on disk, for searches that outgrow memory or outlive a process.
//
//	Store   a folder; Create, Open, Temporary
//	Run     a sorted set of state IDs that never changes: Store.Writer, Reader
//	Joiner  which of some sorted state IDs are in none of some runs, or which numbers they have in them
//	Store.Put, Each  tables that only grow
//	Pile    pieces of data of any size that know where they are
//	Store.Commit     replaces the record, atomically; ReadRecord reads it, also while another process uses the store
//
// It knows nothing of searches: a state ID is a number of 64 bits, whose upper and lower halves are small and close to those
// of its neighbours in the order.
//
// # Duplicate detection
//
// A hash table on disk would take a random read for each successor. Delayed duplicate detection (Stern and Dill:
// Using magnetic disk instead of main memory in the Murφ verifier, CAV 1998; Korf: Best-first frontier search with delayed
// duplicate detection, AAAI 2004) collects what may be new and sorts it; then one pass over what is known decides all of
// it. A Joiner is that pass, for one goroutine, which takes the candidates range by range, and compares each range with all runs:
// a filter of the candidates, which stays in the cache, tells nearly all state IDs that are none of them. Another goroutine
// reads the blocks of the next range meanwhile. So runs need not be merged, however many there are, and each state ID is written
// once. Blocks of a run that cannot hold a candidate are not read, sections of a block that cannot are not decoded.
//
// # Format
//
// A run is divided into blocks of up to 16,384 state IDs, and these into sections of 128. The data of a block are:
//
//	number of state IDs, number of bits of the lower half: uvarint
//	for each section, with the two halves pushed together: its first state ID less that of the section before, and its
//	size in bytes: uvarint
//	the sections: the sizes of the differences between successive state IDs, 1, 2, 3 or 8 bytes, in two bits each; the
//	differences, little-endian
//
// An entry of the data file is sealed: it begins with the xxHash64 of the rest. Then come its size (4 bytes), 'r' or 't', the number
// of the run or table (4), and the first state ID of the block or the position in the table (8), little-endian; then the data.
//
// The folder of a store has three members, and as long as they are used the files of piles:
//
//	LOCK    locked, by flock(2), while a process uses the store: the first thing that it does, and the last that ends
//	RECORD  the size of DATA (8 bytes, little-endian) and the record, sealed; replaced by rename
//	DATA    entries, one behind the other; it is only ever appended to
//	pile-*  pieces of a Pile one after the other, each sealed
//
// What is in DATA beyond the size that RECORD names was written by a process that was killed, and Open cuts it off. A folder
// without a RECORD is a run that was killed before it kept anything. The LOCK gets its name when it is
// locked, so that an unlocked one belongs to no live process: this is how temporary stores of killed processes
// are found.
//
// # What can go wrong
//
// Errors say what is wrong: ErrFull, ErrLocked, ErrDamaged, ErrExists, ErrNotEmpty, ErrMissing, ErrFormat. Before anything is
// appended the file must be as long as it was, and before a record takes effect it must be in its place.
package store
