// Package published holds the numbers that the papers report, one CSV file per table, as they are printed
// there.
//
//	Tables   all tables, in the order of the paper
//
// The first line of a file is a comment that names the source. A row gives the ring size n, the number of
// identities k, the strategy of the search and its counts; an empty field is a number that the paper does not
// give.
package published
