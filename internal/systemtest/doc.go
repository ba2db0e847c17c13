// Package systemtest makes random transition systems, and explores systems in the simplest way there is: what tests of
// clever code compare with.
package systemtest
