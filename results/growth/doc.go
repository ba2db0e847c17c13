// Package growth draws how states, time and memory grow with the number of processes.
//
//	SVG   one picture for a protocol, with a line for each series of its instances
package growth
