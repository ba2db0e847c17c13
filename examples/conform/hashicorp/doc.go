// Command hashicorp runs servers of the library github.com/hashicorp/raft in memory, and writes their elections as a
// log for ringcheck conform, which judges it by raft.ring. The library is observed from outside: messages where the
// transport passes them, the term and the vote where the store saves them, changes of the role by an observer. Messages
// are lost and delayed, and servers crash and restart from their stores. The library has goroutines and timers, so no
// two runs are the same. The flag -bug plants a mistake.
//
//	main       the flags
//	cluster    the servers, the log, and crashes
//	server     a server from a start to a crash, as its store and its observer see it
//	transport  requests and answers
//	bug        mistakes, planted in the transport and the store
//	raft.ring  the spec
//
// The library is not part of ringcheck. It has the Mozilla Public License 2.0, and is a dependency of this module only.
package main
