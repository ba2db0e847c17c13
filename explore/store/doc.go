// Package store keeps sorted sets of states on disk, in badger, for searches that outgrow memory or outlive a process.
//
//	Store   a folder; Create, Open, Temporary
//	Run     a sorted set of state IDs that never changes: Store.Writer, Reader
//	Joiner  finds out which of some sorted state IDs are in a set of runs, or which numbers they have there
//	Store.Put, Each  append-only tables
//	Pile    pieces of data of any size, at known positions
//	Store.Commit     replaces the record, atomically; ReadRecord reads it, also while another process uses the store
//
// It is independent of searches: a state ID is a 64-bit number. Its halves are small, and close to the halves of its
// neighbours in sorted order.
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
// A run is divided into blocks of up to 16,384 state IDs, and these into sections of 128. A block is one entry:
//
//	key     'r', number of the run (4 bytes), the first state ID (8), big-endian
//	value   xxHash64 of the key and the rest (8 bytes, little-endian)
//	        number of state IDs, number of bits of the lower half: uvarint
//	        for each section, with the two halves pushed together: its first state ID minus the previous section's,
//	        and its size in bytes: uvarint
//	        the sections: the sizes of the differences between successive state IDs, 1, 2, 3 or 8 bytes, in two bits
//	        each; the differences, little-endian
//
// An entry of a table has a key 't', number of the table (4), position (8) and a value of the same hash and the data.
// Values are in badger's value log, which is only ever appended to; its LSM tree holds their positions, and very small
// values.
//
// The folder of a store has three members and, while they are in use, the files of piles:
//
//	LOCK    locked, by flock(2), while a process uses the store: taken first and released last
//	RECORD  xxHash64 of the name and the record (8 bytes, little-endian), the record; replaced by rename
//	states  badger's folder, with SUMS, the checksums of badger's tables
//	pile-*  the pieces of a Pile, each preceded by its xxHash64
//
// A folder without a RECORD is a run that was killed before its first checkpoint. The LOCK file gets its name after it
// has been locked, so an unlocked one belongs to no running process: this is how temporary stores of killed processes
// are found.
//
// # What can go wrong
//
// Errors say what is wrong: ErrFull, ErrLocked, ErrDamaged, ErrExists, ErrNotEmpty, ErrMissing, ErrFormat. Badger
// writes through memory maps, where a full disk is not an error but a signal that ends the process. So the blocks of a
// file are allocated before badger writes to it, some are kept in reserve for what badger writes by itself, and a Store
// does not begin to write when the disk is nearly full.
//
// A panic in a call of badger, or a fault in a map of a file that was truncated or that the disk cannot read, becomes
// ErrDamaged. Badger may then hold locks, so it is not called again, not even to close, and the next process finds the
// last record and what belongs to it. In badger's own goroutines a fault cannot be recovered from. So there are no
// compactors, which read; and before badger writes, the files that it maps are checked: all must exist, and none may be
// shorter than it was. A file that is truncated within the milliseconds of a write can still end the process, with the
// last record intact.
package store
