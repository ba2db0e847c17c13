// Package spectest helps to test whatever works on protocols: it makes protocols out of text, and random
// specs on which fast code can be compared with slow code.
//
//	Instantiate    text and settings → ir.Protocol, or the test fails
//	Random         a random well-formed spec of a small protocol
package spectest
