// Package cluster explores and checks on the runners of Apache Beam.
//
//	Engine    what the program does: a command.Cluster                 engine.go
//	          properties, and the run to a violation, found backwards  check.go
//	pipeline  some levels of a search as steps of a pipeline           pipeline.go
//	runner    executes pipelines, and abandons pipelines that hang         runner.go
//	worker    the level.System of a process that works for a runner,
//	          and a Prism server                                       worker.go
//	pool      workers that wait for requests                           pool.go
//	counters  what a runner's own pages show                           counters.go
//	bucket    level.Files in an object store                           files.go
//
// Package level does the work and defines the files. The steps of a pipeline have a folder and a level as fields, and
// read everything else from the folder. Their outputs and files depend on the search alone, so a runner may repeat any
// step. The driver trusts only the manifests in the folder: it uses neither the job states that a runner reports, nor
// Beam's metrics, which count attempts.
package cluster
