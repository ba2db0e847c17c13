// Package confluence finds out which internal transitions of a compiled protocol commute with all others, and
// gives them priority.
//
//	Prioritize    *Prioritized, a model.System in which such a τ is part of the transition before it, if it is
//	              always enabled where it can occur: µCRL's Confelm
//	Confluent     which transitions of that system are confluent, for package representative: Confcheck
//	Verdicts      the same for people, with reasons
//	Check         a system that checks the assumption under which Prioritize may work
//
// # What is claimed
//
// A set T of τ-transitions is strongly confluent (Blom and van de Pol: State space reduction by proving
// confluence, CAV 2002; Blom: Partial τ-confluence for efficient state space generation, SEN-R0123) if, for
// each s –τ→ s1 in T and each other s –a→ s2, there are s1 –a→ s3 and s2 –τ→ s3, the latter in T (or s2 = s3).
// States that T leads from one to the other are then branching bisimilar. Here a draw is one transition to
// several states with probabilities: the diamond has to close for each of them, with the same probability.
//
// What is composed in Prioritize is the case where τ is an action of the process' own. A process that could
// take such steps for ever takes them one by one: where they form a cycle none of them is composed.
//
// # How it is decided
//
// A transition belongs to a process. It reads and writes the local state of that process and channels at one
// end of which it is. So it commutes with all that other processes do: they can only be at the other end of
// the same channel, and to put a message into a multiset or at the end of a queue commutes with taking
// another one out. It is left to look at what the same process can do at the same time, and for that the rest of the state does
// not matter. A transition is named by the local state and a stimulus: a message from a source, or none.
//
// For each transition that is asked for, all diamonds with the other stimuli are computed: all messages of
// the kinds that the process could receive there, with all values of the fields that its open receives leave
// open, from all sources, two of a queue excepted. That is more than can occur, so that whatever is claimed
// holds. The closing edges must be confluent again: what is claimed is the greatest set that satisfies this,
// by computing the least set of transitions that fail. Local states are looked at as they appear. What could
// meet more than 2^16 messages from one source, or depends on as many transitions, is not decided: it counts
// as not confluent.
//
// A fault of the spec is like a visible action: both orders must lead to it. The bound on the number of
// messages in a channel is not taken into account; if it is reached, the run says so and is not complete.
//
// # The assumption
//
// With Options.Assume, some pairs of messages in one channel make no diamond. It is for protocols in which such a pair
// does not occur. NoConflict leaves all pairs out, and says that they do not occur or their order makes no
// difference; an Invariant leaves out those that it denies: the pairs for which it is false, whatever the rest of the
// state, where a process in that local state has both in a channel (package partial). For Franklin's algorithm a
// consequence of Lemma 1 of Bakhshi et al. (2008) will do: at most one message with the bit of a process in each of its
// channels.
//
// A pair that was left out is looked for in all states that a search meets, and is a fault. That an invariant holds in
// them is for the caller to check. This is a safety net and not a proof, since the assumption decides where the search
// goes: a process that takes a message at once never sees the one that could have been there as well. The proof
// is to explore the full system: an invariant is a property like others, and Check looks for the pairs of NoConflict
// everywhere.
package confluence
