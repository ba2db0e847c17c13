// Package spectest helps to test whatever works on protocols: it makes protocols from text, and random
// specs on which fast code can be compared with slow code.
//
//	Instantiate    text and settings → ir.Protocol, or the test fails
//	Settings       "n=3 order=left" → settings
//	Anonymous      a spec of Random without what distinguishes process 0
//	Random         a random well-formed spec of a small protocol
//	Varied         one that has faults, time, registers, loops and the like; Any is either
package spectest
