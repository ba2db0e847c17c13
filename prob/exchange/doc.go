// Package exchange writes and reads Markov decision processes in the formats of other tools.
//
//	.umb   UMB 1.0, the unified Markov binary format of PRISM, Storm and others: a tar of an index and arrays
//	.tra   PRISM's explicit text: transitions, with .lab for labels, and .trew and .srew for rewards
//	.drn   Storm's direct encoding
//
// Read reads them back, and checks what it reads: that arrays have the lengths that the index says, that rows are in order, that targets
// are states, and that the probabilities of a choice add up to exactly 1. PRISM, for one, accepts rows that do not.
//
// A file with decimals or doubles cannot say 1/3. A number is taken as it is written, and if those of a choice do not add up to 1 like that,
// each as the simplest fraction that is the same double; a choice for which that does not help either is refused.
//
// Sources: the specification of UMB (pmc-tools.github.io/umb/spec), the PRISM manual, appendix "Explicit model files", and the
// documentation of Storm, "DRN input format".
package exchange
