// Package confluence finds out which internal transitions of a compiled protocol commute with all others, and
// gives them priority.
//
//	Prioritize    *Prioritized, a model.System in which such a τ is part of the transition before it, if it is
//	              always enabled where it can occur: µCRL's Confelm
//	Confluent     which transitions of that system are confluent, for package representative: Confcheck
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
// # What schedulers can achieve
//
// The reductions keep, for every set of finite and infinite sequences of visible actions, the least and the greatest
// probability with which a scheduler makes such a sequence, and those of coming to a terminal state. Branching
// bisimilarity says less, so here is a proof, for a finite system and a set T as above. By s ⇒ t is meant a path of T,
// of length 0 or more.
//
// Let s ⇒ t be a path s = s0, …, sk = t, and let s take a step, of whatever label. Go along the path: at s0 the step is
// that of the path, or its diamond closes with a step of s1 that has the same label and probabilities, to outcomes that
// T leads to in at most one step; and so on. So either
//
//   - some step on the way, from s_i, is that of the path. Then the step of s was a τ, and it leads to a state u ⇒ t by
//     a path that is shorter than k: at most i steps to s_(i+1), and k − i − 1 from there. Or
//   - t takes a step with the same label and probabilities, and each outcome u of s has its outcome u' of t with
//     u ⇒ u'.
//
// A scheduler that begins in s is thus imitated from t: it waits in the first case, which happens at most k times in
// succession, and takes the step in the second. (Where several histories look alike from t it chooses at random, as
// they are distributed.) Visible actions and their probabilities are the same; an infinite run is imitated by an
// infinite one, for waiting ends; and a terminal state s has no T, so that it is t. Conversely, whatever can be
// achieved from t can be achieved from s, by going to t first. So s and t can achieve the same.
//
// A reduced system lets only some states act, with all their choices, and goes from an outcome u on to some v with u ⇒
// v at once: the end of what is composed, or a representative. What it achieves, the full system achieves by going that
// way; and if v follows u wherever the imitation above comes to an outcome, it imitates every scheduler of the full
// system. What has to be seen to is that steps of T that are left out do not end a run: what is composed has no cycles,
// and a representative whose own T leads round in a circle keeps a step to itself (package representative).
//
// Rewards until a terminal state are kept, too, if what is gone through at once is counted, as Prioritize does: there,
// the T-steps are actions of a process' own, which the closing edges repeat. In a run that ends in a terminal state the
// imitation ends in the same one, so that all steps that it was ahead have been made. The number of steps before a
// visible action is not kept, and which choices there are, between which a uniform scheduler decides, is not either.
//
// # How it is decided
//
// A transition belongs to a process. It reads and writes the local state of that process and channels at one end of
// which it is. So it commutes with all that other processes do: they can only be at the other end of the same channel,
// and to put a message into a multiset or at the end of a queue commutes with taking another one out. It is left to
// look at what the same process can do at the same time, and for that the rest of the state does not matter. A
// transition is named by the local state and a stimulus: a message from a source, or none.
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
// With Options.NoConflict, two messages in one channel make no diamond: it is assumed that no process finds a pair
// there whose order makes a difference. For Franklin's algorithm that is a consequence of Lemma 1 of Bakhshi et al.
// (2008): there is at most one message with the bit of a process in each of its channels.
//
// Such a pair is looked for in all states that a search meets, and is a fault. This is a safety net and not a proof,
// since the assumption decides where the search goes: a process that takes a message at once never sees the one that
// could have been there as well. The proof is to explore the full system with Check.
package confluence
