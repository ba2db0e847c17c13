// Package cluster explores and checks on the runners of Apache Beam.
//
//	Engine    what the program does: a command.Cluster                 engine.go
//	          properties, and the run to a violation, found backwards  check.go
//	pipeline  some levels of a search as steps of a pipeline           pipeline.go
//	runner    executes pipelines, and abandons those that hang         runner.go
//	worker    the level.System of a process that works for a runner,
//	          workers that wait for requests, a Prism server           worker.go
//	bucket    level.Files in an object store                           files.go
//
// The work itself and the files belong to package level. Steps of a pipeline have a folder and a level as fields and
// find everything else there. What they emit depends on the search alone, and so do the files that they write, so that
// a runner may repeat any of them. The driver trusts the manifests in the folder, not what a runner says about its
// jobs, nor Beam's metrics, which count attempts.
package cluster
