// Package reduce applies reductions: each takes a model.System and is a smaller one that gives the
// same answers.
//
//	reduce/confluence       finds the τ-transitions that commute with all others, and gives priority to those
//	                        that are always possible: --reduce confelm
//	reduce/representative   replaces every state by one that confluent τ's lead to: --reduce onthefly
//	reduce/symmetry         replaces every state by one of its rotations: --symmetry
//
// With Options.Seen a reduction keeps what properties of states tell apart as well (package verify, Seen). Apply stacks
// them. A reduced system is branching bisimilar to the full one: the same visible events in the same branching
// structure, the same terminal states. It is not divergence-preserving where confluent τ's make cycles. With symmetry
// alone it is strongly bisimilar, but for the process numbers in labels.
package reduce
