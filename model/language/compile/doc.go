// Package compile turns a protocol into a successor function over vectors of small numbers.
//
//	New(context, protocol, options)   *System, a model.System
//
// # State vector
//
// There is a slot for each process and each channel: process 0, the channels it receives from, process 1, and so on.
// Neighbours in the ring are neighbours in the vector, which helps a tree database. The slots of shared variables are
// spread evenly among the slots of processes, so that both halves of a vector have about equally many values. A
// process' slot holds the number of a local state (control point and values of the live variables), a channel's slot
// the number of its contents. All processes share one numbering of local states, all channels one numbering of
// contents: equal numbers mean equal content in any slot, so that rotating a ring moves values and nothing else. The
// empty channel is 0. Other numbers are assigned in the order of the first use.
//
// # Transition groups
//
//	{p, c}   p sends to c, for every channel c that leaves p
//	{p, c}   p receives from c, for every channel c that leads to p
//	{p}      events and skips of p
//	{p, …}   p and all channels that leave it: draws that decide between actions of different groups
//	{p, …}   instead of all these for what p does on its own, where that depends on registers of others or on messages
//	         whose time is up: p, those it reads from, and its channels
//	{c, f}   faults of messages in channel c, and their number so far, if it is limited; {p, f} crashes of p
//	{…}      ticks: everything
//
// There is no group for what a process can never do, and none for a channel that never holds a message, as far as the
// text of the protocol and the number of the process tell. See reach.
//
// # Tables
//
// The steps of a process depend only on its local state and, for a receive, on the source and the message. They are
// computed with numbers in place of values, by a lister or, where something is drawn, from the lists of package step,
// which are the definition. They are cached:
//
//	local state                     → its sends, events and skips
//	local state × source × message  → what follows the receive
//	contents                        → the messages that can be taken out, each with the rest
//	contents × message              → contents
//
// Once the tables are filled, Next takes a few look-ups without a lock, and does not allocate. All processes share the
// tables, because behaviour depends on the number of a process only through its variables.
//
// A system may have a million local states, and be asked about each once. So a local state is stored as packed bits,
// 20 to 30 bytes with its number, and the outcomes in it are kept for good only if its number is small: see cache.
// Contents of queues and stacks take about 40 bytes, however long they are: see contentsTable.
//
// # Transitions are a set
//
// Package step defines choices, weights and equal transitions. Equal transitions are always in the same group: labels
// of different processes differ, and the groups of one process differ in the kind of action or the channel, which are
// part of the label. If a draw over several groups has a transition in common with another alternative, all steps that
// the process takes on its own belong to the group of draws.
//
// # Order
//
// Transitions of a group are ordered by message (kind, then fields from left to right), then by the place of
// the alternative in the text, then by the values drawn. It does not depend on the numbering.
package compile
