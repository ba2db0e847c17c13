// Package graph has what the graphs of the other packages are made of: numbered vertices, whose edges are compressed
// sparse rows.
//
//	Rows        lists one behind the other: the edges of each vertex, with whatever is known of an edge
//	Reverse     the sources of the edges that lead to each vertex
//	Set         a bit for each vertex, for fixed points
//	Components  the strongly connected components
package graph
