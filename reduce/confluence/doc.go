// Package confluence determines which internal transitions of a compiled protocol commute with all others, and
// gives them priority.
//
//	Prioritize    returns a model.System in which such a τ is part of the transition before it, if it is always
//	              enabled where it can occur: µCRL's Confelm
//	Confluent     yields the confluent transitions of that system, for package representative: Confcheck
//	Check         returns a system that checks the assumption of Options.NoConflict
//
// # Definition
//
// A set T of τ-transitions is strongly confluent (Blom and van de Pol: State space reduction by proving confluence, CAV
// 2002; Blom: Partial τ-confluence for efficient state space generation, SEN-R0123) if, for each s –τ→ s1 in T and each
// other s –a→ s2, there are s1 –a→ s3 and s2 –τ→ s3, the latter in T (or s2 = s3). Then s and t are branching bisimilar
// if T leads from s to t. A draw is one transition to several states with probabilities; the diamond must close for
// each of them, with the same probability.
//
// Prioritize composes those τ's that are actions of the process alone. Where such steps form a cycle none of them is
// composed: a process that could take them for ever takes them one by one.
//
// # What schedulers can achieve
//
// For every set of finite and infinite sequences of visible actions, the reductions preserve the minimal and the
// maximal probability of such a sequence over all schedulers, and of reaching a terminal state. This is more than
// branching bisimilarity says, so here is a proof, for a finite system and a set T as above. s ⇒ t denotes a path in T
// of length 0 or more.
//
// Let s ⇒ t be a path s = s0, …, sk = t, and let s take a step with any label. Follow the path: at s0 the step belongs
// to the path, or its diamond closes with a step of s1 that has the same label and probabilities, to outcomes that T
// leads to in at most one step; and so on. So either
//
//   - the step from some s_i belongs to the path. Then the step of s is a τ that leads to a state u with u ⇒ t by a
//     path shorter than k: at most i steps to s_(i+1), and k − i − 1 from there. Or
//   - t takes a step with the same label and probabilities, and each outcome u of s has its outcome u' of t with
//     u ⇒ u'.
//
// Thus a scheduler that begins in s can be simulated from t: in the first case the simulation waits, at most k times in
// succession; in the second it takes the step. (Where several histories look alike from t it chooses at random,
// according to their distribution.) Visible actions and their probabilities are the same; an infinite run is simulated
// by an infinite one, because waiting ends; and a terminal state s has no steps in T, so s = t. Conversely, whatever a
// scheduler achieves from t another achieves from s by going to t first. So s and t can achieve the same.
//
// In a reduced system only some states act, with all their choices, and each outcome u is replaced by some v with u ⇒
// v: the end of the composed steps, or a representative. The full system achieves whatever the reduced one does by
// taking these steps; and since v replaces u at every outcome of the simulation above, the reduced system simulates
// every scheduler of the full one. Steps of T that are left out must not end a run: composed steps have no cycles, and
// a representative on a cycle of T keeps a step to itself (package representative).
//
// Rewards until a terminal state are preserved, too, if left-out steps earn their rewards, as under Prioritize: its
// T-steps are actions of one process, which the closing edges repeat. If a run ends in a terminal state the simulation
// ends in the same one, so the run has also made all steps that the simulation was ahead. Not preserved are the number
// of steps before a visible action and the choices between which a uniform scheduler decides.
//
// # Decision procedure
//
// A transition belongs to a process and accesses only the local state of that process and channels at its ends. So it
// commutes with all transitions of other processes: these can only access the other end of a shared channel, and adding
// a message to a multiset or to the end of a queue commutes with removing another one. Where it does not, as in a
// stack, transitions that access a channel count as not confluent. Only the transitions that the same process can take
// at the same time remain to be checked, and these do not depend on the rest of the state. A transition is identified
// by the local state and a trigger: a message from a source, or none.
//
// For each requested transition all diamonds with the other triggers are computed: all messages that the process could
// receive there, with all values of the fields that its open receives do not fix, from all sources, except for two of
// one queue. That includes all that can occur, so the verdict is sound. The closing edges must again be confluent: the
// result is the greatest set that satisfies this, computed as the complement of the least set of transitions that fail.
// Local states are examined as they appear. A transition that could meet more than 2^16 messages from one source, or
// depends on as many transitions, counts as not confluent.
//
// A model error is like a visible action: both orders must lead to it. The bound on the number of messages in a channel
// is ignored; if it is reached, the run says so and is not complete.
//
// # The assumption
//
// With Options.NoConflict, diamonds of two messages in one channel are not checked: it is assumed that no channel holds
// a pair of messages whose order of receipt matters. For Franklin's algorithm that follows from Lemma 1 of Bakhshi et
// al. (2008): each channel of a process holds at most one message with the bit of the process.
//
// A search reports such a pair in any state that it visits as a model error. This is a safety net and not a proof,
// since the assumption determines which states are visited: a process that receives a message at once never sees a
// second message that could have joined it. Exploring the full system with Check is a proof.
package confluence
