// Package graph provides building blocks for graphs with numbered vertices and edges in compressed sparse rows.
//
//	Rows        compressed sparse rows: the edges of each vertex, with any data about an edge
//	Edge        an edge with a label, as transition systems have
//	Group       sorts elements into lists
//	Reverse     lists the sources of the edges into each vertex
//	Set         a bit set of vertices, for fixed points
//	Components  the strongly connected components
package graph
