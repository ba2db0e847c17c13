// Package command is the command line of ringcheck: flags to options of the library, and its reports to text or JSON.
//
// Each sub-command is a file: a type with its flags, which runs a function of package ringcheck and says in words what
// came out. What they share is in types with flags of their own:
//
//	protocol   the SPEC argument, -p and the flags that the spec declares
//	search     the limits, the resources, and how the system is reduced: ringcheck.Options
//	form       --json, or text
//	drawing    how a run is shown
//	output     the file that a transition system is written to
//
// The flags of a spec are known only when the spec is. So before cobra parses the arguments, the SPEC is
// looked for among them (spec.go), and its parameters and options are added to the sub-command's flags:
// from there on parsing, help and completion see them like any other.
//
// An error of the library says what is wrong; exit.go gives it its exit status, and Main turns it into one line on standard
// error, from which nothing that came from a file or an argument can drive a terminal.
package command
