// Package level searches breadth first, level by level, with states in files that are divided into shards. All it
// requires of its caller is to call Expand for every task, to pass the blocks that this emits to Merge of their target
// shards, and to pass what both return to Commit: on one machine, as the tests do, or on many (package cluster).
//
//	System    what a process knows of a search: Expand, Merge, Commit
//	Manifest  what is known once a level is complete: counts, words, files of each shard
//	Job       what is searched; a folder belongs to one Job
//	Files     where files are
//	Judge     what is told of states, for properties; Back leads from a violation to an initial state
//
// A state has a key that means the same everywhere: for each slot of the state vector the number of what it holds, a
// word. Words are few. New words of a level are sent in full along with the states in which they occur; before these
// are merged, all new words are numbered in the order of their contents (Words), so that numbers depend on the search
// only. The shard of a state is a hash of the words in the first third of its slots, about: states that have them in
// common lie together, in the file and in the memory of the worker that expands them.
//
// Expand reads the new states of a task, which is one shard or, of a small level, several: the fewer states a block
// has, the more room each takes. It generates successors with an explore.Expander, which knows sleep sets and caches
// what halves of states lead to, and emits for each target shard a sorted, compressed block (run.go). Merge goes
// through all blocks of a shard at once, in order, with the states that the shard has seen, and writes those that are
// new. Four files of a class become one of the next, so that a shard has few, and a state is written again a few times
// only.
//
// What is written depends on the search, the number of shards and nothing else: any attempt to do a part of the work
// writes the same bytes under the same name, whichever process does it and however often. A level is complete when its
// manifest exists, which names all valid files.
package level
