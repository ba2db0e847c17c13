// Package store keeps sorted sets of states on disk, for searches that outgrow memory or outlive a process.
//
//	Store   a folder; Create, Open, Temporary
//	Run     a sorted set of state IDs that never changes: Store.Writer, Reader
//	Joiner  which of some sorted state IDs are in none of some runs, or which numbers they have in them
//	Store.Put, Each  tables that only grow
//	Pile    pieces of data of any size that know where they are
//	Store.Commit     replaces the record, atomically; ReadRecord reads it, also while another process uses the store
//	Store.Rewind     goes back to what there was at the last Commit
//
// It knows nothing of searches: a state ID is a 64-bit number, whose halves are small and close to those of its
// neighbours in the order.
//
// # Duplicate detection
//
// A hash table on disk would take a random read for each successor. Delayed duplicate detection (Stern and Dill: Using
// magnetic disk instead of main memory in the Murφ verifier, CAV 1998; Korf: Best-first frontier search with delayed
// duplicate detection, AAAI 2004) collects and sorts candidates; then one pass over the known states decides about all
// of them. A Joiner is that pass for one goroutine: it compares the candidates, range by range, with all runs. A filter
// of the candidates, which stays in the cache, rejects nearly all other state IDs. Another goroutine reads the blocks
// of the next range meanwhile. So runs need not be merged, and each state ID is written once. Blocks of a run that
// cannot hold a candidate are not read, sections of a block that cannot are not decoded.
//
// # Format
//
// The folder of a store has three members, and as long as they are used the files of piles:
//
//	LOCK    locked, by flock(2), while a process uses the store: the first thing that it does, and the last that ends
//	states  entries, one after the other; only appended to
//	RECORD  a checksum; the size of states at the last Commit (8 bytes); the record. Replaced by rename
//	pile-*  pieces of a Pile one after the other, each behind its checksum
//
// A checksum is the xxHash64 of all that follows it, in 8 bytes. Numbers are little-endian. An entry is a block of a
// run, or what was put into a table at one time:
//
//	checksum
//	'r' or 't', number of the run or table (4 bytes), first state ID of the block or 0 (8), size of the data (8)
//	checksum of these four only: Rewind reads them without the data
//	data
//
// A run is divided into blocks of up to 16,384 state IDs, and these into sections of 128. The data of a block is
//
//	number of state IDs, number of bits of the lower half: uvarint
//	for each section, with the two halves pushed together: its first state ID less that of the section before, and its
//	size in bytes: uvarint
//	the sections: the sizes of the differences between successive state IDs, 1, 2, 3 or 8 bytes, in two bits each; the
//	differences
//
// # What can go wrong
//
// Errors say what is wrong: ErrFull, ErrLocked, ErrDamaged, ErrExists, ErrNotEmpty, ErrMissing, ErrFormat. What was
// written after the last Commit, by a process that was killed or a disk that was full, lies behind the size in RECORD
// and is cut off by Rewind. A folder without a RECORD is a run that was killed before its first checkpoint. The LOCK
// gets its name when it is locked, so an unlocked one belongs to no live process: this is how temporary stores of
// killed processes are found.
package store
