// Package command is the command line of ringcheck: flags to options, options to calls, results to text or
// JSON.
//
// Each sub-command is a file (explore.go, specs.go, …). What they share is a type of its own with its flags:
//
//	protocol   the SPEC argument, -p and the flags that the spec declares
//	search     --workers, --mem, --max-states, --timeout and the growth bounds
//	output     --out and --hide-internal
//	dump       --dump-level and --dump-limit
//
// The flags of a spec are known only when the spec is. So before cobra parses the arguments, the SPEC is
// looked for among them (scan.go), and its parameters and options are added to the sub-command's flags:
// from there on parsing, help and completion see them like any other.
//
// An error carries its exit status (exit.go); Main turns it into one line on standard error.
package command
