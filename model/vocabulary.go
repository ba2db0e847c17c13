package model

// A Vocabulary is a System that numbers what its slots hold as it meets it: its values mean something to the one that gave
// them out only. To keep states for another process is to keep the words, too. The values of a system that is none mean
// the same in every process.
type Vocabulary interface {
	System
	// Words returns what was numbered after the words that since counts, encoded, and the count of all words, list by
	// list. since is nil, or what Words has returned before. Nobody uses the system meanwhile.
	Words(since []uint32) (words []byte, now []uint32)
	// Learn numbers words as they were numbered before. It is called on a system that has not been used yet, with
	// all that Words has returned, in order. An error means that they are not words of this system, or that they have
	// got other numbers.
	Learn(words []byte) error
}
