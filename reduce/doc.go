// Package reduce applies reductions. A reduction replaces a model.System by a smaller one with the same answers.
//
//	reduce/confluence       finds the τ-transitions that commute with all others, and gives priority to those
//	                        that are always enabled: --reduce confelm
//	reduce/representative   replaces every state by one reached by confluent τ's: --reduce onthefly
//	reduce/symmetry         replaces every state by one that differs by a rotation of the ring or a permutation of
//	                        processes: --symmetry
//
// With Options.Observes a reduction also preserves the state properties that distinguish states (package verify, Seen).
// Apply stacks the reductions. A reduced system is branching bisimilar to the full one: it has the same visible events
// in the same branching structure and the same terminal states. Divergence is not preserved where confluent τ's form
// cycles. With symmetry alone it is strongly bisimilar, up to the process numbers in labels.
package reduce
