// Package estimate estimates costs and outcomes of an instance of a spec by random runs, see package simulate.
//
//	Simulation   what is estimated, by how many runs
//	Report       the Estimates; Report.Run shows a run that violates a property
package estimate
