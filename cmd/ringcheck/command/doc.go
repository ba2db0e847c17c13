// Package command is the command line of ringcheck: flags to options of the library, and its reports to text or JSON.
//
// Each sub-command is a file: a type with its flags, which runs a function of package ringcheck and says in words what
// came out. What its help says is a page of text in the folder help. It is a job, which checks the flags and the files
// to be written, makes the system, and runs the search. What jobs share is in types with flags of their own:
//
//	protocol   the SPEC argument, -p and the flags that the spec declares
//	search     the limits, the resources, and how the system is reduced: ringcheck.Options
//	form       --json, or text
//	drawing    how a run is shown
//	outFile    a file to be written, under its name only when it is complete
//
// The flags of a spec are known only when the spec is. So before cobra parses the arguments, the SPEC is
// looked for among them (spec.go), and its parameters and options are added to the sub-command's flags:
// from there on parsing, help and completion see them like any other.
//
// An error of the library says what is wrong; exit.go gives it its exit status, and Main turns it into one line on
// standard error, from which nothing that came from a file or an argument can drive a terminal.
package command
