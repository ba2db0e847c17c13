// Command etcd runs a cluster of servers of the library go.etcd.io/raft in memory, and writes what they do as a log for
// ringcheck conform, which judges it by raft.ring. Messages are delivered in random order, lost and duplicated, and
// servers crash and restart from storage; a seed determines all of it. The flag -bug plants a mistake. With -replay,
// servers repeat the runs that ringcheck tests has written.
//
//	main       the flags
//	cluster    the servers, the messages in flight, and what happens next
//	server     one server: how it handles a message, what it stores, and its log
//	replay     repeats the runs of ringcheck tests
//	bug        mistakes, planted in the storage and the messages around the library
//	raft.ring  the spec
//
// The library is not part of ringcheck. It has the Apache License 2.0, and is a dependency of this module only.
package main
