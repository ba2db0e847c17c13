// Package level searches breadth first, level by level, with states in files that are divided into shards. Its caller
// calls Expand for every task, passes the blocks that this emits to Merge of their target shards, and what both return
// to Commit: on one machine, as the tests do, or on many (package cluster).
//
//	System    a search in this process: Expand, Merge, Commit
//	Manifest  the result of a level: counts, words, files of each shard
//	Job       what is searched; a folder belongs to one Job
//	Files     where files are
//	Judge     classifies states for properties; Back leads from a violation to an initial state
//
// The key of a state is the same in every process. It consists of words: for each slot of the state vector, the number
// of its content. There are few different words. A state with words that are new at a level is sent as bytes; before
// states are merged, all new words are numbered in the order of their contents (Words), so the numbers depend only on
// the search. The shard of a state is a hash of about the first third of its words: states that share these words are
// adjacent in the file, and in the memory of the worker that expands them.
//
// Expand reads the new states of a task: one shard or, of a small level, several, since small blocks compress badly. It
// generates successors with an explore.Expander, which has sleep sets and caches the transitions of halves of states,
// and emits a sorted, compressed block for each target shard (run.go). Merge merges the blocks of a shard, subtracts
// the states that the shard has seen, and writes the rest. Four files of a class become one of the next, so that a
// shard has few files and rewrites a state only a few times.
//
// Files depend on the search and the number of shards only: every attempt at a part of the work writes the same bytes
// under the same name, whichever process makes it. A level is complete when its manifest exists, which names all valid
// files.
package level
