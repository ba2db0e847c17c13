// Package lts holds labelled transition systems in memory and reads and writes their file formats.
//
// An [LTS] has states 0 … n−1, one of them initial, and transitions with labels; label [Tau] is the internal action τ.
// It takes 8 bytes per transition and 4 per state. Only Hide and Prune change it. There are two ways to make one and
// two to write one:
//
//	[Builder]      from the transitions of an exploration
//	[ReadAut]      from a file in the Aldebaran format
//
//	[AutWriter]    the Aldebaran format
//	[DotWriter]    the DOT language of Graphviz
//
// Both writers implement [Writer], which takes one transition at a time, so that a system larger than memory can be
// written during its exploration. docs/formats.md specifies the formats.
package lts
