// Package level searches breadth first, level by level, with states in files that are divided into shards. All that it needs to know of
// what does the work is that somebody calls Expand for every shard, hands the blocks that this emits to Merge of their
// shards, and gives what both return to Commit: on one machine (System.Next) or on many (package cluster).
//
//	System    what a process knows of a search: Expand, Merge, Commit
//	Manifest  what is known once a level is complete: counts, words, files of each shard
//	Job       what is searched; a folder belongs to one Job
//	Files     where files are
//
// A state has a key that means the same everywhere: for each slot of the state vector the number of what it holds, a word. Words are
// few. Those that come up in a level travel as they are with the states in which they do; before these are merged all that are new
// are numbered in the order of their contents (Words), so that numbers depend on the search only. The shard of a state is a hash of the words in
// the first half of its slots: states that have this half in common lie together, in the file as in the memory of who expands them.
//
// Expand reads the new states of a shard, generates successors with an explore.Expander, which knows sleep sets and remembers what halves of
// states lead to, and emits for each target shard a sorted, compressed block (run.go). Merge goes through all blocks of a
// shard at once, in order, with the states that the shard has seen, and writes those that are new. Four files of a class become one of the next,
// so that a shard has few, and a state is written again a few times only.
//
// What is written depends on the search, the number of shards and nothing else: any attempt to do a part of the work writes the same
// bytes under the same name, whoever does it and how often. A level is complete when its manifest is there, which names all
// files that count.
package level
